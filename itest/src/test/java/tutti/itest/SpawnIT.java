package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests jobs that spawn others: on nodes that joined later, from classes, jars and sources, and without leftovers. Profile {@code soak} spawns 200
 * times.
 */
@Timeout(value = 1_600, unit = TimeUnit.SECONDS)
class SpawnIT {
    private static final String EXAMPLE = ProjectPaths.DIR.resolve("examples/SpawnWorkers.java").toString();

    /** Rounds after which everything that rounds share is loaded. */
    private static final int WARM_UP_ROUNDS = 3;
    private static final Pattern JOB = Pattern.compile("[ab]-\\d+-[0-9a-f]{4}");
    private static final int ROUNDS = Integer.getInteger("tutti.spawns", 20);

    @TempDir
    private static Path dir;
    private static Path programs;
    private static TuttiScript.Daemon a;
    private static TuttiScript.Daemon b;

    @BeforeAll
    static void start() throws Exception {
        a = new TuttiScript.Daemon(dir, "--name", "a", "--dir", dir.resolve("node-a").toString());
        b = new TuttiScript.Daemon(dir, "--name", "b", "--dir", dir.resolve("node-b").toString(), "--join", a.address);
        programs = Files.createDirectory(dir.resolve("programs"));
        programsOfOneTest();
        program("Child", """
            Intercomm parent = Intercomm.getParent();
            if (args.length > 0 && args[0].equals("fail")) { throw new IllegalStateException("boom"); }
            int[] got = {0};
            parent.allReduce(new int[] {rank + 1}, got, 1, MPI.INT, MPI.SUM);
            if (!MPI.COMM_WORLD.getAttr(MPI.APPNUM).equals(args.length > 0 && args[0].equals("source") ? 1 : 0)) { System.exit(7); }
            if (args.length > 0) { System.out.println(args[0] + " " + rank + " of " + size + " on " + MPI.getNodeName() + " got " + got[0]); }
            parent.disconnect();""");
        program("Parent", """
            Info info = new Info();
            if (!args[2].equals("-")) { info.set("host", args[2]); }
            if (args.length > 3) { info.set("soft", args[3]); }
            if (args.length > 4) { info.set(args[4], args[5]); }
            int children = Integer.parseInt(args[1]);
            if (rank == 0 && args[2].equals("c")) { System.out.println("up"); System.in.read(); }
            MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
            int[] codes = new int[children];
            try {
                Intercomm inter = MPI.COMM_WORLD.spawn(args[0], new String[] {"child"}, children, info, 0, codes);
                int[] got = {0};
                inter.allReduce(new int[] {rank + 1}, got, 1, MPI.INT, MPI.SUM);
                int n = inter.getRemoteSize();
                if (got[0] != n * (n + 1) / 2) { System.exit(9); }
                inter.disconnect();
            } catch (MPIException e) {
                System.out.println(rank + " failed: " + e.getMessage());
            }
            System.out.println("codes of " + rank + " " + java.util.Arrays.toString(codes));
            if (!Intercomm.getParent().isNull() || (int) MPI.COMM_WORLD.getAttr(MPI.UNIVERSE_SIZE) < 2) { System.exit(8); }""");
        program("Multiple", """
            Info[] infos = {new Info(), new Info()};
            infos[0].set("soft", "1,2");
            infos[1].set("path", "/no/such" + java.io.File.pathSeparator + args[0]);
            int[] codes = new int[4];
            Intercomm inter = MPI.COMM_WORLD.spawnMultiple(new String[] {"java", "Child.java"},
                new String[][] {{"-cp", "/no/such.jar", "-ea", "Child", "class"}, {"source"}},
                new int[] {3, 1}, infos, 1, codes);
            inter.allReduce(new int[] {rank + 1}, new int[1], 1, MPI.INT, MPI.SUM);
            if (rank == 0) { System.out.println(inter.getRemoteSize() + " started: " + java.util.Arrays.toString(codes)); }
            inter.disconnect();""");
        program("Rounds", """
            System.out.println("up " + ProcessHandle.current().pid());
            for (String rounds : args) {
                if (rank == 0) { System.in.read(); }
                for (int i = 0; i < Integer.parseInt(rounds); i++) {
                    Intercomm inter = MPI.COMM_WORLD.spawn("Child", new String[0], 3, MPI.INFO_NULL, 0, null);
                    int[] got = {0};
                    inter.allReduce(new int[] {rank + 1}, got, 1, MPI.INT, MPI.SUM);
                    if (got[0] != 6) { System.exit(9); }
                    inter.disconnect();
                }
                MPI.COMM_WORLD.barrier();
                if (rank == 0) { System.out.println("done"); }
            }
            if (rank == 0) { System.in.read(); }""");
        Files.writeString(programs.resolve("NoMpi.java"), "public class NoMpi { public static void main(String[] args) {} }");
        TuttiScript.compile(programs, "NoMpi");
        // the children outlive their parents, which wait for nobody, and notice it by an error
        program("Outlived", """
            Intercomm parent = Intercomm.getParent();
            if (parent.isNull()) {
                MPI.COMM_WORLD.spawn("Outlived", new String[0], 2, MPI.INFO_NULL, 0, null);
                System.out.println("parent " + rank + " ends");
            } else {
                parent.setErrhandler(MPI.ERRORS_RETURN);
                try {
                    parent.recv(new int[1], 1, MPI.INT, rank, 1);
                } catch (MPIException e) {
                    System.out.println("child " + rank + ": " + e.getMessage());
                }
                MPI.COMM_WORLD.barrier();
            }""");
        program("Sleeps", """
            if (Intercomm.getParent().isNull()) {
                MPI.COMM_WORLD.spawn("Sleeps", new String[0], 2, MPI.INFO_NULL, 0, null);
            } else {
                Thread.sleep(300_000);
            }""");
        program("Outlives", """
            Intercomm inter = MPI.COMM_WORLD.spawn("Child", new String[] {"fail"}, 2, MPI.INFO_NULL, 0, null);
            inter.setErrhandler(MPI.ERRORS_RETURN);
            try {
                inter.recv(new int[1], 1, MPI.INT, 1, 1);
            } catch (MPIException e) {
                System.out.println("parent " + rank + ": " + e.getMessage());
            }
            MPI.COMM_WORLD.barrier();""");
    }

    private static void programsOfOneTest() throws Exception {
        program("Placed", """
            Intercomm parent = Intercomm.getParent();
            if (parent.isNull()) {
                Info[] hosts = {new Info(), new Info(), new Info()};
                for (int i = 0; i < 3; i++) { hosts[i].set("host", args[i]); }
                MPI.COMM_WORLD.spawnMultiple(new String[] {"Placed", "Placed", "Placed"}, new String[3][0], new int[] {1, 1, 1}, hosts, 0, null)
                    .disconnect();
            } else {
                parent.disconnect();
                System.out.println(rank + " on " + MPI.getNodeName() + " with "
                    + MPI.COMM_WORLD.splitType(Comm.TYPE_SHARED, 0, MPI.INFO_NULL).getSize());
            }""");
        program("ByJava", """
            MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
            try {
                Intercomm inter = MPI.COMM_WORLD.spawn(args[0], java.util.Arrays.copyOfRange(args, 1, args.length), 3, MPI.INFO_NULL, 0, null);
                inter.allReduce(new int[] {rank + 1}, new int[1], 1, MPI.INT, MPI.SUM);
                inter.disconnect();
            } catch (MPIException e) {
                System.out.println(rank + " failed: " + e.getMessage());
            }""");
    }

    private static void program(final String name, final String body) throws Exception {
        TuttiScript.writeProgram(programs, name, body);
        TuttiScript.compile(programs, name);
    }

    @AfterAll
    static void stop() {
        Stream.of(b, a).forEach(TuttiScript.Daemon::close);
    }

    private static CommandInJvm.Running parent(final String... args) throws Exception {
        return CommandInJvm.start(ThreeNodeCluster.commandLine(a, "run", Stream.concat(Stream.of("-n", "2", "--cp", programs.toString(), "Parent"),
            Stream.of(args)).toArray(String[]::new)));
    }

    private static List<String> output(final CommandInJvm.Running job) throws Exception {
        final TuttiScript.Result r = job.end();
        assertEquals(0, r.status(), r::toString);
        return r.out().lines().sorted().toList();
    }

    @Test
    void shouldRunTheExample() throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(ThreeNodeCluster.commandLine(a, "run", "-n", "2", EXAMPLE));
        assertEquals(0, r.status(), r::toString);
        assertEquals(List.of("the sum of 1 to 1000000 is 500000500000", "worker 0 is rank 2 of 5", "worker 1 is rank 3 of 5",
            "worker 2 is rank 4 of 5"), r.out().lines().sorted().toList(), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldSpawnOnANodeThatJoinedAfterTheJobBegan() throws Exception {
        final CommandInJvm.Running job = parent("Child", "3", "c");
        assertEquals(List.of("up"), job.lines(1));
        try (TuttiScript.Daemon c = new TuttiScript.Daemon(dir, "--name", "c", "--join", a.address)) {
            job.in.write('\n');
            assertEquals(List.of("child 0 of 3 on c got 3", "child 1 of 3 on c got 3", "child 2 of 3 on c got 3", "codes of 0 [0, 0, 0]",
                "codes of 1 [0, 0, 0]", "up"), output(job));
            DaemonInspector.awaitJobsReleased(c);
        }
    }

    @Tag("nightly")
    @Test
    void shouldSpawnOnFreePlacesFirst() throws Exception {
        try (TuttiScript.Daemon z = new TuttiScript.Daemon(dir, Map.of("TUTTI_DAEMON_OPTS",
            TuttiScript.SHORT_LIVED.get("TUTTI_DAEMON_OPTS") + " -Dtutti.cores=2"), "--name", "z", "--join", a.address)) {
            // a and b have a core and a rank each, and z has two cores
            assertEquals(List.of("child 0 of 2 on z got 3", "child 1 of 2 on z got 3"), output(parent("Child", "4", "-", "1:4")).subList(0, 2));
            DaemonInspector.awaitJobsReleased(z);
        }
    }

    @Tag("nightly")
    @Test
    void shouldSpawnFromASourceFileAsManyAsThereArePlacesFor() throws Exception {
        // no place is free: the smallest number is started
        final List<String> printed = output(parent("Child.java", "4", "-", "2:4", "wdir", programs.toString()));
        assertEquals(List.of("codes of 0 [0, 0, 50, 50]", "codes of 1 [0, 0, 50, 50]"), printed.subList(2, 4));
        assertTrue(printed.stream().limit(2).allMatch(l -> l.matches("child \\d of 2 on [ab] got 3")), printed::toString);
    }

    @Tag("nightly")
    @Test
    void shouldSpawnFromAJar() throws Exception {
        final Path jar = dir.resolve("child.jar");
        assertEquals(0, ToolProvider.findFirst("jar").orElseThrow().run(System.out, System.err, "--create", "--file", jar.toString(),
            "--main-class", "Child", "-C", programs.toString(), "Child.class"));
        assertTrue(output(parent(jar.toString(), "1", "b")).contains("child 0 of 1 on b got 3"));
    }

    private static TuttiScript.Result byJava(final String... words) throws Exception {
        return CommandInJvm.run(ThreeNodeCluster.commandLine(a, "run", Stream.concat(Stream.of("-n", "2", "--cp", programs.toString(), "ByJava"),
            Stream.of(words)).toArray(String[]::new)));
    }

    @Tag("nightly")
    @Test
    void shouldSpawnWhatACommandLineOfJavaNames() throws Exception {
        final Path elsewhere = Files.createDirectories(dir.resolve("elsewhere"));
        TuttiScript.writeProgram(elsewhere, "Own", "int[] got = {0}; Intercomm parent = Intercomm.getParent(); "
            + "parent.allReduce(new int[] {1}, got, 1, MPI.INT, MPI.SUM); parent.disconnect(); boolean on = false; assert on = true; "
            + "System.out.println(args[0] + rank + System.getProperty(\"key\") + on + got[0]);");
        TuttiScript.compile(elsewhere, "Own");
        final TuttiScript.Result r = byJava("/usr/bin/java", "-Xmx1g", "-Dkey=value", "-ea:Own", "-cp", "/no/such.jar:" + elsewhere, "Own", "x");
        assertEquals(List.of("x0valuetrue3", "x1valuetrue3", "x2valuetrue3"), r.out().lines().sorted().toList(), r::toString);
        assertEquals("tutti: ignored, since ranks share the JVM of their node: -Xmx1g; start the node with them: TUTTI_DAEMON_OPTS\n", r.err());
        // a class of the program that spawns, whatever the class path of a host of the user
        final TuttiScript.Result child = byJava("java", "-classpath", ".", "Child", "y");
        assertEquals(3, child.out().lines().filter(l -> l.startsWith("y ")).count(), child::toString);
        final TuttiScript.Result source = byJava("java", "--enable-preview", elsewhere.resolve("Own.java").toString(), "z");
        assertTrue(source.out().contains("program needs preview features"), source::toString);
        assertTrue(byJava("java", "-version").out().contains("java -version runs no program"));
    }

    @Tag("nightly")
    @Test
    void shouldKnowTheNodesOfChildrenThatAreNotInTheOrderOfTheNodes() throws Exception {
        assertEquals(List.of("0 on b with 2", "1 on a with 1", "2 on b with 2"),
            output(CommandInJvm.start(ThreeNodeCluster.commandLine(a, "run", "-n",
                "2", "--cp", programs.toString(), "Placed", "b", "a", "b"))));
    }

    @Test
    void shouldSpawnSeveralPrograms() throws Exception {
        final CommandInJvm.Running job = CommandInJvm.start(ThreeNodeCluster.commandLine(a, "run", "-n", "2", "--cp", programs.toString(),
            "Multiple", programs.toString()));
        final List<String> printed = output(job);
        assertEquals(3, printed.size(), printed::toString);
        assertEquals("2 started: [0, 50, 50, 0]", printed.getFirst());
        assertTrue(printed.get(1).startsWith("class 0 of 2 on "), printed::toString);
        assertTrue(printed.get(2).startsWith("source 1 of 2 on "), printed::toString);
    }

    /** Groups of unequal size on two nodes: 3 parents and 2 children, then 2 and 5. */
    @ParameterizedTest
    @CsvSource({"3, 2, check=fast", "2, 5, check=full", "3, 4, coll.select=basic"})
    void shouldServeEveryCollectiveBetweenParentsAndChildren(final int parents, final int children, final String parameter) throws Exception {
        assertEquals(List.of(children + " with " + parents, parents + " with " + children).stream().sorted().toList(),
            output(CommandInJvm.start(ThreeNodeCluster.commandLine(a, "run", "-n", Integer.toString(parents), "-p", parameter, "--cp",
                ProjectPaths.testPrograms(), "programs.MeetingGroups", "spawn", Integer.toString(children)))));
    }

    @Tag("nightly")
    @Test
    void shouldTellAllRanksWhyNothingWasSpawned() throws Exception {
        final String failed = "[01] failed: ";
        assertFailed(failed + ".*no such class in the program of the job that spawns: class=Nothing.*", "Nothing", "2", "-");
        assertFailed(failed + ".*no such node in the cluster: host=nowhere.*", "Child", "2", "nowhere");
        assertFailed(failed + ".*no such file.*", "/no/such.jar", "2", "-");
        assertFailed(failed + ".*bad hint: soft=few.*", "Child", "2", "-", "few");
        assertFailed(failed + ".*ended before MPI.Init.*", "NoMpi", "2", "-");
    }

    private static void assertFailed(final String line, final String... args) throws Exception {
        final List<String> printed = output(parent(args));
        assertEquals(2, printed.stream().filter(l -> l.matches(line)).count(), printed::toString);
        assertTrue(printed.containsAll(List.of("codes of 0 [50, 50]", "codes of 1 [50, 50]")), printed::toString);
    }

    @Test
    void shouldNotLetParentsWaitForTheirChildren() throws Exception {
        final List<String> printed = output(CommandInJvm.start(ThreeNodeCluster.commandLine(a, "run", "-n", "2", "--cp", programs.toString(),
            "Outlived")));
        assertEquals(List.of("parent 0 ends", "parent 1 ends"), printed.subList(2, 4));
        assertTrue(printed.getFirst().matches("child 0: node a of job a-\\S+ is gone: .*"), printed::toString);
        assertTrue(printed.get(1).matches("child 1: node b of job a-\\S+ is gone: .*"), printed::toString);
    }

    @Tag("nightly")
    @Test
    void shouldEndSpawnedJobsAtTheTimeLimitOfTheirCommand() throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(ThreeNodeCluster.commandLine(a, "run", "-n", "2", "--timeout", "60", "--cp",
            programs.toString(), "Sleeps"));
        assertEquals(124, r.status(), r::toString);
        assertTrue(r.err().contains(": the job that spawned it was ended") && r.err().contains("was ended by its timeout"), r::toString);
        for (final TuttiScript.Daemon d : List.of(a, b)) {
            DaemonInspector.awaitJobsReleased(d);
        }
    }

    @Test
    void shouldGiveParentsAnErrorWhenTheirChildrenFail() throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(ThreeNodeCluster.commandLine(a, "run", "-n", "2", "--cp", programs.toString(), "Outlives"));
        assertEquals(0, r.status(), r::toString);
        assertEquals(2, r.out().lines().filter(l -> l.matches("parent \\d: node [ab] of job a-\\S+ is gone: .*")).count(), r::toString);
        assertTrue(r.err().contains("tutti: spawned a-") && r.err().contains("boom"), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldLeaveNothingBehindAfterManyRounds() throws Exception {
        CommandInJvm.run(ThreeNodeCluster.commandLine(a, "install", new ModuleBundles(dir).ring("1.0.0").toString()));
        rounds();
        CommandInJvm.run(ThreeNodeCluster.commandLine(a, "uninstall", "ring"));
        for (final String node : List.of("a", "b")) {
            // a module that a job holds is not removed
            await().atMost(Duration.ofSeconds(60)).ignoreExceptions()
                .until(() -> ThreeNodeCluster.installedFiles(dir.resolve("node-" + node)).isEmpty());
        }
    }

    /** Runs a job that spawns, and compares what its nodes and JVMs hold before and after, while it runs. */
    private static void rounds() throws Exception {
        final CommandInJvm.Running job = CommandInJvm.start(ThreeNodeCluster.commandLine(a, "run", "-n", "2", "--cp", programs.toString(), "Rounds",
            Integer.toString(WARM_UP_ROUNDS), Integer.toString(ROUNDS)));
        final List<Long> pids = new ArrayList<>(job.lines(2).stream().map(l -> Long.valueOf(l.substring("up ".length()))).sorted().toList());
        pids.addAll(List.of(a.process.pid(), b.process.pid()));
        awaitRounds(job, 3);
        final List<Holding> before = new ArrayList<>();
        // the last job that it spawned is released a moment after its ranks have ended
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            before.clear();
            before.addAll(holdings(pids));
            assertEquals(1, jobs(before).size(), before::toString);
        });
        awaitRounds(job, 4);
        await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> assertEquals(before, holdings(pids)));
        assertEquals(List.of("done", "done"), output(job).subList(0, 2));
        for (final TuttiScript.Daemon d : List.of(a, b)) {
            DaemonInspector.awaitJobsReleased(d);
        }
    }

    /** Lets the job spawn, until it has printed so many lines. */
    private static void awaitRounds(final CommandInJvm.Running job, final int lines) throws Exception {
        job.in.write('\n');
        job.in.flush();
        if (job.lines(lines, Duration.ofSeconds(280)).size() < lines) {
            throw new AssertionError("the job failed: " + job.end());
        }
    }

    /** Objects that a process holds for jobs: class loaders of ranks, threads of jobs, sockets; and the files of all nodes. */
    private record Holding(long loaders, List<String> threads, List<Integer> ports, long sockets, List<Path> files) {}

    /** Returns the jobs of which something is held. */
    private static Set<String> jobs(final List<Holding> all) {
        return JOB.matcher(all.toString()).results().map(MatchResult::group).collect(Collectors.toSet());
    }

    private static List<Holding> holdings(final List<Long> pids) throws Exception {
        final List<Path> files = NodeFootprint.files(dir.resolve("node-a").resolve("work"), dir.resolve("node-b").resolve("work"));
        final List<Holding> all = new ArrayList<>();
        for (final long pid : pids) {
            all.add(new Holding(DaemonInspector.rankLoaders(pid), DaemonInspector.jobThreads(pid), DaemonInspector.listeningPorts(pid),
                DaemonInspector.sockets(pid), files));
        }
        return all;
    }
}
