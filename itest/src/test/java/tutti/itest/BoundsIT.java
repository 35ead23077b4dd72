package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Meets every bound of the guide's table with a node that has small ones, and compares what is refused and logged with the table. */
@Timeout(value = 1_600, unit = TimeUnit.SECONDS)
class BoundsIT {
    private static final Path PAGE = ProjectPaths.DIR.resolve("docs/guide/security.md");
    private static final Pattern ROW =
        Pattern.compile("\\| [^|]+ \\| (?:`(?<property>tutti\\.[a-z.]+)`|fixed) \\| `(?<default>\\d+)` \\| `(?<refusal>[^`]+)` \\|");
    private static final int PART = 1;
    private static final String RUN = "JobLauncher.run";
    private static final int PIECE = 16_000;
    /** Links that commands may have open when six are allowed. */
    private static final int COMMANDS = 4;

    @TempDir
    private static Path dir;
    private static TuttiScript.Daemon node;
    private final Queue<String> said = new ConcurrentLinkedQueue<>();

    /** A row of the table; {@code ...} in the refusal stands for any text, and the property is null for a bound that is fixed. */
    private record Bound(String property, String byDefault, String refusal) {
        boolean matches(final String text) {
            return Pattern
                .compile(Stream.of(refusal.split("\\.\\.\\.(?!\\d)", -1)).map(Pattern::quote).collect(Collectors.joining(".*")), Pattern.DOTALL)
                .matcher(text).matches();
        }
    }

    @BeforeAll
    static void start() throws Exception {
        node = new TuttiScript.Daemon(dir, Map.of("TUTTI_DAEMON_OPTS", TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS")
            + " -Dtutti.node.ranks=4 -Dtutti.node.jobs=1 -Dtutti.node.connections=6 -Dtutti.node.idle=2000"
            + " -Dtutti.node.modules=" + ProjectPaths.DEFAULT_MODULES.size()
            + " -Dtutti.node.messages=20000000 -Dtutti.tcp.handshakes=2 -Dtutti.tcp.hello=1000"), "--name", "a");
        TuttiScript.writeProgram(dir, "Waits", "System.out.println(\"up\"); System.in.read();");
        TuttiScript.compile(dir, "Waits");
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static List<Bound> table() throws IOException {
        return Files.readAllLines(PAGE).stream().map(ROW::matcher).filter(Matcher::matches)
            .map(m -> new Bound(m.group("property"), m.group("default"), m.group("refusal"))).toList();
    }

    private void command(final String... args) throws Exception {
        said.add(CommandInJvm.run(ThreeNodeCluster.commandLine(node, args[0], List.of(args).subList(1, args.length).toArray(String[]::new))).err()
            .strip());
    }

    private RawLink open() throws IOException {
        return new RawLink(node.port());
    }

    /** Opens a link with a hello; what a refusal says is kept. */
    private RawLink open(final byte[] hello) throws IOException {
        final RawLink link = open();
        link.send(hello);
        said.add(link.answer());
        return link;
    }

    private byte[] command() {
        return RawLink.command(node.port(), "node");
    }

    /** Sends frames on the link of a command; the daemon closes it. */
    private void closing(final byte[]... frames) throws IOException {
        try (RawLink link = open(command())) {
            for (final byte[] frame : frames) {
                link.send(frame);
            }
            link.rest();
        } catch (final SocketException e) {
            // the daemon has closed it while frames were sent
            said.add(e.toString());
        }
    }

    /** Sends frames of a call on the link of a command, which the daemon refuses. */
    private void refused(final byte[]... frames) throws IOException {
        try (RawLink link = open(command())) {
            for (final byte[] frame : frames) {
                link.send(frame);
            }
            byte[] answer = link.next();
            while (answer != null && answer[0] != FrameFuzzer.FAILED) {
                answer = link.next();
            }
            assertNotNull(answer, "the call was not answered");
            said.add(new String(answer, 5, answer.length - 5, StandardCharsets.UTF_8));
        }
    }

    private static String arguments(final int ranks, final String files) {
        return FrameFuzzer.sample(RUN).replace("\"ranks\":2", "\"ranks\":" + ranks).replace("\"files\":[]", "\"files\":[" + files + "]");
    }

    private static byte[] run(final int ranks, final String files) {
        return FrameFuzzer.call(RUN, 1, arguments(ranks, files));
    }

    private static String file(final long bytes) {
        return "{\"name\":\"f.jar\",\"bytes\":" + bytes + ",\"sha256\":\"" + "0".repeat(64) + "\",\"staged\":false}";
    }

    /** Returns the pieces of a message that is not complete. */
    private static byte[][] pieces(final int bytes) {
        return Stream.generate(() -> RawLink.frame(PART, " ".repeat(PIECE))).limit(bytes / PIECE).toArray(byte[][]::new);
    }

    @Tag("nightly")
    @Test
    void shouldRefuseWhatExceedsABoundAsTheTableSays() throws Exception {
        final List<Bound> table = table();
        jobs();
        modules();
        messages();
        programs();
        connections();
        handshakes();
        node.close();
        node.err.get(60, TimeUnit.SECONDS).lines().forEach(said::add);
        assertEquals(List.of(), table.stream().filter(b -> said.stream().noneMatch(b::matches)).map(Bound::refusal).toList(),
            () -> "refusals of the table that were not met; said:\n" + said.stream().filter(s -> !s.isBlank()).collect(Collectors.joining("\n")));
        assertTrue(table.size() >= 15, () -> "bounds: " + table.size());
    }

    private void jobs() throws Exception {
        command("run", "-n", "5", "--cp", dir.toString(), "Waits");
        final CommandInJvm.Running job = CommandInJvm.start(ThreeNodeCluster.commandLine(node, "run", "-n", "1", "--cp", dir.toString(), "Waits"));
        assertEquals(List.of("up"), job.lines(1));
        command("run", "-n", "1", "--cp", dir.toString(), "Waits");
        assertEquals(0, job.end().status());
    }

    private void modules() throws Exception {
        command("install", new ModuleBundles(dir).ring("1.0.0").toString());
    }

    private void messages() throws Exception {
        closing(pieces(18 << 20));
        // two links together hold more than all may
        try (RawLink link = open(command())) {
            for (final byte[] piece : pieces(15 << 20)) {
                link.send(piece);
            }
            link.send(FrameFuzzer.call("JobLauncher.cancel", 0));
            for (final byte[] piece : pieces(16_000_000)) {
                link.send(piece);
            }
            closing(pieces(16_000_000));
        } catch (final SocketException e) {
            said.add(e.toString());
        }
        closing(IntStream.rangeClosed(1, 200).mapToObj(i -> FrameFuzzer.call("ClusterRequests.change", i)).toArray(byte[][]::new));
        refused(run(65_537, ""));
    }

    private void programs() throws Exception {
        final byte[] piece = FrameFuzzer.stream(1, (byte) 0, new byte[PIECE]);
        closing(Stream.concat(Stream.of(run(1, file(10 << 20))), Stream.generate(() -> piece).limit(600)).toArray(byte[][]::new));
        refused(run(1, file((2L << 30) + 1)));
        final String many = arguments(1, Stream.generate(() -> file(1)).limit(1_025).collect(Collectors.joining(",")));
        refused(
            Stream.concat(IntStream.range(0, many.length() / PIECE).mapToObj(i -> RawLink.frame(PART, many.substring(i * PIECE, (i + 1) * PIECE))),
                Stream.of(FrameFuzzer.call(RUN, 1, many.substring(many.length() / PIECE * PIECE)))).toArray(byte[][]::new));
    }

    private void connections() throws Exception {
        final List<RawLink> open = new ArrayList<>();
        try {
            for (int i = 0; i < COMMANDS; i++) {
                open.add(open(command()));
            }
            command("ps");
            for (int i = 0; i < COMMANDS; i++) {
                open.add(open(RawLink.node(node.port(), "change", "z", "null")));
            }
            for (final RawLink link : open) {
                link.rest();
            }
        } finally {
            for (final RawLink link : open) {
                link.close();
            }
        }
    }

    private void handshakes() throws Exception {
        final List<RawLink> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                silent.add(open());
            }
            for (final RawLink link : silent) {
                link.rest();
            }
        } finally {
            for (final RawLink link : silent) {
                link.close();
            }
        }
    }

    @Test
    void shouldHaveTheDefaultsThatTheTableSays() throws Exception {
        final Path jar;
        try (Stream<Path> all = Files.list(ProjectPaths.BUNDLES)) {
            jar = all.filter(p -> p.getFileName().toString().contains("runtime.daemon")).findFirst().orElseThrow();
        }
        final String metatype;
        try (JarFile bundle = new JarFile(jar.toFile())) {
            metatype = new String(bundle.getInputStream(bundle.getEntry("OSGI-INF/metatype/tutti.node.xml")).readAllBytes(), StandardCharsets.UTF_8);
        }
        final List<Bound> ofNode = table().stream().filter(b -> b.property != null && b.property.startsWith("tutti.node.")).toList();
        for (final Bound bound : ofNode) {
            final Matcher attribute =
                Pattern.compile("<AD id=\"" + bound.property.substring("tutti.node.".length()) + "\" [^>]* default=\"(\\d+)\"").matcher(metatype);
            assertTrue(attribute.find(), bound.property);
            assertEquals(bound.byDefault, attribute.group(1), bound.property);
        }
        assertEquals(7, ofNode.size());
    }
}
