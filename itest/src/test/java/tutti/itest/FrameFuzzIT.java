package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sends daemons what no peer should, as {@link FrameFuzzer} makes it of a seed, for {@code tutti.fuzz} seconds: 20, or an hour with profile
 * {@code soak}. The daemons answer or close, keep running jobs and hold nothing afterwards. Seeds of failures are printed and kept in
 * {@code target/fuzz-seeds.txt}; {@code -Dtutti.fuzz.from=SEED -Dtutti.fuzz=1} begins with one.
 */
@Timeout(value = 5_000, unit = TimeUnit.SECONDS)
class FrameFuzzIT {
    /** Interfaces that nodes serve each other and commands. */
    private static final List<String> SERVED =
        List.of("monitor.ClusterRequests", "launch.JobLauncher", "modules.ChangeTarget", "checkpoints.CopyKeeper", "checkpoints.CopyOwner",
            "cluster.NodeLinks$Messages",
            "cluster.MemberQuestions", "control.NodeQuestions", "job.JobQuestions", "job.MeasurementQuestions", "job.CheckpointQuestions",
            "control.ModuleQuestions", "part.NameQuestions", "part.JobNode", "part.JobPart");
    private static final long SECONDS = Long.getLong("tutti.fuzz", 20);
    private static final long FROM = Long.getLong("tutti.fuzz.from", 1);
    private static final int THREADS = 4;
    /** Connections after which everything that they share is loaded. */
    private static final int WARM_UP = 300;
    private static final int MAX_FAILURES = 10;
    private static final Pattern INTERNAL =
        Pattern.compile("Exception in thread|acceptor failed|handler failed|internal error|OutOfMemoryError|StackOverflowError|NullPointerException"
            + "|ClassCastException|IndexOutOfBounds");
    /** A node remembers accepted hellos for ten minutes, so that none counts twice. */
    private static final long REMEMBERED_SECONDS = 600;
    private static final long BYTES_PER_HELLO = 256;

    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicLong seeds = new AtomicLong(FROM);

    @TempDir
    private Path dir;
    private byte[] program;
    private String description;

    private TuttiScript.Daemon start(final String name, final String... args) throws Exception {
        final Path tmp = Files.createDirectory(dir.resolve("tmp-" + name));
        final List<String> all = new ArrayList<>(List.of("--name", name, "--dir", dir.resolve("node-" + name).toString()));
        all.addAll(List.of(args));
        return new TuttiScript.Daemon(Files.createDirectory(dir.resolve("runs-" + name)), Map.of("TUTTI_DAEMON_OPTS",
            TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS")
                + " -Xmx384m -Dtutti.node.silence=30000 -Dtutti.node.ranks=16 -Djava.io.tmpdir=" + tmp),
            all.toArray(String[]::new));
    }

    private void makeProgram() throws Exception {
        final Path programs = Files.createDirectory(dir.resolve("programs"));
        TuttiScript.writeProgram(programs, "Sums", """
            int[] sum = {rank + 1};
            MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
            if (sum[0] != size * (size + 1) / 2) { System.exit(9); }""");
        TuttiScript.compile(programs, "Sums");
        final Path jar = dir.resolve("sums.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry("Sums.class"));
            out.write(Files.readAllBytes(programs.resolve("Sums.class")));
        }
        program = Files.readAllBytes(jar);
        description = "{\"name\":\"sums.jar\",\"bytes\":" + program.length + ",\"sha256\":\""
            + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(program)) + "\",\"staged\":false}";
    }

    private void assertRunsJobs(final List<TuttiScript.Daemon> nodes) throws Exception {
        for (final TuttiScript.Daemon node : nodes) {
            final TuttiScript.Result r =
                CommandInJvm.run(ThreeNodeCluster.commandLine(node, "run", "-n", "3", "--map", "node", "--timeout", "60", "--cp",
                    dir.resolve("programs").toString(), "Sums"));
            assertEquals(0, r.status(), r::toString);
        }
    }

    /** Makes connections until a time or a number of them. */
    private void fuzz(final List<TuttiScript.Daemon> nodes, final long until, final long lastSeed) throws InterruptedException {
        final List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            threads.add(Thread.ofPlatform().daemon().name("fuzz-" + t).start(() -> {
                for (long seed = seeds.getAndIncrement(); seed < lastSeed && System.nanoTime() < until && failures.size() < MAX_FAILURES; seed =
                    seeds.getAndIncrement()) {
                    connect(nodes.get((int) (seed % nodes.size())), seed);
                }
            }));
        }
        for (final Thread t : threads) {
            t.join();
        }
    }

    private void connect(final TuttiScript.Daemon node, final long seed) {
        try {
            FrameFuzzer.run(seed, node.port(), program, description);
        } catch (final Exception e) {
            failures.add("seed " + seed + ": " + e);
            System.out.println("fuzzing fails: seed " + seed + ": " + e);
        }
        if (!node.process.isAlive()) {
            failures.add("seed " + seed + ": the daemon has ended");
        }
    }

    @Tag("nightly")
    @Test
    void shouldAnswerOrCloseWhateverAPeerSendsAndHoldNothingOfIt() throws Exception {
        makeProgram();
        final List<TuttiScript.Daemon> nodes = new ArrayList<>();
        try {
            nodes.add(start("a"));
            nodes.add(start("b", "--join", nodes.getFirst().address));
            fuzz(nodes);
        } finally {
            keepFailures();
            nodes.reversed().forEach(TuttiScript.Daemon::close);
        }
        assertEquals(List.of(), internalErrors(nodes.get(0), "a"));
        assertEquals(List.of(), internalErrors(nodes.get(1), "b"));
    }

    /** Compares with the interfaces and the codec of the distribution: no method is without a sample, and none is refused before it is changed. */
    @Test
    void shouldHaveAValidSampleOfEachMethod() throws Exception {
        final List<URL> jars = new ArrayList<>();
        for (final Path jar : ProjectPaths.jars()) {
            jars.add(jar.toUri().toURL());
        }
        try (URLClassLoader distribution = new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            final Method read = distribution.loadClass("tutti.daemon.protocol.MessageCodec").getMethod("readAll", byte[].class, List.class);
            final Set<String> methods = new HashSet<>();
            for (final String type : SERVED) {
                final Class<?> served = distribution.loadClass("tutti.daemon." + type);
                for (final Method method : served.getDeclaredMethods()) {
                    final String name = served.getSimpleName() + "." + method.getName();
                    methods.add(name);
                    final List<Type> arguments = Arrays.stream(method.getGenericParameterTypes()).filter(t -> t != InputStream.class).toList();
                    for (final String sample : FrameFuzzer.samples(name)) {
                        assertDoesNotThrow(() -> read.invoke(null, sample.getBytes(StandardCharsets.UTF_8), arguments), () -> name + " " + sample);
                    }
                }
            }
            methods.removeAll(Set.of("NodeQuestions.stop", "ClusterRequests.stop"));
            assertEquals(methods, FrameFuzzer.methods());
        }
    }

    /** Sends a frame after a hello, and waits for a frame of the answer, as its type and content. */
    private static void assertAnswers(final String expected, final TuttiScript.Daemon node, final byte[] hello, final byte[] frame) throws Exception {
        final Pattern pattern = Pattern.compile(expected, Pattern.DOTALL);
        try (RawLink link = new RawLink(node.port())) {
            link.send(hello);
            assertEquals("", link.answer());
            link.send(frame);
            String text = "";
            while (!pattern.matcher(text).matches()) {
                final byte[] next = link.next();
                assertNotNull(next, "closed without the answer " + expected + "; last: " + text);
                text = next[0] + " " + new String(next, 1, next.length - 1, StandardCharsets.UTF_8);
            }
        }
    }

    /** Asserts that what is changed is right before: otherwise all would be refused at once. */
    private void assertSamplesAreValid(final TuttiScript.Daemon node) throws Exception {
        final int port = node.port();
        try (RawLink link = new RawLink(port)) {
            link.send(RawLink.command(port, "run"));
            assertEquals("", link.answer());
            final byte[] end = new RawJob(link, program, frame -> frame).run(FrameFuzzer.request(description));
            assertNotNull(end, "closed before the job has ended");
            assertEquals("{\"status\":0,\"text\":\"\"}", new String(end, 5, end.length - 5, StandardCharsets.UTF_8));
        }
        assertAnswers("4 .*the node is not reserved for the change.*", node, RawLink.node(port, "change", "z", "null"),
            FrameFuzzer.call("ChangeTarget.prepare"));
        assertAnswers("4 .*checkpoint is not here.*", node, RawLink.node(port, "checkpoint", "z", "null"), FrameFuzzer.call("CopyKeeper.fetch"));
        assertAnswers("2 .*Messages.members.*", node, RawLink.node(port, "node", "z", "null"), FrameFuzzer.call("NodeQuestions.report"));
    }

    private void fuzz(final List<TuttiScript.Daemon> nodes) throws Exception {
        assertRunsJobs(nodes);
        assertSamplesAreValid(nodes.getFirst());
        fuzz(nodes, Long.MAX_VALUE, FROM + WARM_UP);
        assertRunsJobs(nodes);
        final List<NodeFootprint> before = NodeFootprint.of(nodes);
        final List<Path> files = NodeFootprint.files(dir);
        final long warm = seeds.get();
        final long since = System.nanoTime();
        final long end = since + TimeUnit.SECONDS.toNanos(SECONDS);
        while (System.nanoTime() < end && failures.isEmpty()) {
            // a part of the time
            fuzz(nodes, Math.min(end, System.nanoTime() + TimeUnit.SECONDS.toNanos(30)), Long.MAX_VALUE);
            assertRunsJobs(nodes);
        }
        final long connections = seeds.get() - warm;
        final long seconds = Math.max(1, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - since));
        assertEquals(List.of(), List.copyOf(failures), "seeds of connections that the daemons did not end well");
        assertTrue(connections > SECONDS, () -> "connections: " + connections);
        final long remembered = connections * Math.min(seconds, REMEMBERED_SECONDS) / seconds;
        for (int i = 0; i < nodes.size(); i++) {
            final NodeFootprint after = before.get(i).assertAsBefore(nodes.get(i), NodeFootprint.SPARE_HEAP + BYTES_PER_HELLO * remembered);
            System.out.println("fuzzed node: connections=" + connections + ", seconds=" + seconds + ", before=" + before.get(i) + ", after="
                + after);
        }
        await().atMost(Duration.ofSeconds(60))
            .untilAsserted(
                () -> assertEquals(List.of(), NodeFootprint.files(dir).stream().filter(f -> !files.contains(f)).toList(), "files that are left"));
    }

    /** Keeps what a daemon that has ended logged, and returns the lines about failures of its own. */
    private static List<String> internalErrors(final TuttiScript.Daemon daemon, final String name) throws Exception {
        final String log = daemon.err.get(60, TimeUnit.SECONDS);
        Files.writeString(Path.of("target", "fuzz-" + name + ".log"), log);
        return log.lines().filter(l -> INTERNAL.matcher(l).find()).distinct().limit(20).toList();
    }

    private void keepFailures() throws Exception {
        for (final String failure : failures) {
            Files.writeString(Path.of("target", "fuzz-seeds.txt"), failure + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }
}
