package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests jobs whose JVMs are linked by shared memory of the host: that they are by default, and that nothing of them is left in it. */
@Tag("nightly")
@Timeout(value = 1_200, unit = TimeUnit.SECONDS)
@EnabledOnOs(OS.LINUX)
class SharedMemoryIT {
    private static final int JOBS = Integer.getInteger("tutti.jobs.shared", 30);
    private static final Path MEMORY = Path.of("/dev/shm");

    @TempDir
    private static Path dir;
    private static TuttiScript.Daemon a;
    private static TuttiScript.Daemon b;
    /** What others have in the memory. */
    private static List<Path> before;

    @BeforeAll
    static void start() throws Exception {
        before = files();
        TuttiScript.writeProgram(dir, "Exchange", """
            int to = (rank + 1) % size;
            int from = (rank + size - 1) % size;
            for (int bytes : new int[] {0, 1, 30_000, 32 * 1024, 32 * 1024 + 1, 64 * 1024, 1 << 20, 5_000_001}) {
                byte[] sent = new byte[bytes];
                byte[] expected = new byte[bytes];
                new java.util.Random(rank + bytes).nextBytes(sent);
                new java.util.Random(from + bytes).nextBytes(expected);
                byte[] received = new byte[bytes];
                MPI.COMM_WORLD.sendRecv(sent, bytes, MPI.BYTE, to, 7, received, bytes, MPI.BYTE, from, 7);
                java.nio.ByteBuffer direct = MPI.newByteBuffer(bytes).put(sent).flip();
                java.nio.ByteBuffer into = MPI.newByteBuffer(bytes);
                MPI.COMM_WORLD.sendRecv(direct, bytes, MPI.BYTE, to, 8, into, bytes, MPI.BYTE, from, 8);
                byte[] copied = new byte[bytes];
                into.get(0, copied);
                if (!java.util.Arrays.equals(expected, received) || !java.util.Arrays.equals(expected, copied)) { System.exit(9); }
            }
            if (rank == 0) { System.out.println("exchanged"); }""");
        TuttiScript.writeProgram(dir, "Floods", """
            System.out.println("rank " + rank + " pid " + ProcessHandle.current().pid());
            MPI.COMM_WORLD.barrier();
            if (rank == 1) {
                while (true) { MPI.COMM_WORLD.send(new byte[10_000], 10_000, MPI.BYTE, 0, 1); }
            }
            Thread.sleep(Long.MAX_VALUE);""");
        TuttiScript.writeProgram(dir, "Connects", """
            MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
            if (args[0].equals("accepts")) {
                String port = rank == 0 ? Intracomm.openPort() : null;
                if (rank == 0) { Intracomm.publishName("shared", port); }
                Intercomm other = MPI.COMM_WORLD.accept(port, 0);
                int[] sum = {0};
                other.allReduce(new int[] {rank + 1}, sum, 1, MPI.INT, MPI.SUM);
                System.out.println("sum " + sum[0]);
                other.disconnect();
            } else {
                Intercomm other = null;
                while (other == null) {
                    try { other = MPI.COMM_WORLD.connect(Intracomm.lookupName("shared"), 0); } catch (MPIException e) { Thread.sleep(50); }
                }
                other.allReduce(new int[] {10}, new int[1], 1, MPI.INT, MPI.SUM);
                other.disconnect();
            }""");
        for (final String program : List.of("Exchange", "Floods")) {
            TuttiScript.compile(dir, program);
        }
        a = new TuttiScript.Daemon(dir, TuttiScript.SHORT_LIVED, "--name", "a");
        b = new TuttiScript.Daemon(dir, TuttiScript.SHORT_LIVED, "--name", "b", "--join", a.address);
    }

    @AfterAll
    static void stop() throws Exception {
        b.close();
        a.close();
        awaitNothingLeft();
    }

    private static List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(MEMORY)) {
            return all.filter(f -> f.getFileName().toString().matches("tutti-[0-9].*")).toList();
        }
    }

    /** Returns what is in the memory without a listener, or with one of this test's nodes: other tests run jobs at the same time. */
    private static List<Path> left() throws IOException {
        final List<Path> left = new ArrayList<>(files());
        left.removeAll(before);
        final Map<String, String> listening = new HashMap<>();
        for (final String line : Files.readAllLines(Path.of("/proc/net/unix"))) {
            final String[] words = line.strip().split(" +");
            listening.put(words[words.length - 1], words[6]);
        }
        final Set<String> own = ownSockets();
        left.removeIf(f -> {
            final String socket = listening.get(f.toString().replaceFirst("\\..*", ""));
            return socket != null && !own.contains(socket);
        });
        return left;
    }

    /** Returns the numbers of the sockets of this test's nodes and of their JVMs. */
    private static Set<String> ownSockets() {
        return Stream.of(a, b).map(d -> d.process.toHandle()).flatMap(p -> Stream.concat(Stream.of(p), p.descendants()))
            .flatMap(SharedMemoryIT::descriptors).map(SharedMemoryIT::target).collect(Collectors.toSet());
    }

    private static Stream<Path> descriptors(final ProcessHandle process) {
        try (Stream<Path> all = Files.list(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
            return all.toList().stream();
        } catch (final IOException | UncheckedIOException e) {
            return Stream.empty(); // the process has ended
        }
    }

    /** Returns the number of the socket of a descriptor, or another text. */
    private static String target(final Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().replaceFirst("^socket:\\[(\\d+)]$", "$1");
        } catch (final IOException e) {
            return ""; // the process has closed it
        }
    }

    private static void awaitNothingLeft() {
        await().atMost(Duration.ofSeconds(120)).untilAsserted(() -> assertEquals(List.of(), left()));
    }

    private static TuttiScript.Result run(final String... more) throws Exception {
        final List<String> line = new ArrayList<>(List.of("run", "--connect", a.address, "--timeout", "300", "--cp", dir.toString()));
        line.addAll(List.of(more));
        return CommandInJvm.run(line.toArray(String[]::new));
    }

    @Test
    void shouldLinkJvmsOfAHostBySharedMemoryAndSaySo() throws Exception {
        for (final List<String> job : List.of(List.of("-n", "2"), List.of("-n", "3", "--ranks-per-jvm", "1"))) {
            final List<String> line = new ArrayList<>(job);
            line.add("Exchange");
            final TuttiScript.Result r = run(line.toArray(String[]::new));
            assertEquals(List.of(0, "exchanged\n"), List.of(r.status(), r.out()), r::toString);
        }
        final String explained = CommandInJvm.run("explain", "--connect", a.address, "-n", "2", "barrier").out();
        assertTrue(explained.contains("  links between nodes: shm\n"), explained);
        final String overTcp = CommandInJvm.run("explain", "--connect", a.address, "-n", "2", "-p", "transport=tcp", "barrier").out();
        assertTrue(overTcp.contains("  links between nodes: tcp\n"), overTcp);
        final String info = CommandInJvm.run("info", "--connect", b.address).out();
        assertTrue(info.contains("  transports shm (with b), tcp\n") && info.contains("  transports shm (with a), tcp\n"), info);
        final String doctor = CommandInJvm.run("doctor", "--connect", a.address).out();
        assertTrue(doctor.contains("network: nodes a, b are linked by shm\n"), doctor);
        awaitNothingLeft();
    }

    @Test
    void shouldLeaveNothingOfManyJobs() throws Exception {
        for (int i = 0; i < JOBS; i++) {
            final TuttiScript.Result r = run("-n", "2", "Exchange");
            assertEquals(0, r.status(), r::toString);
        }
        awaitNothingLeft();
    }

    @Test
    void shouldEndAJobAtOnceAndLeaveNothingWhenAJvmIsKilledWithMessagesInTheRing() throws Exception {
        for (int killed = 0; killed < 2; killed++) {
            final CommandInJvm.Running job = CommandInJvm.start("run", "--connect", a.address, "-n", "2", "--ranks-per-jvm", "1", "--map", "slot",
                "--timeout", "300", "--cp", dir.toString(), "Floods");
            final List<String> lines = job.lines(2, Duration.ofSeconds(300));
            final String wanted = "rank " + killed + " pid ";
            final long pid = Long.parseLong(lines.stream().filter(l -> l.startsWith(wanted)).findFirst().orElseThrow().substring(wanted.length()));
            ProcessHandle.of(pid).orElseThrow().destroyForcibly();
            final TuttiScript.Result r = job.end();
            assertTrue(r.status() != 0 && r.status() != 124, r::toString);
            awaitNothingLeft();
        }
    }

    @Test
    void shouldUseTheNextTransportWhereTheMemoryIsFull() throws Exception {
        final Process possible = new ProcessBuilder("unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", MEMORY.toString())
            .redirectErrorStream(true).start();
        assumeTrue(possible.waitFor() == 0, "namespaces are refused");
        final String tutti = ProjectPaths.DIR.resolve("tutti").toString();
        final Process run = new ProcessBuilder("unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=64k tmpfs " + MEMORY + " && exec \"$@\"", "sh",
            tutti, "run", "-n", "2", "--ranks-per-jvm", "1", "--nodes", "1", "--timeout", "300", "--cp", dir.toString(), "Exchange")
            .directory(dir.toFile()).start();
        final TuttiScript.Result r = TuttiScript.finish(run, System.nanoTime());
        assertEquals(List.of(0, "exchanged\n"), List.of(r.status(), r.out()), r::toString);
    }

    @Test
    void shouldLinkConnectedAndSpawnedJobsAsOthers() throws Exception {
        TuttiScript.compile(dir, "Connects");
        final CommandInJvm.Running accepting = CommandInJvm.start("run", "--connect", a.address, "-n", "2", "--timeout", "300", "--cp",
            dir.toString(), "Connects", "accepts");
        final TuttiScript.Result connecting = run("-n", "1", "Connects", "connects");
        assertEquals(0, connecting.status(), connecting::toString);
        final TuttiScript.Result accepted = accepting.end();
        assertEquals(List.of(0, "sum 10\nsum 10\n"), List.of(accepted.status(), accepted.out()), accepted::toString);
        awaitNothingLeft();
    }

    @Test
    void shouldRefuseATransportThatNoNodeHasBesideOneThatAllHave() throws Exception {
        final TuttiScript.Result r = run("-n", "2", "-p", "transport=shm,udp", "Exchange");
        assertEquals(2, r.status(), r::toString);
        assertTrue(r.err().startsWith("tutti: no such transport: transport=udp; nodes a, b have shm, tcp; "), r.err());
    }
}
