package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests jobs over UCX, by its transport for TCP, where the system has the library: Debian's package libucx0. */
@Tag("nightly")
@Timeout(value = 900, unit = TimeUnit.SECONDS)
class UcxIT {
    private static final Map<String, String> UCX = Map.of("UCX_TLS", "tcp,self", "UCX_NET_DEVICES", "lo");

    @TempDir
    private Path dir;

    private static Map<String, String> environment(final String transports) {
        final Map<String, String> all = new HashMap<>(UCX);
        all.put("TUTTI_DAEMON_OPTS", TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS") + " -Dtutti.transports=" + transports);
        return all;
    }

    @BeforeEach
    void assumeLibrary() throws Exception {
        try (Stream<Path> folders = Stream.of("/usr/lib", "/usr/lib64", "/lib").map(Path::of).filter(Files::isDirectory)) {
            boolean found = false;
            for (final Path folder : folders.toList()) {
                try (Stream<Path> files = Files.walk(folder, 2)) {
                    found |= files.anyMatch(f -> f.getFileName().toString().startsWith("libucp.so.0"));
                }
            }
            assumeTrue(found, "libucp is missing: install package libucx0");
        }
    }

    @Test
    void shouldCarryJobsThatNameItAndEndThemWhenAJvmIsKilled() throws Exception {
        TuttiScript.writeProgram(dir, "Exchange", """
            int other = 1 - rank;
            for (int bytes : new int[] {0, 1, 4_000, 32 * 1024 + 1, 100_000, 3_000_001}) {
                byte[] sent = new byte[bytes];
                byte[] expected = new byte[bytes];
                byte[] received = new byte[bytes];
                new java.util.Random(rank + bytes).nextBytes(sent);
                new java.util.Random(other + bytes).nextBytes(expected);
                MPI.COMM_WORLD.sendRecv(sent, bytes, MPI.BYTE, other, 7, received, bytes, MPI.BYTE, other, 7);
                java.nio.ByteBuffer into = MPI.newByteBuffer(bytes);
                MPI.COMM_WORLD.sendRecv(MPI.newByteBuffer(bytes).put(sent).flip(), bytes, MPI.BYTE, other, 8, into, bytes, MPI.BYTE, other, 8);
                byte[] copied = new byte[bytes];
                into.get(0, copied);
                if (!java.util.Arrays.equals(expected, received) || !java.util.Arrays.equals(expected, copied)) { System.exit(9); }
            }
            if (rank == 0) { System.out.println("exchanged"); }""");
        TuttiScript.writeProgram(dir, "Waits", """
            System.out.println("rank " + rank + " pid " + ProcessHandle.current().pid());
            MPI.COMM_WORLD.recv(new int[1], 1, MPI.INT, 1 - rank, 1);""");
        TuttiScript.compile(dir, "Exchange");
        TuttiScript.compile(dir, "Waits");
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, environment("ucx"), "--name", "a");
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, environment("ucx"), "--name", "b", "--join", a.address)) {
            assertEquals("b", CommandInJvm.run("nodes", "--connect", b.address).out().lines().skip(2).findFirst().orElseThrow().substring(0, 1));
            for (final String program : List.of("Exchange", "Exchange")) {
                final TuttiScript.Result r =
                    CommandInJvm.run("run", "--connect", a.address, "-n", "2", "-p", "transport=ucx", "--timeout", "300", "--cp",
                        dir.toString(), program);
                assertEquals(List.of(0, "exchanged\n"), List.of(r.status(), r.out()), r::toString);
            }
            final String explained = CommandInJvm.run("explain", "--connect", a.address, "-n", "2", "-p", "transport=ucx,tcp", "barrier").out();
            assertTrue(explained.contains("  links between nodes: ucx\n"), explained);
            final CommandInJvm.Running waiting = CommandInJvm.start("run", "--connect", a.address, "-n", "2", "--ranks-per-jvm", "1", "-p",
                "transport=ucx", "--timeout", "300", "--cp", dir.toString(), "Waits");
            final String line = waiting.lines(2, Duration.ofSeconds(300)).getFirst();
            ProcessHandle.of(Long.parseLong(line.substring(line.lastIndexOf(' ') + 1))).orElseThrow().destroyForcibly();
            final TuttiScript.Result r = waiting.end();
            assertTrue(r.status() != 0 && r.status() != 124, r::toString);
        }
    }

    @Test
    void shouldRefuseATransportThatTheDistributionDoesNotHave() throws Exception {
        final TuttiScript.Result r = TuttiScript.run(dir, environment("ib"), "daemon", "--name", "a");
        assertEquals(2, r.status(), r::toString);
        assertTrue(
            r.err().startsWith("tutti: the distribution has no such transport: tutti.transports=ib: tutti.runtime.transport.ib.jar is missing in "),
            r.err());
    }

    @Test
    void shouldSayWhetherTheFabricWorks() throws Exception {
        final ProcessBuilder builder = new ProcessBuilder(ProjectPaths.DIR.resolve("bench/fabric").toString(), "--calls", "20", "--max", "1M");
        builder.environment().putAll(UCX);
        final TuttiScript.Result r = TuttiScript.finish(builder.start(), System.nanoTime());
        assertEquals(0, r.status(), r::toString);
        assertTrue(r.out().lines().toList().getLast().startsWith("fabric: "), r.out());
    }
}
