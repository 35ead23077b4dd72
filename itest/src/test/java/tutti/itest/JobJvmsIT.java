package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests job JVMs: which job gets which, how many a job has, that a job which harms its JVM ends alone, and that no JVM is left behind.
 * {@link HostileProgramsIT} has more programs that harm their JVM. Profile {@code soak} runs all of them.
 */
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class JobJvmsIT {
    private static final int TIMEOUT = 124;
    /** Number of harmful programs that run by default. */
    private static final int FEW = 4;
    private static final int DEADLOCK = 8;
    private static final int CANCELLED = 7;
    private static final String LIMITS = " -Dtutti.node.job.heap=160m -Dtutti.node.job.direct=32m -Dtutti.node.job.files=300"
        + " -Dtutti.node.job.threads=400 -Dtutti.node.job.cpu=1";

    @TempDir
    private static Path dir;
    private static Path programs;
    private static TuttiScript.Daemon a;
    private static TuttiScript.Daemon b;

    @BeforeAll
    static void start() throws Exception {
        programs = Files.createDirectory(dir.resolve("programs"));
        program("Sum", """
            int[] sum = {rank + 1};
            MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
            double[] large = new double[100_000];
            java.util.Arrays.fill(large, rank);
            MPI.COMM_WORLD.bcast(large, large.length, MPI.DOUBLE, size - 1);
            byte[] all = new byte[size];
            MPI.COMM_WORLD.allGather(new byte[] {(byte) rank}, 1, MPI.BYTE, all, 1, MPI.BYTE);
            System.out.println("sum " + sum[0] + ", last " + large[99_999] + ", all " + java.util.Arrays.toString(all) + ", pid "
                + ProcessHandle.current().pid());""");
        program("Stays", """
            System.out.println("up " + ProcessHandle.current().pid());
            if (args[0].equals("spins") && rank == size - 1) {
                for (int i = 0; i < 3; i++) { new Thread(() -> { while (true) { Thread.onSpinWait(); } }).start(); }
                while (true) { try { while (true) { Thread.sleep(1); } } catch (Throwable e) { } }
            }
            if (args[0].equals("process")) {
                System.out.println("process " + new ProcessBuilder("sleep", "1000").start().pid());
            }
            if (rank == 0 && args[0].equals("reads")) { System.out.println("read " + new java.io.BufferedReader(
                new java.io.InputStreamReader(System.in)).readLine()); }
            if (rank != 1) { MPI.COMM_WORLD.barrier(); } else if (!args[0].equals("reads")) { MPI.COMM_WORLD.recv(new int[1], 1, MPI.INT, 0, 5); }
            if (rank == 1) { MPI.COMM_WORLD.barrier(); }""");
        program("Harms", """
            if (rank == 1) {
                switch (args[0]) {
                    case "crash" -> {
                        java.lang.reflect.Field f = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
                        f.setAccessible(true);
                        ((sun.misc.Unsafe) f.get(null)).putAddress(0, 0);
                    }
                    case "exit" -> System.class.getMethod("exit", int.class).invoke(null, 3);
                    case "halt" -> Runtime.class.getMethod("halt", int.class).invoke(Runtime.getRuntime(), 4);
                    case "heap" -> {
                        java.util.List<long[]> all = new java.util.ArrayList<>();
                        while (true) { all.add(new long[1 << 16]); }
                    }
                    case "direct" -> {
                        java.util.List<Object> all = new java.util.ArrayList<>();
                        while (true) { all.add(java.nio.ByteBuffer.allocateDirect(1 << 20)); }
                    }
                    case "files" -> {
                        java.util.List<Object> all = new java.util.ArrayList<>();
                        while (true) { all.add(new java.io.FileInputStream("/dev/null")); }
                    }
                    case "loop" -> {
                        while (true) { new Thread(() -> { while (true) { try { Thread.sleep(100_000); } catch (Throwable e) { } } }).start(); }
                    }
                    default -> {
                        for (int i = 0; i < 100_000; i++) {
                            new Thread(() -> { try { Thread.sleep(100_000); } catch (InterruptedException e) { } }).start();
                        }
                    }
                }
            }
            MPI.COMM_WORLD.barrier();""");
        program("Listens", """
            int port = Integer.parseInt(args[0]);
            java.net.ServerSocket socket = new java.net.ServerSocket(port);
            java.rmi.registry.LocateRegistry.createRegistry(Integer.parseInt(args[1])).rebind("left", (java.rmi.Remote)
                java.rmi.server.UnicastRemoteObject.exportObject(new java.rmi.Remote() { }, 0));
            System.out.println(socket.getLocalPort());""");
        program("Spawns", """
            Intercomm parent = Intercomm.getParent();
            String who = "parent ";
            if (parent.isNull()) {
                parent = MPI.COMM_WORLD.spawn("Spawns", new String[0], 2, MPI.INFO_NULL, 0, null);
            } else {
                who = "child ";
            }
            int[] got = {0};
            parent.allReduce(new int[] {rank + 1}, got, 1, MPI.INT, MPI.SUM);
            System.out.println(who + rank + " got " + got[0] + ", pid " + ProcessHandle.current().pid());
            parent.disconnect();""");
        programsOfSeveralJobs();
        a = daemon("a", LIMITS);
        b = daemon("b", LIMITS, "--join", a.address);
    }

    private static void programsOfSeveralJobs() throws Exception {
        program("Where", """
            int[] sum = {rank + 1};
            MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
            Comm node = MPI.COMM_WORLD.splitType(Comm.TYPE_SHARED, 0, MPI.INFO_NULL);
            int[] onNode = {rank};
            node.allReduce(onNode, 1, MPI.INT, MPI.SUM);
            System.out.println("rank " + rank + " on " + MPI.getNodeName() + ": sum " + sum[0] + ", " + node.getSize() + " ranks with sum "
                + onNode[0] + ", pid " + ProcessHandle.current().pid());""");
        program("Leaves", """
            switch (args[0]) {
                case "thread" -> {
                    Thread t = new Thread(() -> { while (true) { try { Thread.sleep(100_000); } catch (InterruptedException e) { } } });
                    t.setDaemon(true);
                    t.start();
                }
                case "property" -> System.setProperty("left", "behind");
                case "locale" -> java.util.Locale.setDefault(java.util.Locale.forLanguageTag("ar-EG-u-nu-arab"));
                case "bean" -> java.lang.management.ManagementFactory.getPlatformMBeanServer().registerMBean(
                    new javax.management.timer.Timer(), new javax.management.ObjectName("left:type=Timer"));
                case "process" -> new ProcessBuilder("sleep", "1000").start();
                case "class" -> java.security.Security.addProvider(new java.security.Provider("Left", "1", "left behind") { });
                default -> { }
            }
            System.out.println("pid " + ProcessHandle.current().pid());""");
        program("Meets", """
            Intercomm both;
            if (args[0].equals("accept")) {
                String port = rank == 0 ? Intracomm.openPort() : null;
                if (rank == 0) { Intracomm.publishName("meets", port); }
                both = MPI.COMM_WORLD.accept(port, 0);
                if (rank == 0) { Intracomm.unpublishName("meets", port); }
            } else {
                String port = null;
                MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
                while (rank == 0 && port == null) {
                    try { port = Intracomm.lookupName("meets"); } catch (MPIException e) { Thread.sleep(10); }
                }
                both = MPI.COMM_WORLD.connect(port, 0);
            }
            int[] got = {0};
            both.allReduce(new int[] {rank + 1}, got, 1, MPI.INT, MPI.SUM);
            System.out.println(args[0] + " got " + got[0]);
            both.disconnect();""");
    }

    private static void program(final String name, final String body) throws Exception {
        TuttiScript.writeProgram(programs, name, body);
        TuttiScript.compile(programs, name);
    }

    private static TuttiScript.Daemon daemon(final String name, final String options, final String... args) throws Exception {
        final List<String> line = new ArrayList<>(List.of("--name", name, "--dir", dir.resolve("node-" + name).toString()));
        line.addAll(List.of(args));
        return new TuttiScript.Daemon(dir, Map.of("TUTTI_DAEMON_OPTS", TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS") + options),
            line.toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        b.close();
        a.close();
    }

    private static String[] line(final TuttiScript.Daemon node, final int ranks, final String... args) {
        final List<String> line = new ArrayList<>(List.of("run", "--connect", node.address, "-n", Integer.toString(ranks), "--map", "node", "--cp",
            programs.toString()));
        line.addAll(List.of(args));
        return line.toArray(String[]::new);
    }

    private static TuttiScript.Result run(final int ranks, final String... args) throws Exception {
        return CommandInJvm.run(line(a, ranks, args));
    }

    /** Returns the pids that a program has printed. */
    private static List<Long> pids(final Collection<String> lines) {
        return List.copyOf(new TreeSet<>(lines.stream().map(l -> Long.valueOf(l.substring(l.lastIndexOf(' ') + 1))).toList()));
    }

    private static boolean isAlive(final long pid) {
        return ProcessHandle.of(pid).isPresent();
    }

    private static List<ProcessHandle> children(final TuttiScript.Daemon node) {
        return node.process.toHandle().descendants().toList();
    }

    /** Asserts that a job of somebody else runs. */
    private static void assertNextRuns() throws Exception {
        final TuttiScript.Result next = run(3, "Sum");
        assertEquals(0, next.status(), next::toString);
        assertEquals(3, next.out().lines().filter(l -> l.startsWith("sum 6, last 2.0, all [0, 1, 2], ")).count(), next::toString);
    }

    @Tag("nightly")
    @Test
    void shouldSaveAJobAndContinueItInOtherJvms() throws Exception {
        final String heat = ProjectPaths.DIR.resolve("examples/Heat.java").toString();
        final TuttiScript.Result saved = CommandInJvm.run("run", "--connect", a.address, "-n", "3", "-p", "checkpoint.every=150", "-p",
            "checkpoint.keep=on", heat);
        assertEquals(0, saved.status(), saved::toString);
        final String series = CommandInJvm.run("checkpoints", "--connect", b.address).out().lines().skip(1).findFirst().orElseThrow().split(" ")[0];
        final TuttiScript.Result continued = CommandInJvm.run("run", "--connect", a.address, "--map", "cyclic", "--restart", series, heat);
        assertEquals(0, continued.status(), continued::toString);
        assertTrue(continued.out().contains("continues with step 301\n") && continued.out().contains("the same as on one rank, to the last bit"),
            continued::toString);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "3, 2", "8, 2"})
    void shouldRunTheRanksOfANodeInOneJvmThatIsNotThatOfTheNode(final int ranks, final int nodes) throws Exception {
        final TuttiScript.Result r = run(ranks, "Sum");
        assertEquals(0, r.status(), r::toString);
        assertEquals(ranks, r.out().lines().filter(l -> l.startsWith("sum " + ranks * (ranks + 1) / 2 + ", last " + (ranks - 1) + ".0, ")).count(),
            r::toString);
        final List<Long> pids = pids(r.out().lines().toList());
        assertEquals(nodes, pids.size(), r::toString);
        assertFalse(pids.contains(a.process.pid()) || pids.contains(b.process.pid()), r::toString);
    }

    /** Returns the pids of the JVMs of a job that succeeds. */
    private static List<Long> pidsOf(final TuttiScript.Result r) {
        assertEquals(0, r.status(), r::toString);
        return pids(r.out().lines().toList());
    }

    @Test
    void shouldRunTheNextJobOfAnOwnerInTheSameJvms() {
        // a JVM is kept when it has been compared with its snapshot, a moment after its job has ended
        final Set<List<Long>> before = new HashSet<>();
        await().atMost(Duration.ofSeconds(120)).until(() -> !before.add(pidsOf(run(2, "Sum"))));
    }

    @Tag("nightly")
    @Test
    void shouldRunNoMoreJobsInAJvmThanTheNodeAllowsAndNoneOfAnotherOwner() throws Exception {
        final Path secrets = dir.resolve("secrets");
        assertEquals(0, CommandInJvm.run("secure", "init", "--dir", secrets.toString()).status());
        final Map<String, String> environment = Map.of("TUTTI_SECRET", secrets.resolve("node.secret").toString(), "TUTTI_DAEMON_OPTS",
            TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS") + " -Dtutti.node.jvms=2 -Dtutti.node.reuse=2");
        final List<List<Long>> all = List.of(new ArrayList<>(), new ArrayList<>());
        try (TuttiScript.Daemon d = new TuttiScript.Daemon(dir, environment, "--name", "d", "--dir", dir.resolve("node-d").toString())) {
            await().atMost(Duration.ofSeconds(120)).until(() -> {
                for (final String role : List.of("run", "change")) {
                    final TuttiScript.Result r = TuttiScript.run(dir, Map.of("TUTTI_SECRET", secrets.resolve(role + ".secret").toString()),
                        line(d, 1, "Sum"));
                    all.get(role.equals("run") ? 0 : 1).addAll(pidsOf(r));
                }
                return all.stream().allMatch(pids -> pids.size() > Set.copyOf(pids).size());
            });
        }
        assertEquals(List.of(), all.getFirst().stream().filter(all.getLast()::contains).toList(), all::toString);
        for (final List<Long> pids : all) {
            assertEquals(List.of(), pids.stream().filter(p -> pids.stream().filter(p::equals).count() > 2).toList(), all::toString);
        }
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(strings = {"thread", "property", "locale", "bean", "process", "class"})
    void shouldEndTheJvmOfAJobThatLeavesSomethingThere(final String what) throws Exception {
        final List<Long> pids = pidsOf(run(1, "Leaves", what));
        assertEquals(List.of(), pidsOf(run(1, "Leaves", "nothing")).stream().filter(pids::contains).toList());
        await().atMost(Duration.ofSeconds(60)).until(() -> pids.stream().noneMatch(JobJvmsIT::isAlive));
    }

    @Tag("nightly")
    @Test
    void shouldStartAJvmWhenAJobNeedsOneWhereNoneIsReady() throws Exception {
        try (TuttiScript.Daemon d = daemon("none", " -Dtutti.node.jvms=0")) {
            assertEquals(List.of(), children(d));
            final List<Long> first = pidsOf(CommandInJvm.run(line(d, 2, "Sum")));
            final List<Long> second = pidsOf(CommandInJvm.run(line(d, 2, "Sum")));
            assertEquals(2, Stream.concat(first.stream(), second.stream()).distinct().count());
            await().atMost(Duration.ofSeconds(60)).until(() -> children(d).isEmpty());
        }
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"1, 5", "2, 3", "3, 2", "all, 2"})
    void shouldRunAsManyRanksInAJvmAsTheJobWants(final String perJvm, final int jvms) throws Exception {
        final TuttiScript.Result r = run(5, "--ranks-per-jvm", perJvm, "Where");
        assertEquals(jvms, pidsOf(r).size(), r::toString);
        assertEquals(List.of("rank 0 on a: sum 15, 3 ranks with sum 6", "rank 1 on b: sum 15, 2 ranks with sum 4",
            "rank 2 on a: sum 15, 3 ranks with sum 6", "rank 3 on b: sum 15, 2 ranks with sum 4", "rank 4 on a: sum 15, 3 ranks with sum 6"),
            r.out().lines().map(l -> l.substring(0, l.indexOf(", pid"))).sorted().toList());
    }

    @Tag("nightly")
    @Test
    void shouldNameTheJvmOfSeveralThatHasEnded() throws Exception {
        final TuttiScript.Result r = run(4, "--ranks-per-jvm", "1", "--timeout", "60", "Harms", "crash");
        assertEquals(1, r.status(), r::toString);
        assertTrue(r.err().startsWith("tutti: node b/0: the JVM of job a-") && r.err().contains("native crash: SIGSEGV"), r::toString);
        assertNextRuns();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1.5", "some", "65537", ""})
    void shouldRefuseANumberOfRanksPerJvmThatIsNotAllowed(final String value) throws Exception {
        final TuttiScript.Result r = run(2, "--ranks-per-jvm=" + value, "Sum");
        assertEquals(2, r.status(), r::toString);
        assertEquals(1, r.err().lines().count(), r::toString);
        assertTrue(r.err().contains("ranks.per.jvm=" + value) && r.err().contains("allowed: all, or a number from 1 to 65536"), r::toString);
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(strings = {"1", "all"})
    void shouldRunTheRanksOfARunWithoutAClusterInAsManyJvmsAsItWants(final String perJvm) throws Exception {
        final TuttiScript.Result r = TuttiScript.run(dir, "run", "-n", "3", "--nodes", "1", "--ranks-per-jvm", perJvm, "--cp", programs.toString(),
            "Sum");
        assertEquals(3, r.out().lines().filter(l -> l.startsWith("sum 6, last 2.0, all [0, 1, 2], ")).count(), r::toString);
        final List<Long> pids = pidsOf(r);
        assertEquals(perJvm.equals("1") ? 3 : 1, pids.size(), r::toString);
        await().atMost(Duration.ofSeconds(60)).until(() -> pids.stream().noneMatch(JobJvmsIT::isAlive));
    }

    static Stream<Arguments> harms() {
        return Stream.of(
            Arguments.of("crash", "node b: the JVM of job .* has ended \\(pid=\\d+\\): native crash: SIGSEGV .*Unsafe.*"),
            Arguments.of("heap", "node b: the JVM of job .* has ended \\(pid=\\d+\\): out of memory: .*heap=160m; .*raise tutti.node.job.heap"),
            Arguments.of("exit", "node b: the JVM of job .* has ended \\(pid=\\d+\\): it ended with status 3.*"),
            Arguments.of("loop", "node b: the JVM of job .* has ended \\(pid=\\d+\\): too many threads: max=400; .*"),
            Arguments.of("halt", "node b: the JVM of job .* has ended \\(pid=\\d+\\): it ended with status 4.*"),
            Arguments.of("direct", "rank 1 on node b failed: java.lang.OutOfMemoryError: Cannot reserve .* limit: 33554432\\)"),
            Arguments.of("files", "rank 1 on node b failed: java.io.FileNotFoundException: /dev/null \\(Too many open files\\)"),
            Arguments.of("threads", "node b: the JVM of job .* has ended \\(pid=\\d+\\): too many threads: max=400; .*"))
            .limit(Boolean.getBoolean("tutti.hostile") ? Long.MAX_VALUE : FEW);
    }

    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("harms")
    void shouldEndTheJobAloneThatHarmsItsJvm(final String how, final String message) throws Exception {
        final long threads = DaemonInspector.threads(b).size();
        final TuttiScript.Result r = run(3, "--timeout", "60", "Harms", how);
        final String first = r.err().lines().findFirst().orElse("");
        assertTrue(first.matches("tutti: " + message), r::toString);
        assertNotEquals(0, r.status(), r::toString);
        assertNextRuns();
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            final long now = DaemonInspector.threads(b).size();
            assertTrue(now < threads + 16, () -> "threads before: " + threads + ", now: " + now);
        });
    }

    @Tag("nightly")
    @Test
    void shouldTellOfAKilledJvmWhileAnotherJobGoesOn() throws Exception {
        final CommandInJvm.Running other = CommandInJvm.start(line(a, 2, "Stays", "reads"));
        other.lines(2);
        final CommandInJvm.Running job = CommandInJvm.start(line(a, 2, "Stays", "process"));
        await().atMost(Duration.ofSeconds(60)).until(() -> job.lines(4).size() == 4);
        final List<Long> pids = pids(job.lines(4).stream().filter(l -> l.startsWith("up ")).toList());
        final List<Long> started = pids(job.lines(4).stream().filter(l -> l.startsWith("process ")).toList());
        final ProcessHandle ofB = children(b).stream().filter(c -> pids.contains(c.pid())).findFirst().orElseThrow();
        ofB.destroyForcibly();
        final TuttiScript.Result r = job.end();
        assertEquals(1, r.status(), r::toString);
        assertTrue(r.err().matches("(?s)tutti: node b: the JVM of job a-\\S+ has ended \\(pid=" + ofB.pid() + "\\): killed by signal 9: .*"),
            r::toString);
        // with what its program has started
        await().atMost(Duration.ofSeconds(60)).until(() -> Stream.concat(pids.stream(), started.stream()).noneMatch(JobJvmsIT::isAlive));
        other.in.write("line\n".getBytes());
        other.in.flush();
        final TuttiScript.Result r2 = other.end();
        assertEquals(0, r2.status(), r2::toString);
        assertTrue(r2.out().contains("read line\n"), r2::toString);
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveNoJvmWhenTheNodeStopsOrIsKilled(final boolean isKilled) throws Exception {
        final TuttiScript.Daemon c = daemon("c" + isKilled, " -Dtutti.node.jvms=2");
        final List<ProcessHandle> all;
        final CommandInJvm.Running job;
        try {
            job = CommandInJvm.start(line(c, 3, "Stays", "spins"));
            job.lines(3);
            await().atMost(Duration.ofSeconds(60)).until(() -> children(c).size() == 3);
            all = children(c);
            if (isKilled) {
                c.process.destroyForcibly();
            }
        } finally {
            c.close();
        }
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertEquals(List.of(), all.stream().filter(ProcessHandle::isAlive).toList()));
        assertNotEquals(0, job.end().status());
        assertFalse(!isKilled && Files.exists(dir.resolve("node-c" + isKilled).resolve("work").resolve("jvms").resolve("0")));
    }

    @Tag("nightly")
    @Test
    void shouldEndRanksThatResistWithTheTimeoutOfTheirJob() throws Exception {
        final TuttiScript.Result r = run(1, "--timeout", "4", "Stays", "spins");
        assertEquals(TIMEOUT, r.status(), r::toString);
        await().atMost(Duration.ofSeconds(60)).until(() -> pids(r.out().lines().toList()).stream().noneMatch(JobJvmsIT::isAlive));
    }

    @Tag("nightly")
    @Test
    void shouldTellWhatRanksDoAndFindTheirDeadlock() throws Exception {
        final CommandInJvm.Running job = CommandInJvm.start(line(a, 3, "-p", "stall=off", "Stays", "waits"));
        job.lines(3);
        final String id = CommandInJvm.run("ps", "--connect", a.address).out().lines().skip(1).findFirst().orElseThrow().split(" ")[0];
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            final TuttiScript.Result ps = CommandInJvm.run("ps", id, "--ranks", "--connect", b.address);
            assertTrue(ps.out().contains("rank 1 on node b waits in recv for a message of rank 0, tag 5"), ps::toString);
            assertTrue(ps.out().contains("rank 2 on node a waits in barrier for rank 1"), ps::toString);
        });
        assertEquals(0, CommandInJvm.run("cancel", id, "--connect", b.address).status());
        assertEquals(CANCELLED, job.end().status());
        final TuttiScript.Result stalled = run(3, "-p", "stall=1s", "Stays", "waits");
        assertEquals(DEADLOCK, stalled.status(), stalled::toString);
        assertTrue(stalled.err().contains("3 ranks wait for what cannot come"), stalled::toString);
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"all, 2", "1, 4"})
    void shouldSpawnIntoTheJvmsOfTheParentsUnlessEachRankHasItsOwn(final String perJvm, final int jvms) throws Exception {
        final TuttiScript.Result spawned = run(2, "--ranks-per-jvm", perJvm, "Spawns");
        assertEquals(jvms, pidsOf(spawned).size(), spawned::toString);
        assertEquals(List.of("child 0 got 3", "child 1 got 3", "parent 0 got 3", "parent 1 got 3"),
            spawned.out().lines().map(l -> l.substring(0, l.indexOf(", pid"))).sorted().toList());
    }

    @Tag("nightly")
    @Test
    void shouldConnectJobs() throws Exception {
        final CommandInJvm.Running accepts = CommandInJvm.start(line(a, 3, "Meets", "accept"));
        final CommandInJvm.Running connects = CommandInJvm.start(line(b, 2, "Meets", "connect"));
        final TuttiScript.Result accepted = accepts.end();
        final TuttiScript.Result connected = connects.end();
        assertEquals(List.of("accept got 3", "accept got 3", "accept got 3"), accepted.out().lines().toList(), accepted::toString);
        assertEquals(List.of("connect got 6", "connect got 6"), connected.out().lines().toList(), connected::toString);
    }

    @Tag("nightly")
    @Test
    void shouldLeaveNoPortOpenThatAProgramHasOpened() throws Exception {
        final int registry;
        try (java.net.ServerSocket free = new java.net.ServerSocket(0)) {
            registry = free.getLocalPort();
        }
        final TuttiScript.Result r = run(1, "Listens", "0", Integer.toString(registry));
        assertEquals(0, r.status(), r::toString);
        // the ports are closed with their JVM
        await().atMost(Duration.ofSeconds(60))
            .untilAsserted(() -> assertEquals(r.out(), run(1, "Listens", r.out().strip(), Integer.toString(registry)).out()));
    }

    @Test
    void shouldTraceTheRanksOfAllJvms() throws Exception {
        final Path file = dir.resolve("trace.json");
        final TuttiScript.Result r = run(3, "--trace", file.toString(), "Sum");
        assertEquals(0, r.status(), r::toString);
        final JsonNode trace = new ObjectMapper().readTree(file.toFile());
        assertEquals(3, trace.get("otherData").get("ranks").asInt());
        final Map<String, Long> calls = trace.findValuesAsText("name").stream().map(n -> n.split(" ")[0])
            .filter(Set.of("allreduce", "bcast", "allgather")::contains).collect(Collectors.groupingBy(n -> n, Collectors.counting()));
        assertEquals(Map.of("allreduce", 3L, "bcast", 3L, "allgather", 3L), calls, trace::toString);
    }

    @Test
    void shouldUseTheModulesOfTheNode() throws Exception {
        final Path ring = new ModuleBundles(dir).ring("9.0.0");
        assertEquals(0, CommandInJvm.run("install", "--no-verify", "--connect", a.address, ring.toString()).status());
        final TuttiScript.Result with = CommandInJvm.run(line(a, 3, "-p", "coll.bcast=ring", "Sum"));
        assertEquals(0, with.status(), with::toString);
        assertEquals(0, CommandInJvm.run("uninstall", "--connect", a.address, "ring").status());
        final TuttiScript.Result without = CommandInJvm.run(line(a, 3, "-p", "coll.bcast=ring", "Sum"));
        assertNotEquals(0, without.status(), without::toString);
        assertTrue(without.err().contains("ring"), without::toString);
    }

    @Tag("nightly")
    @Test
    void shouldSayWhyNoJvmCanBeStartedAndKeepTheNode() throws Exception {
        try (TuttiScript.Daemon d = daemon("d", " -Dtutti.node.job.heap=1k -Dtutti.node.jvms=0")) {
            final TuttiScript.Result r = CommandInJvm.run(line(d, 2, "Sum"));
            assertEquals(1, r.status(), r::toString);
            assertTrue(r.err().startsWith("tutti: node d: the node cannot start a JVM for the job: it ended with status 1: "), r::toString);
            final TuttiScript.Result nodes = CommandInJvm.run("nodes", "--connect", d.address);
            assertEquals(0, nodes.status(), nodes::toString);
            assertTrue(children(d).isEmpty());
        }
    }
}
