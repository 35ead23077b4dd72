package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a transport of a third party: builds the template of a transport, whose build runs the transport contract, puts its bundle into daemons
 * while they run, and runs jobs over it.
 */
@Tag("nightly")
@Timeout(value = 1_000, unit = TimeUnit.SECONDS)
class TransportIT {
    /** Bytes of data that each of the two ranks sends to the other. */
    private static final long EXCHANGED = 4 << 20;

    @TempDir
    private Path dir;

    private Path build() throws Exception {
        try (TemplateBuild build = new TemplateBuild(dir)) {
            final String printed = build.run(dir, """
                cp -r "$TUTTI"/examples/transport-template uds
                cd uds
                mvn -Dtutti.home="$TUTTI" clean verify
                """);
            assertTrue(printed.contains("Running com.example.transport.uds.UdsTransportTest"), printed);
            assertTrue(Pattern.compile("Tests run: 32, Failures: 0, Errors: 0, Skipped: 10\\n").matcher(printed).find(), printed);
        }
        return dir.resolve("uds/target/com.example.transport.uds.jar");
    }

    private TuttiScript.Daemon daemon(final String name, final String... more) throws Exception {
        final List<String> line = new ArrayList<>(List.of("--name", name, "--load", dir.resolve(name).toString()));
        line.addAll(List.of(more));
        return new TuttiScript.Daemon(dir, Map.of("TUTTI_LOG", "info"), line.toArray(String[]::new));
    }

    /** Waits until the nodes have the given transports. */
    private static void awaitTransports(final TuttiScript.Daemon daemon, final List<List<String>> expected) {
        await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(100)).untilAsserted(() -> {
            final var nodes = new ObjectMapper().readTree(CommandInJvm.run("info", "--json", "--connect", daemon.address).out());
            assertEquals(expected, nodes.findValues("transports").stream().map(t -> {
                final List<String> schemes = new ArrayList<>();
                t.forEach(s -> schemes.add(s.asText()));
                return schemes;
            }).toList());
        });
    }

    private String[] job(final TuttiScript.Daemon daemon, final int ranks, final String transport, final String program) {
        return new String[] {"run", "--connect", daemon.address, "-n", Integer.toString(ranks), "-p", "transport=" + transport, "--cp",
            dir.toString(), program};
    }

    private void assertFails(final int status, final String message, final String... command) throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(command);
        assertEquals(List.of(status, "tutti: " + message), List.of(r.status(), r.err().strip()));
    }

    private void assertRuns(final String... command) throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(command);
        assertEquals(0, r.status(), r::toString);
    }

    /** Returns the bytes that each link of a daemon sent over the transport. */
    private static List<Long> sent(final String log) {
        return Pattern.compile("UdsLink: link has ended: peer=\\S+, sent=(\\d+) bytes").matcher(log).results()
            .map(r -> Long.valueOf(r.group(1))).toList();
    }

    /** Writes the programs: messages of all lengths around the maximum length of a frame and one of many frames; a wait for standard input. */
    private void writePrograms() throws Exception {
        TuttiScript.writeProgram(dir, "Exchange", """
            int other = 1 - rank;
            for (int bytes : new int[] {0, 1, 32 * 1024 - 48, 32 * 1024, 32 * 1024 + 1, 64 * 1024 - 48, 64 * 1024, %d}) {
                byte[] sent = new byte[bytes];
                byte[] expected = new byte[bytes];
                byte[] received = new byte[bytes];
                new java.util.Random(rank + bytes).nextBytes(sent);
                new java.util.Random(other + bytes).nextBytes(expected);
                MPI.COMM_WORLD.sendRecv(sent, bytes, MPI.BYTE, other, 7, received, bytes, MPI.BYTE, other, 7);
                if (!java.util.Arrays.equals(expected, received)) { System.exit(9); }
            }""".formatted(EXCHANGED));
        TuttiScript.writeProgram(dir, "Waits", """
            if (rank == 0) {
                System.out.println("up");
                if (System.in.read() < 0) { Thread.sleep(Long.MAX_VALUE); }
            }
            MPI.COMM_WORLD.barrier();""");
        TuttiScript.compile(dir, "Exchange");
        TuttiScript.compile(dir, "Waits");
    }

    private Path load(final Path bundle, final String node) throws Exception {
        final Path copy = Files.copy(bundle, dir.resolve(node + ".tmp"));
        return Files.move(copy, dir.resolve(node).resolve(bundle.getFileName()), StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void shouldCarryJobsThatNameItAndFailOnlyThose() throws Exception {
        final Path bundle = build();
        writePrograms();
        final Future<String> printed;
        try (TuttiScript.Daemon a = daemon("a"); TuttiScript.Daemon b = daemon("b", "--join", a.address)) {
            assertFails(2, "no such transport: transport=uds; nodes a, b have shm, tcp; put its bundle into the --load folder of these nodes",
                job(a, 2, "uds", "Exchange"));
            load(bundle, "a");
            awaitTransports(a, List.of(List.of("shm", "tcp", "uds"), List.of("shm", "tcp")));
            assertFails(4,
                "transport uds is missing on node b: node b has shm, tcp; node a has shm, tcp, uds; put its bundle into the --load folder of node b, "
                    + "or use a transport of all nodes: transport=shm|tcp",
                job(a, 2, "uds", "Exchange"));
            final Path loaded = load(bundle, "b");
            awaitTransports(a, List.of(List.of("shm", "tcp", "uds"), List.of("shm", "tcp", "uds")));
            assertFails(2, "no such transport: transport=usd; nodes a, b have shm, tcp, uds; put its bundle into the --load folder of these nodes; "
                + "did you mean uds?", job(a, 2, "usd", "Exchange"));
            assertRuns(job(a, 2, "uds", "Exchange"));
            assertRuns(job(b, 2, "uds", "Exchange"));
            assertRuns(job(a, 2, "tcp", "Exchange"));

            final CommandInJvm.Running waiting = CommandInJvm.start(job(a, 2, "uds", "Waits"));
            final CommandInJvm.Running other = CommandInJvm.start(job(a, 2, "tcp", "Waits"));
            assertEquals(List.of("up"), waiting.lines(1));
            assertEquals(List.of("up"), other.lines(1));
            Files.delete(loaded);
            final TuttiScript.Result r = waiting.end();
            assertEquals(3, r.status(), r::toString);
            assertEquals("tutti: node b: transport uds was stopped while the job used it\n", r.err());
            other.in.write('\n');
            assertEquals(0, other.end().status());
            load(bundle, "b");
            awaitTransports(a, List.of(List.of("shm", "tcp", "uds"), List.of("shm", "tcp", "uds")));
            assertRuns(job(a, 2, "uds", "Exchange"));
            printed = a.err;
        }
        final String log = printed.get(60, TimeUnit.SECONDS);
        final List<Long> links = sent(log);
        assertEquals(4, links.size(), log);
        assertEquals(3, links.stream().filter(bytes -> bytes >= EXCHANGED).count(), log);
    }
}
