package tutti.daemon.control;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.launch.JobEnd;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.launch.RunRequest;
import tutti.runtime.host.RuntimeJobHost;

/** Tests of real programs, without MPI, on two daemons in this JVM: from the client's request to their last line. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ProgramRunTest {
    @TempDir
    private Path dir;
    private final List<TestNode> nodes = new ArrayList<>();
    private final List<RuntimeJobHost> hosts = new ArrayList<>();
    private TestClient client;

    @BeforeEach
    void start() throws IOException {
        for (final String name : List.of("a", "b")) {
            hosts.add(new RuntimeJobHost(new OneModule()));
            nodes.add(new TestNode(name, Files.createDirectories(dir.resolve(name)), hosts.getLast()));
        }
        nodes.get(1).join(nodes.get(0));
        client = new TestClient(nodes.get(0).address());
    }

    @AfterEach
    void stop() {
        client.close();
        nodes.forEach(TestNode::close);
    }

    private Path jar(final String body) throws IOException {
        final Path source = Files.writeString(dir.resolve("Main.java"),
            "public class Main { public static void main(String[] args) throws Exception { int rank = rank(); " + body + " }\n"
                + "static int rank() { return Integer.parseInt(Thread.currentThread().getName().split(\"-rank\")[1]); } }");
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", dir.toString(), source.toString()));
        final Path jar = dir.resolve("app.jar");
        try (OutputStream out = Files.newOutputStream(jar); JarOutputStream zip = new JarOutputStream(out)) {
            zip.putNextEntry(new ZipEntry("Main.class"));
            Files.copy(dir.resolve("Main.class"), zip);
        }
        return jar;
    }

    /** Reads the output of the ranks, one text for each, until the job is done. */
    private JobEnd done(final Map<Integer, StringBuilder> texts) throws Exception {
        for (OutputPiece p = client.nextOutput(); p != null; p = client.nextOutput()) {
            texts.computeIfAbsent(p.rank(), r -> new StringBuilder()).append(new String(p.bytes(), StandardCharsets.UTF_8));
        }
        return client.done();
    }

    private void nothingIsLeft() {
        await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5)).until(() -> {
            long left = hosts.stream().mapToInt(RuntimeJobHost::running).sum();
            for (final TestNode node : nodes) {
                left += node.left().size();
            }
            return left == 0;
        });
    }

    @Test
    void shouldSendAllOutputOfRanksToTheClientInOrder() throws Exception {
        client.launch(4, jar("for (int i = 0; i < 20000; i++) System.out.println(args[0] + ' ' + i); System.out.print(\"end\");"));
        final Map<Integer, StringBuilder> texts = new HashMap<>();
        assertEquals(new JobEnd(0, ""), done(texts));
        final StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            expected.append("arg ").append(i).append('\n');
        }
        expected.append("end");
        assertEquals(4, texts.size());
        texts.forEach((rank, text) -> assertTrue(expected.compareTo(text) == 0, "output of rank " + rank + " is not what it printed"));
        nothingIsLeft();
    }

    @Test
    void shouldNotMixLinesOfRanksThatPrintManyAtOnce() throws Exception {
        client.launch(2, jar("String line = \"x\".repeat(70) + '\\n';"
            + "byte[] block = line.repeat(1000).getBytes(); for (int i = 0; i < 20; i++) { System.out.write(block); System.out.flush(); }"));
        final Map<Integer, Integer> partial = new HashMap<>();
        int lines = 0;
        while (lines < 2 * 20_000) {
            final OutputPiece p = client.nextOutput();
            final String text = new String(p.bytes(), StandardCharsets.UTF_8);
            if (!text.endsWith("\n")) {
                partial.merge(p.rank(), 1, Integer::sum);
            }
            lines += (int) text.lines().count();
        }
        assertEquals(Map.of(), partial);
        assertEquals(new JobEnd(0, ""), done(new HashMap<>()));
    }

    @Test
    void shouldEndRanksThatSleepWhenAnotherThrowsAndReportItsStackTrace() throws Exception {
        client.launch(4, jar("if (rank == 3) throw new IllegalStateException(\"bang\"); Thread.sleep(600_000);"));
        final JobEnd done = done(new HashMap<>());
        assertEquals(1, done.status());
        assertTrue(done.text().startsWith("rank 3 on node b failed: ") && done.text().contains("IllegalStateException: bang")
            && done.text().contains("at Main.main(Main.java:1)"), done.text());
        nothingIsLeft();
    }

    @Test
    void shouldEndWithTheStatusOfSystemExit() throws Exception {
        client.launch(2, jar("if (rank == 1) System.exit(42); Thread.sleep(600_000);"));
        assertEquals(new JobEnd(42, "rank 1 on node b called System.exit: status=42"), done(new HashMap<>()));
        nothingIsLeft();
    }

    @Test
    void shouldEndRanksThatComputeWhenTheClientVanishes() throws Exception {
        client.launch(2, jar("System.out.println(\"on\"); long n = 0; while (true) n++;"));
        assertEquals(List.of("on\n", "on\n"), Stream.of(client.nextOutput(), client.nextOutput())
            .map(p -> new String(p.bytes(), StandardCharsets.UTF_8)).toList());
        client.disconnect();
        nothingIsLeft();
    }

    @Test
    void shouldFailWhenTheProgramHasNoSuchClass() throws Exception {
        final Path jar = jar("");
        client
            .launch(new RunRequest(2, RunRequest.Mapping.BLOCK, List.of(), "Nowhere", List.of(), List.of(ProgramFiles.describe(jar)), Map.of(), null,
                0, "x", "me", Map.of(), false, false, null), ProgramFiles.stream(List.of(jar)));
        final JobEnd done = done(new HashMap<>());
        assertEquals(1, done.status());
        assertTrue(done.text().contains("Nowhere"), done.text());
        nothingIsLeft();
    }

    @Test
    void shouldNameTheNodeWhenTheProgramIsNotAJar() throws Exception {
        client.launch(2, Files.write(dir.resolve("bad.jar"), new byte[100]));
        final JobEnd done = done(new HashMap<>());
        assertEquals(1, done.status());
        assertTrue(done.text().matches("node [ab]: .+"), done.text());
        nothingIsLeft();
    }
}
