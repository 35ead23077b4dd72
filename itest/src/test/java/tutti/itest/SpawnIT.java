package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests jobs that spawn others: on nodes that joined later, from classes, jars and sources, and without leftovers. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class SpawnIT {
    private static final String EXAMPLE = ProjectPaths.DIR.resolve("examples/SpawnWorkers.java").toString();

    @TempDir
    private static Path dir;
    private static Path programs;
    private static TuttiScript.Daemon a;
    private static TuttiScript.Daemon b;

    @BeforeAll
    static void start() throws Exception {
        a = new TuttiScript.Daemon(dir, "--name", "a");
        b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address);
        programs = Files.createDirectory(dir.resolve("programs"));
        program("Child", """
            Intercomm parent = Intercomm.getParent();
            if (args.length > 0 && args[0].equals("fail")) { throw new IllegalStateException("boom"); }
            int[] got = {0};
            parent.allReduce(new int[] {rank + 1}, got, 1, MPI.INT, MPI.SUM);
            if (args.length > 0) { System.out.println(args[0] + " " + rank + " of " + size + " on " + MPI.getProcessorName() + " got " + got[0]); }
            parent.disconnect();""");
        program("Parent", """
            Info info = new Info();
            if (!args[2].equals("-")) { info.set("host", args[2]); }
            if (args.length > 4) { info.set("soft", args[4]); }
            int children = Integer.parseInt(args[1]);
            if (rank == 0 && args[2].equals("c")) { System.out.println("up"); System.in.read(); }
            MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
            for (int i = 0; i < Integer.parseInt(args[3]); i++) {
                int[] codes = new int[children];
                try {
                    String[] argv = args[3].equals("1") ? new String[] {"child"} : new String[0];
                    Intercomm inter = MPI.COMM_WORLD.spawn(args[0], argv, children, info, 0, codes);
                    int[] got = {0};
                    inter.allReduce(new int[] {rank + 1}, got, 1, MPI.INT, MPI.SUM);
                    int n = inter.getRemoteSize();
                    if (got[0] != n * (n + 1) / 2 || codes[0] != MPI.SUCCESS) { System.exit(9); }
                    inter.disconnect();
                } catch (MPIException e) {
                    System.out.println(rank + " failed: " + codes[0] + " " + e.getMessage());
                }
            }
            if (!Intercomm.getParent().isNull()) { System.exit(8); }""");
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

    @Test
    void shouldSpawnOnANodeThatJoinedAfterTheJobBegan() throws Exception {
        final CommandInJvm.Running job = parent("Child", "3", "c", "1");
        assertEquals(List.of("up"), job.lines(1));
        try (TuttiScript.Daemon c = new TuttiScript.Daemon(dir, "--name", "c", "--join", a.address)) {
            job.in.write('\n');
            assertEquals(List.of("child 0 of 3 on c got 3", "child 1 of 3 on c got 3", "child 2 of 3 on c got 3", "up"), output(job));
            DaemonInspector.awaitJobsReleased(c);
        }
    }

    @Test
    void shouldSpawnFromASourceFileAsManyAsThereArePlacesFor() throws Exception {
        // two nodes of one core each, with a rank each: no place is free
        assertTrue(output(parent(programs.resolve("Child.java").toString(), "4", "-", "1", "2:4")).stream().allMatch(l -> l.startsWith("child ")
            && l.contains(" of 2 on ")));
    }

    @Test
    void shouldTellAllRanksWhyNothingWasSpawned() throws Exception {
        assertEquals(2, output(parent("Nothing", "2", "-", "1")).stream()
            .filter(l -> l.matches("\\d failed: 50 .*no such class in the program of the job that spawns: class=Nothing.*")).count());
        assertEquals(2, output(parent("Child", "2", "nowhere", "1")).stream()
            .filter(l -> l.matches("\\d failed: 50 .*no such node in the cluster: host=nowhere.*")).count());
        assertEquals(2, output(parent("/no/such.jar", "2", "-", "1")).stream().filter(l -> l.matches("\\d failed: 50 .*no such file.*")).count());
    }

    @Test
    void shouldLeaveNothingBehindAfterManyRounds() throws Exception {
        assertEquals(List.of(), output(parent("Child", "3", "-", "5")));
        DaemonInspector.awaitJobsReleased(a);
        final int threads = DaemonInspector.threads(a).size();
        final List<Integer> ports = DaemonInspector.listeningPorts(a);
        assertEquals(List.of(), output(parent("Child", "3", "-", "200")));
        for (final TuttiScript.Daemon d : List.of(a, b)) {
            DaemonInspector.awaitJobsReleased(d);
        }
        assertEquals(ports, DaemonInspector.listeningPorts(a));
        assertTrue(DaemonInspector.threads(a).size() <= threads + 5, () -> "threads before: " + threads);
    }
}
