package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that ranks on two nodes which wait for each other are told and end their job: two receives, a wrong tag, a rank that misses a barrier. The
 * jobs, which mostly wait, run at the same time.
 */
@Tag("nightly")
@Timeout(value = 720, unit = TimeUnit.SECONDS)
@Execution(ExecutionMode.CONCURRENT)
class StallIT {
    private static final int DEADLOCK = 8;
    private static final int TIMEOUT = 124;
    /** Seconds after which jobs are ended that wait for their limit: they begin beside others. */
    private static final String LIMIT = "45";
    /** The program of which a test asks while others run. */
    private static final String ASKED = "Asked";

    @TempDir
    private static Path dir;
    private static TuttiScript.Daemon a;
    private static TuttiScript.Daemon b;

    @BeforeAll
    static void start() throws Exception {
        a = new TuttiScript.Daemon(dir, "--name", "a");
        b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address);
        for (final String name : List.of("Waits", ASKED)) {
            program(name);
        }
        // loads what all jobs share
        final TuttiScript.Result first = CommandInJvm.run(line(2, "left"));
        assertEquals(0, first.status(), first::toString);
    }

    private static void program(final String name) throws Exception {
        TuttiScript.writeProgram(dir, name, """
            int[] data = {rank};
            switch (args[0]) {
                case "recv" -> MPI.COMM_WORLD.recv(data, 1, MPI.INT, 1 - rank, 5);
                case "tag" -> {
                    if (rank == 0) { MPI.COMM_WORLD.send(data, 1, MPI.INT, 1, 6); } else { MPI.COMM_WORLD.recv(data, 1, MPI.INT, 0, 5); }
                }
                case "barrier" -> {
                    if (rank != 1) { MPI.COMM_WORLD.barrier(); } else { MPI.COMM_WORLD.recv(data, 1, MPI.INT, 0, 5); }
                }
                case "types" -> {
                    if (rank == 0) { MPI.COMM_WORLD.send(new int[2], 2, MPI.INT, 1, 6); }
                    if (rank == 1) { MPI.COMM_WORLD.recv(new float[2], 2, MPI.FLOAT, 0, 6); }
                }
                case "misses" -> {
                    if (rank != 1) { MPI.COMM_WORLD.barrier(); }
                }
                case "locks" -> {
                    if (rank == 2) { MPI.COMM_WORLD.recv(data, 1, MPI.INT, 0, 5); }
                    if (rank == 1) { MPI.COMM_WORLD.barrier(); }
                    synchronized ("a literal") {
                        if (rank == 0) { MPI.COMM_WORLD.send(data, 1, MPI.INT, 2, 5); }
                        if (rank != 1) { MPI.COMM_WORLD.barrier(); }
                    }
                }
                case "pool" -> {
                    java.util.concurrent.Executors.newFixedThreadPool(1).submit(() -> 1).get();
                    MPI.COMM_WORLD.recv(data, 1, MPI.INT, 1 - rank, 5);
                }
                case "thread" -> {
                    Thread t = new Thread(() -> { try { Thread.sleep(100_000); } catch (InterruptedException e) { return; } });
                    t.start();
                    MPI.COMM_WORLD.recv(data, 1, MPI.INT, 1 - rank, 5);
                }
                case "joins" -> {
                    Thread t = new Thread(() -> {
                        try { MPI.COMM_WORLD.recv(data, 1, MPI.INT, 1 - rank, 5); } catch (MPIException e) { throw new IllegalStateException(e); }
                    });
                    t.start();
                    t.join();
                }
                case "closes" -> {
                    try (var pool = java.util.concurrent.Executors.newFixedThreadPool(1)) {
                        pool.submit(() -> MPI.COMM_WORLD.recv(data, 1, MPI.INT, 1 - rank, 5)).get();
                    }
                }
                case "root" -> {
                    if (rank == 0) { MPI.COMM_WORLD.bcast(data, 1, MPI.INT, 0); }
                }
                case "dup" -> { if (rank == 0) { MPI.COMM_WORLD.dup(); } else { MPI.COMM_WORLD.barrier(); } }
                case "createIntercomm" -> {
                    if (rank == 0) { MPI.COMM_WORLD.createIntercomm(MPI.COMM_SELF, 0, 1, 7); } else { MPI.COMM_WORLD.barrier(); }
                }
                case "disconnect" -> {
                    Intracomm own = MPI.COMM_WORLD.dup();
                    if (rank == 0) { own.iRecv(MPI.newIntBuffer(1), 1, MPI.INT, 1, 7); own.disconnect(); } else { MPI.COMM_WORLD.barrier(); }
                }
                case "start" -> {
                    Prequest prepared = MPI.COMM_WORLD.barrierInit();
                    if (rank == 0) { prepared.start(); prepared.waitFor(); } else { MPI.COMM_WORLD.barrier(); }
                }
                case "windows" -> {
                    Win win = new Win(MPI.newByteBuffer(8), 8, 1, new Info(), MPI.COMM_WORLD);
                    win.setName("halo");
                    win.lock(MPI.LOCK_EXCLUSIVE, rank, 0);
                    MPI.COMM_WORLD.barrier();
                    win.lock(MPI.LOCK_SHARED, 1 - rank, 0);
                }
                case "file" -> {
                    String path = java.nio.file.Path.of(args[1]).toString();
                    mpi.File file = new mpi.File(MPI.COMM_WORLD, path, MPI.MODE_RDWR | MPI.MODE_CREATE);
                    if (rank == 0) { file.writeAll(data, 1, MPI.INT); } else { MPI.COMM_WORLD.recv(data, 1, MPI.INT, 0, 5); }
                }
                case "server" -> {
                    String port = rank == 0 ? Intracomm.openPort() : "";
                    if (rank == 0) { Intracomm.publishName("stall", port); }
                    MPI.COMM_WORLD.accept(port, 0).disconnect();
                }
                case "client" -> MPI.COMM_WORLD.connect(rank == 0 ? Intracomm.lookupName("stall") : "", 0).disconnect();
                case "pushed" -> Grequest.start(s -> {}, s -> java.nio.file.Files.exists(s), (s, status) -> {}, s -> {},
                    java.nio.file.Path.of(args[1])).waitFor();
                case "late" -> {
                    MPI.Finalize();
                    if (rank == 0) { Thread.sleep(100_000); }
                    System.exit(0);
                }
                case "computes" -> {
                    if (rank == 0) { Thread.sleep(3000); }
                    MPI.COMM_WORLD.barrier();
                }
                default -> {
                    if (rank == 0) { MPI.COMM_WORLD.send(data, 1, MPI.INT, 1, 6); }
                }
            }""");
        final Path source = dir.resolve(name + ".java");
        Files.writeString(source, Files.readString(source).replace("MPI.Init(args)",
            "MPI.InitThread(args, args[0].equals(\"joins\") || args[0].equals(\"closes\") ? MPI.THREAD_MULTIPLE : MPI.THREAD_SINGLE)"));
        TuttiScript.compile(dir, name);
    }

    @AfterAll
    static void stop() {
        b.close();
        a.close();
    }

    private static String[] line(final int ranks, final String how, final String... options) {
        return line("Waits", ranks, how, options);
    }

    private static String[] line(final String program, final int ranks, final String how, final String... options) {
        final List<String> line = new ArrayList<>(List.of("run", "--connect", a.address, "-n", Integer.toString(ranks), "--map", "cyclic", "--cp",
            dir.toString()));
        line.addAll(List.of(options));
        line.addAll(List.of(program, how));
        return line.toArray(String[]::new);
    }

    /** Runs a job that cannot go on, and asserts its report but for job ids, lines and times. */
    private static void assertDeadlock(final int ranks, final String how, final String report) throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(line(ranks, how, "-p", "stall=1s"));
        assertEquals(DEADLOCK, r.status(), r::toString);
        assertEquals(report, r.err().replaceAll("job \\S+ was", "job J was").replaceAll("java:\\d+\\)", "java:N)")
            .replaceAll(", for \\d+ s", ", for N s").replaceAll("String@\\p{XDigit}+", "String@X"));
    }

    @Test
    void shouldTellOfTwoRanksThatReceiveFromEachOther() throws Exception {
        assertDeadlock(2, "recv", """
            tutti: job J was ended: 2 ranks wait for what cannot come
            rank 0 on node a waits in recv for a message of rank 1, tag 5, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            rank 1 on node b waits in recv for a message of rank 0, tag 5, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            cycle: 0 -> 1 -> 0
            """);
    }

    @Test
    void shouldTellWhoHoldsTheLocksOfAWindow() throws Exception {
        assertDeadlock(2, "windows", """
            tutti: job J was ended: 2 ranks wait for what cannot come
            rank 0 on node a waits in lock for a lock on the memory of rank 1, halo, which is held by rank 1, at Waits.main(Waits.java:N), for N s
            rank 1 on node b waits in lock for a lock on the memory of rank 0, halo, which is held by rank 0, at Waits.main(Waits.java:N), for N s
            cycle: 0 -> 1 -> 0
            rank 0 has windows: halo: epoch=lock {0}, its memory is locked by rank 0 alone, waiting: rank 1
            rank 1 has windows: halo: epoch=lock {1}, its memory is locked by rank 1 alone, waiting: rank 0
            """);
    }

    @Test
    void shouldTellWhoMissesACollectiveAccessToAFile() throws Exception {
        final Path file = dir.resolve("missed");
        final TuttiScript.Result r = CommandInJvm.run(Stream.concat(Stream.of(line(2, "file", "-p", "stall=1s")), Stream.of(file.toString()))
            .toArray(String[]::new));
        assertEquals(DEADLOCK, r.status(), r::toString);
        assertTrue(r.err().contains("rank 0 on node a waits in writeAll for rank 1, file " + file + ", at Waits.main("), r::toString);
    }

    @Test
    void shouldTellOfAMessageWithAnotherTag() throws Exception {
        assertDeadlock(2, "tag", """
            tutti: job J was ended: 2 ranks wait for what cannot come
            rank 0 on node a waits in Finalize for rank 1, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            rank 1 on node b waits in recv for a message of rank 0, tag 5, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            cycle: 0 -> 1 -> 0
            rank 1 has not received: 4 bytes of rank 0, tag 6, MPI_COMM_WORLD
            """);
    }

    @Test
    void shouldTellWhoMissesABarrier() throws Exception {
        assertDeadlock(3, "barrier", """
            tutti: job J was ended: 3 ranks wait for what cannot come
            rank 0 on node a waits in barrier for rank 1, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            rank 1 on node b waits in recv for a message of rank 0, tag 5, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            rank 2 on node a waits in barrier for rank 1, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            cycle: 0 -> 1 -> 0
            """);
    }

    @Test
    void shouldTellWhoMissesABarrierAndFinalizes() throws Exception {
        assertDeadlock(3, "misses", """
            tutti: job J was ended: 3 ranks wait for what cannot come
            rank 0 on node a waits in barrier for rank 1, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            rank 1 on node b waits in Finalize for ranks 0, 2, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            rank 2 on node a waits in barrier for rank 1, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            cycle: 0 -> 1 -> 0
            """);
    }

    /** Ranks of one JVM share the monitor of a literal. */
    @Test
    void shouldTellWhoHoldsTheLockThatARankIsBlockedOn() throws Exception {
        assertDeadlock(3, "locks", """
            tutti: job J was ended: 3 ranks wait for what cannot come
            rank 0 on node a waits in barrier for rank 2, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            rank 1 on node b waits in barrier for rank 2, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            rank 2 on node a is blocked on java.lang.String@X held by rank 0, at Waits.main(Waits.java:N)
            cycle: 0 -> 2 -> 0
            """);
    }

    @Test
    void shouldTellOfRanksThatHaveThreadsWithoutWork() throws Exception {
        assertDeadlock(2, "pool", """
            tutti: job J was ended: 2 ranks wait for what cannot come
            rank 0 on node a waits in recv for a message of rank 1, tag 5, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            rank 1 on node b waits in recv for a message of rank 0, tag 5, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            cycle: 0 -> 1 -> 0
            """);
    }

    @ParameterizedTest
    @CsvSource({"joins,lambda$main$2(Waits.java:N)", "closes,lambda$main$3(Waits.java:N)"})
    void shouldTellOfRanksWhoseMainThreadsWaitForOtherThreadsThatReceive(final String how, final String at) throws Exception {
        assertDeadlock(2, how, """
            tutti: job J was ended: 2 ranks wait for what cannot come
            rank 0 on node a waits in recv for a message of rank 1, tag 5, MPI_COMM_WORLD, at Waits.AT, for N s
            rank 1 on node b waits in recv for a message of rank 0, tag 5, MPI_COMM_WORLD, at Waits.AT, for N s
            cycle: 0 -> 1 -> 0
            """.replace("AT", at));
    }

    /** Rank 0 creates or ends a communicator in a call, and rank 1 waits in another one. */
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource(delimiter = '|', value = {
        "dup             | dup for rank 1 to create a communicator, MPI_COMM_WORLD",
        "createIntercomm | createIntercomm for rank 1 to create an intercommunicator, tag 7, MPI_COMM_WORLD",
        "disconnect      | disconnect for messages of rank 1 or to them, which are pending, comm 2",
        "start           | waitFor for rank 1 to start a persistent collective, MPI_COMM_WORLD"})
    void shouldTellOfARankThatCreatesACommunicatorWhileAnotherIsInAnotherCall(final String how, final String wait) throws Exception {
        assertDeadlock(2, how, """
            tutti: job J was ended: 2 ranks wait for what cannot come
            rank 0 on node a waits in WAIT, at Waits.main(Waits.java:N), for N s
            rank 1 on node b waits in barrier for rank 0, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            cycle: 0 -> 1 -> 0
            """.replace("WAIT", wait));
    }

    @Test
    void shouldSayThatAServerWaitsForAnotherJobAndNotEndIt() throws Exception {
        final CommandInJvm.Running server = CommandInJvm.start(line(2, "server", "-p", "stall=500ms"));
        server.awaitError("waits for another job");
        final TuttiScript.Result client = CommandInJvm.run(line(2, "client"));
        assertEquals(0, client.status(), client::toString);
        final TuttiScript.Result r = server.end();
        assertEquals(0, r.status(), r::toString);
        assertEquals("""
            tutti: job J waits for another job
            rank 0 on node a waits in accept for another job to connect to its port, at Waits.main(Waits.java:N), for N s
            rank 1 on node b waits in accept for rank 0 to create a communicator, MPI_COMM_WORLD, at Waits.main(Waits.java:N), for N s
            """, r.err().replaceAll("job \\S+ waits", "job J waits").replaceAll("java:\\d+\\)", "java:N)")
            .replaceAll(", for \\d+ s", ", for N s").replaceAll("String@\\p{XDigit}+", "String@X"));
    }

    @Test
    void shouldSayThatAllRanksWaitForWhatMayComeAndNotEndThem() throws Exception {
        final Path end = dir.resolve("end");
        final CommandInJvm.Running job =
            CommandInJvm.start(Stream.concat(Stream.of(line(2, "pushed", "-p", "stall=500ms")), Stream.of(end.toString()))
                .toArray(String[]::new));
        job.awaitError("makes no progress");
        Files.createFile(end);
        final TuttiScript.Result r = job.end();
        assertEquals(0, r.status(), r::toString);
        assertEquals("""
            tutti: job J makes no progress: all its ranks wait
            rank 0 on node a waits in waitFor for a generalized request, which the program completes, at Waits.main(Waits.java:N), for N s
            rank 1 on node b waits in waitFor for a generalized request, which the program completes, at Waits.main(Waits.java:N), for N s
            """, r.err().replaceAll("job \\S+ makes", "job J makes").replaceAll("java:\\d+\\)", "java:N)")
            .replaceAll(", for \\d+ s", ", for N s").replaceAll("String@\\p{XDigit}+", "String@X"));
    }

    @Test
    void shouldTellOfRanksThatSpin() throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(line(2, "recv", "-p", "stall=1s", "-p", "progress=spin"));
        assertEquals(DEADLOCK, r.status(), r::toString);
        assertTrue(r.err().contains("rank 1 on node b waits in recv for a message of rank 0, tag 5"), r::toString);
        assertTrue(r.err().endsWith("cycle: 0 -> 1 -> 0\n"), r::toString);
    }

    @Test
    void shouldTellOfARankOnANodeWhoseRanksHaveEnded() throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(line(2, "late", "--timeout", LIMIT));
        assertEquals(TIMEOUT, r.status(), r::toString);
        assertTrue(r.err().contains("rank 0 on node a has called MPI.Finalize, at Waits.main("), r::toString);
        assertTrue(r.err().endsWith("rank 1 on node b has ended\n"), r::toString);
    }

    @Test
    void shouldSayInFinalizeWhichRankHasMadeFewerCollectiveCalls() throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(line(3, "root"));
        assertEquals(1, r.status(), r::toString);
        assertTrue(r.err().contains("ranks have made different numbers of collective calls on MPI_COMM_WORLD before Finalize: rank 1: 0, rank 0: 1"),
            r::toString);
    }

    @Test
    void shouldSayThatRanksHaveOtherThreadsAtATimeLimit() throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(line(2, "thread", "-p", "stall=1s", "--timeout", LIMIT));
        assertEquals(TIMEOUT, r.status(), r::toString);
        assertTrue(r.err().replaceAll("java:\\d+", "java:N").contains("rank 1 on node b waits in recv for a message of rank 0, tag 5, "
            + "MPI_COMM_WORLD, at Waits.main(Waits.java:N), and has other threads that do not wait in MPI"), r::toString);
    }

    @Test
    void shouldNotEndAJobInWhichARankComputes() throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(line(3, "computes", "-p", "stall=500ms"));
        assertEquals("", r.complaints());
        assertEquals(0, r.status(), r::toString);
    }

    @Test
    void shouldTellWhatRanksDoAtATimeLimit() throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(line(2, "recv", "-p", "stall=off", "--timeout", LIMIT));
        assertEquals(TIMEOUT, r.status(), r::toString);
        assertTrue(r.err().contains("rank 1 on node b waits in recv for a message of rank 0, tag 5"), r::toString);
    }

    @Test
    void shouldTellWhatRanksDoWhenAsked() throws Exception {
        final CommandInJvm.Running job = CommandInJvm.start(line(ASKED, 2, "tag", "-p", "stall=off"));
        final String id = await().atMost(Duration.ofSeconds(60))
            .until(() -> CommandInJvm.run("ps", "--connect", b.address).out().lines().filter(l -> l.contains(ASKED)).findFirst(), Optional::isPresent)
            .orElseThrow().split(" ")[0];
        await().atMost(Duration.ofSeconds(60))
            .until(() -> CommandInJvm.run("ps", id, "--ranks", "--connect", b.address).out()
                .contains("rank 1 has not received: 4 bytes of rank 0, tag 6"));
        final String json = CommandInJvm.run("ps", id, "--ranks", "--json", "--connect", b.address).out();
        assertTrue(json.contains("\"unreceived\" : [ \"4 bytes of rank 0, tag 6"), json);
        assertEquals(0, CommandInJvm.run("cancel", id, "--connect", b.address).status());
        assertTrue(job.end().status() != 0);
        final TuttiScript.Result none = CommandInJvm.run("ps", id, "--ranks", "--connect", b.address);
        assertEquals("tutti: no such job: id=" + id + "; list them with: tutti ps\n", none.err());
    }

    @Test
    void shouldWarnOfAReceiveOfAnotherTypeThanWasSentWhenCallsAreChecked() throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(line(2, "types", "-p", "check=full"));
        assertEquals(0, r.status(), r::toString);
        assertEquals("tutti: warning: rank 1 on node b receives tag 6 of rank 0 on MPI_COMM_WORLD as float, sent as int\n", r.err());
        assertEquals("", CommandInJvm.run(line(2, "types")).complaints());
    }

    @Test
    void shouldTellOfAMessageThatNobodyReceived() throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(line(2, "left"));
        assertEquals(0, r.status(), r::toString);
        assertEquals("tutti: rank 1 did not receive a message before MPI.Finalize: 4 bytes from rank 0, tag 6, MPI_COMM_WORLD\n", r.err());
    }
}
