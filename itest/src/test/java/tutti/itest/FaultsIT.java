package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests jobs with {@code --on-loss=report} on four nodes that go on without ranks, JVMs and nodes that are lost. Their program calls collectives of
 * many kinds, whose results it checks. Property {@code tutti.faults.kills} is the number of random kills; profile {@code soak} makes 500.
 */
@Timeout(value = 7200, unit = TimeUnit.SECONDS)
@EnabledOnOs(OS.LINUX)
class FaultsIT {
    private static final int KILLS = Integer.getInteger("tutti.faults.kills", 15);
    private static final int NO_CLUSTER = 3;
    private static final int USAGE = 2;
    private static final int RANKS = 8;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String GOES_ON = "the job goes on with ";
    private static final List<String> NAMES = List.of("a", "b", "c", "d");

    @TempDir
    private static Path dir;
    private static Path programs;
    private static ModuleBundles modules;
    private static final Map<String, TuttiScript.Daemon> NODES = new TreeMap<>();

    @BeforeAll
    static void start() throws Exception {
        programs = Files.createDirectory(dir.resolve("programs"));
        try (InputStream source = Objects.requireNonNull(FaultsIT.class.getResourceAsStream("/programs/Survivors.java"))) {
            Files.copy(source, programs.resolve("Survivors.java"));
        }
        TuttiScript.compile(programs, "Survivors");
        program("Fatal", """
            // without an error handler of the program, the error of a call ends its rank
            if (rank == size - 1) { throw new IllegalStateException("told to fail"); }
            MPI.COMM_WORLD.recv(new int[1], 1, MPI.INT, rank + 1, 5);""");
        program("AllFail", """
            MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
            MPI.COMM_WORLD.barrier();
            if (rank == 0) { System.exit(7); }
            try { MPI.COMM_WORLD.recv(new int[1], 1, MPI.INT, rank - 1, 5); } catch (ProcessFailedException e) { System.exit(10 + rank); }""");
        program("InFinalize", """
            MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
            MPI.COMM_WORLD.barrier();
            if (MPI.getNodeName().equals(args[0])) { System.out.println("waits"); Thread.sleep(1_000_000); }
            System.out.println("finalizes");""");
        Files.writeString(programs.resolve("InInit.java"), """
            import mpi.*;
            public class InInit {
                public static void main(String[] args) throws Exception {
                    long parent = ProcessHandle.current().parent().orElseThrow().pid();
                    if (parent == Long.parseLong(args[0])) { System.out.println("waits"); Thread.sleep(1_000_000); }
                    System.out.println("begins");
                    MPI.Init(args);
                    System.out.println("rank " + MPI.COMM_WORLD.getRank());
                    MPI.Finalize();
                }
            }
            """);
        TuttiScript.compile(programs, "InInit");
        modules = new ModuleBundles(dir);
        restart();
        ThreeNodeCluster.removeRing(NODES.get("a"));
    }

    private static void program(final String name, final String body) throws Exception {
        TuttiScript.writeProgram(programs, name, body);
        TuttiScript.compile(programs, name);
    }

    /** Starts the daemons that do not run, and waits until all nodes see each other. */
    @BeforeEach
    void startAll() throws Exception {
        restart();
    }

    private static void restart() throws Exception {
        for (final String name : NAMES) {
            final TuttiScript.Daemon old = NODES.get(name);
            if (old == null || !old.process.isAlive()) {
                NODES.remove(name);
                final List<String> line = new ArrayList<>(List.of("--name", name, "--dir", dir.resolve("node-" + name).toString()));
                NODES.values().stream().filter(d -> d.process.isAlive()).findFirst().ifPresent(d -> line.addAll(List.of("--join", d.address)));
                NODES.put(name, new TuttiScript.Daemon(dir, line.toArray(String[]::new)));
            }
        }
        await().atMost(LIMIT).until(() -> NODES.values().stream().allMatch(FaultsIT::seesAll));
    }

    private static boolean seesAll(final TuttiScript.Daemon at) {
        try {
            final TuttiScript.Result r = CommandInJvm.run("nodes", "--connect", at.address);
            return r.status() == 0 && r.out().lines().skip(1).count() == NAMES.size();
        } catch (final Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterAll
    static void stop() {
        NODES.values().forEach(TuttiScript.Daemon::close);
    }

    private static CommandInJvm.Running run(final int ranks, final String... words) throws Exception {
        final List<String> line = new ArrayList<>(List.of("-n", Integer.toString(ranks), "--map", "node", "--oversubscribe", "--timeout", "80",
            "--cp", programs.toString()));
        line.addAll(List.of(words));
        return CommandInJvm.start(ThreeNodeCluster.commandLine(NODES.get("a"), "run", line.toArray(String[]::new)));
    }

    /** Waits for the end of a job; saves what its threads do if it takes long. */
    private static TuttiScript.Result end(final CommandInJvm.Running job) throws Exception {
        if (!job.endsWithin(LIMIT)) {
            System.out.println("a job does not end: " + dump());
        }
        return job.end();
    }

    /** Saves the states of all ranks and the stacks of all JVMs; returns the file. */
    private static Path dump() throws Exception {
        final StringBuilder text = new StringBuilder();
        final String jobs = CommandInJvm.run("ps", "--connect", NODES.get("a").address).out();
        text.append(jobs);
        for (final String line : jobs.lines().skip(1).toList()) {
            text.append(CommandInJvm.run("ps", line.split(" ")[0], "--ranks", "--connect", NODES.get("a").address));
        }
        final Path stacks = Files.createTempFile("stacks", ".txt");
        for (final Map.Entry<String, TuttiScript.Daemon> node : NODES.entrySet()) {
            final ProcessHandle daemon = node.getValue().process.toHandle();
            for (final ProcessHandle p : Stream.concat(Stream.of(daemon), daemon.descendants()).filter(ProcessHandle::isAlive).toList()) {
                text.append("\n=== node ").append(node.getKey()).append(", pid ").append(p.pid()).append('\n');
                new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), Long.toString(p.pid()), "Thread.dump_to_file",
                    "-overwrite", stacks.toString()).redirectErrorStream(true).start().waitFor(20, TimeUnit.SECONDS);
                text.append(Files.readString(stacks));
                Files.writeString(stacks, "");
            }
        }
        final Path file = Files.createTempFile(Files.createDirectories(Path.of("target", "faults")), "job", ".txt");
        return Files.writeString(file, text).toAbsolutePath();
    }

    /** A job of program {@code Survivors}. */
    private static final class Job {
        private final Path files = Files.createTempDirectory(dir, "files");
        private final CommandInJvm.Running command;
        private final Map<Integer, Long> pids = new TreeMap<>();
        private final Map<Integer, String> nodes = new TreeMap<>();
        /** The ranks that were made to fail. */
        private final Set<Integer> failed = new TreeSet<>();

        Job(final int ranks, final long seed, final String... options) throws Exception {
            this(ranks, seed, false, options);
        }

        Job(final int ranks, final long seed, final boolean duplicates, final String... options) throws Exception {
            final List<String> words = new ArrayList<>(List.of("--on-loss=report"));
            words.addAll(List.of(options));
            words.addAll(List.of("Survivors", files.toString(), Long.toString(seed), duplicates ? "dup" : ""));
            command = run(ranks, words.toArray(String[]::new));
            awaitLines("running " + ranks, 1);
            for (final String line : command.lines(0)) {
                if (line.startsWith("rank ")) {
                    // rank 0 pid 1 node a
                    final String[] w = line.split(" ");
                    pids.put(Integer.parseInt(w[1]), Long.parseLong(w[3]));
                    nodes.put(Integer.parseInt(w[1]), w[5]);
                }
            }
            assertEquals(ranks, pids.size(), () -> pids + " " + command.lines(0));
        }

        /** Waits until the program has printed lines that begin with a text; returns them. */
        List<String> awaitLines(final String prefix, final int count) throws Exception {
            final long end = System.nanoTime() + LIMIT.toNanos();
            while (true) {
                final boolean isOver = command.endsWithin(Duration.ofMillis(2)) || System.nanoTime() > end;
                final List<String> found = command.lines(0).stream().filter(l -> l.startsWith(prefix)).toList();
                if (found.size() >= count) {
                    return found;
                }
                if (isOver) {
                    System.out.println("a job does not go on: " + dump());
                    throw new AssertionError("no line " + prefix + ": " + command.end());
                }
            }
        }

        /** Has a rank fail in some way before its next call. */
        void fail(final int rank, final String how) throws IOException {
            final Path file = Files.writeString(files.resolve("how"), how);
            Files.move(file, files.resolve("die-" + rank), StandardCopyOption.ATOMIC_MOVE);
            failed.add(rank);
        }

        /** Kills the JVM of a rank, and of those that share it. */
        void killJvmOf(final int rank) {
            final long pid = pids.get(rank);
            ProcessHandle.of(pid).ifPresent(p -> {
                p.destroyForcibly();
                p.onExit().join();
            });
            pids.forEach((r, p) -> {
                if (p == pid) {
                    failed.add(r);
                }
            });
        }

        /** Kills a daemon, with its JVMs or so that they end by themselves. */
        void killNode(final String name, final boolean withJvms) throws Exception {
            final TuttiScript.Daemon node = NODES.get(name);
            if (withJvms) {
                final List<ProcessHandle> jvms = node.process.toHandle().descendants().toList();
                node.process.toHandle().destroyForcibly();
                jvms.forEach(ProcessHandle::destroyForcibly);
            }
            node.kill();
            nodes.forEach((r, n) -> {
                if (n.equals(name)) {
                    failed.add(r);
                }
            });
        }

        /** Returns whether a rank lives. */
        boolean isLeft(final int rank) {
            return !failed.contains(rank);
        }

        /** Has the program end, and checks what its ranks have printed. */
        TuttiScript.Result end() throws Exception {
            Files.createFile(files.resolve("stop"));
            final TuttiScript.Result r = FaultsIT.end(command);
            final Set<Integer> left = new TreeSet<>(pids.keySet());
            left.removeAll(failed);
            final Map<Integer, String> done = new TreeMap<>();
            r.out().lines().filter(l -> l.startsWith("done "))
                .forEach(l -> done.put(Integer.parseInt(l.substring("done ".length(), l.indexOf(':'))), l.replaceAll(".*: | checks=.*", "")));
            assertFalse(r.out().contains("wrong"), r::toString);
            assertEquals(0, r.status(), r::toString);
            assertEquals(left, done.keySet(), r::toString);
            assertEquals(1, new HashSet<>(done.values()).size(), r::toString);
            assertTrue(done.values().iterator().next().startsWith("size=" + left.size() + " "), r::toString);
            return r;
        }
    }

    /** Returns the lines that tell of losses; there must be no others. */
    private static List<String> told(final TuttiScript.Result r) {
        final List<String> lines = r.complaints().lines().toList();
        // the last rank may have ended before its node reports how another one has failed
        assertTrue(lines.stream().limit(Math.max(0, lines.size() - 1)).allMatch(l -> l.startsWith("tutti: ") && l.contains(GOES_ON))
            && lines.stream().allMatch(l -> l.startsWith("tutti: ")), r::toString);
        return lines;
    }

    /** Asserts that there is one line for each pattern, in any order. */
    private static void assertTold(final TuttiScript.Result r, final String... patterns) {
        final List<String> lines = told(r);
        assertEquals(patterns.length, lines.size(), r::toString);
        for (final String p : patterns) {
            assertEquals(1, lines.stream().filter(l -> l.matches("tutti: " + p)).count(), () -> p + "\n" + r);
        }
    }

    /** Asserts that no job, no thread, no class and no process of one is left on the nodes. */
    private static void assertNothingIsLeft() throws Exception {
        for (final TuttiScript.Daemon d : NODES.values()) {
            if (d.process.isAlive()) {
                DaemonInspector.awaitJobsReleased(d);
                await().atMost(LIMIT).untilAsserted(() -> {
                    final TuttiScript.Result ps = CommandInJvm.run("ps", "--connect", d.address);
                    assertEquals(0, ps.out().lines().filter(l -> l.contains("Survivors")).count(), ps::toString);
                    for (final ProcessHandle jvm : d.process.toHandle().descendants().toList()) {
                        assertEquals(0, held(jvm), () -> "ranks in JVM " + jvm.pid());
                    }
                });
            }
        }
    }

    /** Returns the number of class loaders and threads of jobs that a JVM holds. */
    private static long held(final ProcessHandle jvm) throws Exception {
        try {
            return DaemonInspector.rankLoaders(jvm.pid()) + DaemonInspector.jobThreads(jvm.pid()).size();
        } catch (final AssertionError | IOException e) {
            if (!jvm.isAlive()) {
                return 0;
            }
            throw e;
        }
    }

    @Test
    void shouldGoOnInTheSameJvmWithoutARankThatThrows() throws Exception {
        final Job job = new Job(RANKS, 1);
        job.fail(5, "throw");
        job.awaitLines("on 7 ", 1);
        final TuttiScript.Result r = job.end();
        assertTold(r, "rank 5 on node b failed: java.lang.IllegalStateException: told to fail.*: the job goes on with 7 ranks");
        assertNothingIsLeft();
    }

    @Tag("nightly")
    @ParameterizedTest
    @CsvSource({"throw within, failed: java.lang.IllegalStateException: told to fail.*",
        "error, failed: java.lang.StackOverflowError: told to fail.*", "exit 3, called System.exit: status=3",
        "exit 0, failed: System.exit\\(0\\) was called after MPI.Init and without MPI.Finalize.*"})
    void shouldGoOnWithoutARankHoweverItEnds(final String how, final String told) throws Exception {
        for (final String[] options : new String[][] {{}, {"--ranks-per-jvm", "1"}}) {
            final Job job = new Job(RANKS, 2, options);
            job.fail(2, how);
            job.awaitLines("on 7 ", 1);
            job.fail(0, how);
            job.awaitLines("on 6 ", 1);
            assertTold(job.end(), "rank 2 on node c[/0]* " + told + ": the job goes on with 7 ranks",
                "rank 0 on node a[/0]* " + told + ": the job goes on with 6 ranks");
        }
        assertNothingIsLeft();
    }

    @Tag("nightly")
    @Test
    void shouldGoOnWithoutAJvmThatIsKilled() throws Exception {
        final Job each = new Job(RANKS, 3, "--ranks-per-jvm", "1");
        each.killJvmOf(6);
        each.awaitLines("on 7 ", 1);
        each.killJvmOf(0);
        each.awaitLines("on 6 ", 1);
        assertTold(each.end(), "node c/1: the JVM of job .* has ended \\(pid=.*killed by signal 9: .*rank 6 has failed, the job goes on with 7 ranks",
            "node a/0: the JVM of job .* has ended \\(pid=.*killed by signal 9: .*rank 0 has failed, the job goes on with 6 ranks");
        final Job shared = new Job(RANKS, 3);
        shared.killJvmOf(1);
        shared.awaitLines("on 6 ", 1);
        assertTold(shared.end(),
            "node b: the JVM of job .* has ended \\(pid=.*killed by signal 9: .*ranks 1 and 5 have failed, the job goes on with 6 ranks");
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGoOnWithoutTwoOfFourNodesThatAreKilledOneAfterTheOther(final boolean withJvms) throws Exception {
        final Job job = new Job(RANKS, 4);
        final List<Long> millis = new ArrayList<>();
        int left = RANKS;
        for (final String name : List.of("d", "b")) {
            final long since = System.currentTimeMillis();
            job.killNode(name, withJvms);
            left -= 2;
            final String line = job.awaitLines("on " + left + " ", 1).getFirst();
            millis.add(Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)) - since);
        }
        final TuttiScript.Result r = job.end();
        System.out.println("faults: from the kill of a node " + (withJvms ? "and its JVMs " : "") + "to the first call of the others: ms=" + millis);
        assertTold(r, "node d was lost: .*: ranks 3 and 7 have failed, the job goes on with 6 ranks",
            "node b was lost: .*: ranks 1 and 5 have failed, the job goes on with 4 ranks");
        assertNothingIsLeft();
    }

    @Tag("nightly")
    @Test
    void shouldGoOnWithoutTwoNodesThatAreKilledAtOnce() throws Exception {
        final Job job = new Job(RANKS, 5, "--ranks-per-jvm", "1");
        job.killNode("c", true);
        job.killNode("b", true);
        job.awaitLines("on 4 ", 1);
        assertTold(job.end(), "node c was lost: .*: ranks 2 and 6 have failed, the job goes on with [46] ranks",
            "node b was lost: .*: ranks 1 and 5 have failed, the job goes on with [46] ranks");
        assertNothingIsLeft();
    }

    @Tag("nightly")
    @Test
    void shouldEndWithTheStatusOfTheFirstFailureWhenAllFail() throws Exception {
        final TuttiScript.Result r = end(run(4, "--on-loss=report", "AllFail"));
        assertEquals(7, r.status(), r::toString);
        assertTrue(r.err().contains("rank 0 on node a called System.exit: status=7: the job goes on with 3 ranks"), r::toString);
        final TuttiScript.Result fatal = end(run(4, "--on-loss=report", "Fatal"));
        assertEquals(1, fatal.status(), fatal::toString);
        assertTrue(fatal.err().contains("rank 3 on node d failed: java.lang.IllegalStateException: told to fail"), fatal::toString);
        assertTrue(fatal.err().contains("rank 2 on node c failed: mpi.ProcessFailedException: "), fatal::toString);
        assertNothingIsLeft();
    }

    @Test
    void shouldRefuseAnotherMeaningOfALoss() throws Exception {
        final TuttiScript.Result r = end(run(1, "--on-loss=maybe", "Fatal"));
        assertEquals(USAGE, r.status(), r::toString);
        assertTrue(r.err().contains("'--on-loss': expected one of [END, REPORT] (case-insensitive) but was 'maybe'"), r::toString);
        final TuttiScript.Result p = end(run(1, "-p", "on.loss=maybe", "Fatal"));
        assertEquals(USAGE, p.status(), p::toString);
        assertTrue(p.err().contains("on.loss=maybe"), p::toString);
    }

    @Tag("nightly")
    @Test
    void shouldEndWithTheFirstLossByDefault() throws Exception {
        final CommandInJvm.Running job = run(4, "InFinalize", "d");
        job.lines(4);
        NODES.get("d").kill();
        final TuttiScript.Result r = end(job);
        assertEquals(NO_CLUSTER, r.status(), r::toString);
        assertTrue(r.err().contains("node d was lost: ") && !r.err().contains(GOES_ON), r::toString);
        assertNothingIsLeft();
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFinalizeWithoutANodeThatIsKilled(final boolean isJvm) throws Exception {
        final CommandInJvm.Running job = run(RANKS, "--on-loss=report", "InFinalize", "d");
        assertEquals(RANKS, job.lines(RANKS).size());
        if (isJvm) {
            // that which is in use: the other one is ready for another job
            NODES.get("d").process.toHandle().descendants().forEach(ProcessHandle::destroyForcibly);
        } else {
            NODES.get("d").kill();
        }
        final TuttiScript.Result r = end(job);
        assertEquals(0, r.status(), r::toString);
        assertTold(r, "node d.*: ranks 3 and 7 have failed, the job goes on with 6 ranks");
        assertNothingIsLeft();
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndAJobWhoseNodeIsKilledDuringInit(final boolean isJvm) throws Exception {
        final ProcessHandle daemon = NODES.get("d").process.toHandle();
        final CommandInJvm.Running job = run(RANKS, "--on-loss=report", "InInit", Long.toString(daemon.pid()));
        final List<String> lines = job.lines(RANKS);
        assertEquals(2, lines.stream().filter("waits"::equals).count(), lines::toString);
        if (isJvm) {
            daemon.descendants().forEach(ProcessHandle::destroyForcibly);
        } else {
            NODES.get("d").kill();
        }
        final TuttiScript.Result r = end(job);
        assertEquals(isJvm ? 1 : NO_CLUSTER, r.status(), r::toString);
        assertTrue(r.err().contains("node d") && !r.out().contains("rank "), r::toString);
        assertNothingIsLeft();
    }

    @Tag("nightly")
    @Test
    void shouldReleaseTheModulesOfAJobThatHasLostANode() throws Exception {
        final TuttiScript.Daemon a = NODES.get("a");
        final TuttiScript.Result installed = CommandInJvm.run(ThreeNodeCluster.commandLine(a, "install", modules.ring("1.0.0").toString(),
            "--no-verify"));
        assertEquals(0, installed.status(), installed::toString);
        final Job job = new Job(RANKS, 6);
        assertEquals(1, ThreeNodeCluster.installedFiles(dir.resolve("node-a")).size());
        job.killNode("c", true);
        job.fail(4, "throw");
        job.awaitLines("on 5 ", 1);
        final TuttiScript.Result removed = CommandInJvm.run(ThreeNodeCluster.commandLine(a, "uninstall", "ring"));
        assertEquals(0, removed.status(), removed::toString);
        // the job uses it
        assertEquals(1, ThreeNodeCluster.installedFiles(dir.resolve("node-a")).size());
        told(job.end());
        for (final String name : List.of("a", "b", "d")) {
            await().atMost(LIMIT).untilAsserted(() -> assertEquals(List.of(), ThreeNodeCluster.installedFiles(dir.resolve("node-" + name)), name));
        }
        assertNothingIsLeft();
    }

    /** Random kills of a job, and how many of each kind there were. */
    private static final class RandomKills {
        private final Random random;
        private final Map<String, Integer> counts = new HashMap<>();
        private int kills;
        private int jobs;

        RandomKills(final long seed) {
            random = new Random(seed);
        }

        private static <T> T any(final Random random, final Collection<T> all) {
            return List.copyOf(all).get(random.nextInt(all.size()));
        }

        void job() throws Exception {
            jobs++;
            final int ranks = 3 + random.nextInt(RANKS - 2);
            final Job job = new Job(ranks, random.nextInt(1_000), true,
                random.nextBoolean() ? new String[0] : new String[] {"--ranks-per-jvm", "1"});
            // also while the others are busy with the kill before
            final int most = 1 + random.nextInt(4);
            final List<String> done = new ArrayList<>();
            for (int i = 0; i < most; i++) {
                if (!kill(job, done)) {
                    continue;
                }
                if (random.nextBoolean()) {
                    final int left = ranks - job.failed.size();
                    job.awaitLines("on " + left + " ", 1);
                } else {
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(300));
                }
            }
            try {
                told(job.end());
            } catch (final AssertionError e) {
                throw new AssertionError("after kills " + done + ": " + e.getMessage(), e);
            }
        }

        /** Kills something; returns whether it could. */
        private boolean kill(final Job job, final List<String> done) throws Exception {
            final List<Integer> left = job.pids.keySet().stream().filter(job::isLeft).toList();
            final int rank = any(random, left);
            final String node = job.nodes.get(rank);
            final int kind = random.nextInt(4);
            final Set<Integer> with = job.pids.keySet().stream().filter(r -> kind < 2 ? r == rank
                : kind == 2 ? job.pids.get(r).equals(job.pids.get(rank)) : job.nodes.get(r).equals(node)).collect(Collectors.toSet());
            // the daemon of the client, and one rank, stay
            if (with.containsAll(left) || kind == 3 && node.equals("a")) {
                return false;
            }
            final String what = List.of("rank by exception", "rank by exit", "JVM", "node").get(kind);
            switch (kind) {
                case 0 -> job.fail(rank, random.nextBoolean() ? "throw" : "throw within");
                case 1 -> job.fail(rank, random.nextBoolean() ? "exit 0" : "exit 3");
                case 2 -> job.killJvmOf(rank);
                default -> job.killNode(node, random.nextBoolean());
            }
            done.add(what + " " + rank + " on " + node);
            counts.merge(what, 1, Integer::sum);
            kills++;
            return true;
        }
    }

    @Tag("nightly")
    @Test
    void shouldGiveRightResultsWhicheverRanksJvmsAndNodesAreKilled() throws Exception {
        final long seed = Long.getLong("tutti.seed", System.nanoTime());
        System.out.println("seed: tutti.seed=" + seed);
        final RandomKills kills = new RandomKills(seed);
        final long begin = System.nanoTime();
        while (kills.kills < KILLS) {
            restart();
            try {
                kills.job();
            } catch (final Exception | AssertionError e) {
                throw new AssertionError("tutti.seed=" + seed + ", job " + kills.jobs + ": " + e.getMessage(), e);
            }
        }
        assertNothingIsLeft();
        System.out.println("faults: " + new TreeMap<>(kills.counts) + " in " + kills.jobs + " jobs, "
            + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin) + " s");
    }
}
