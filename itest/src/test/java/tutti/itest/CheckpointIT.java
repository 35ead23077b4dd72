package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that jobs on three nodes are saved, and continue with the same bits after nodes were killed. */
@Timeout(value = 960, unit = TimeUnit.SECONDS)
class CheckpointIT {
    private static final int NO_CLUSTER = 3;
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final String HEAT = ProjectPaths.DIR.resolve("examples/Heat.java").toString();
    private static final String SAME = "the same as on one rank, to the last bit";
    private static final String STICKY = """
        public QueryResult query(CollComm comm) {
          return new QueryResult.Usable(99, new CollInstance() {
            public AlgorithmTable table() {
              return AlgorithmTable.builder().intra(Operation.BARRIER, "sticky", (call, plan) -> {
                if (plan.size() > 1) {
                  Task last = plan.rank() == 0 ? plan.fence() : plan.recv(plan.scratch(0), plan.rank() - 1);
                  plan.send(plan.scratch(0), (plan.rank() + 1) % plan.size(), last);
                  if (plan.rank() == 0) { last = plan.recv(plan.scratch(0), plan.size() - 1); plan.send(plan.scratch(0), 1, last); }
                  else { last = plan.recv(plan.scratch(0), plan.rank() - 1, last);
                    if (plan.rank() < plan.size() - 1) { plan.send(plan.scratch(0), plan.rank() + 1, last); } }
                }
              }).build();
            }
          });
        }""";

    @TempDir
    private static Path dir;
    private static int cluster;
    private static final Map<String, TuttiScript.Daemon> DAEMONS = new HashMap<>();
    private static Path folders;
    /** True while the cluster is as it was started, so that the next test may use it. */
    private static boolean isAsStarted;

    private String first = "a";

    @BeforeEach
    void start() throws Exception {
        if (isAsStarted) {
            isAsStarted = false;
            return;
        }
        stop();
        folders = Files.createDirectory(dir.resolve("cluster-" + cluster++));
        daemon("a");
        daemon("b", "--join", address());
        daemon("c", "--join", address());
        awaitNodes(3);
    }

    @AfterAll
    static void stop() {
        DAEMONS.values().forEach(TuttiScript.Daemon::close);
        DAEMONS.clear();
    }

    private void daemon(final String name, final String... options) throws Exception {
        final List<String> line = new ArrayList<>(List.of("--name", name, "--dir", folders.resolve(name).toString()));
        line.addAll(List.of(options));
        DAEMONS.put(name, new TuttiScript.Daemon(dir, line.toArray(String[]::new)));
    }

    private void kill(final String... names) throws Exception {
        for (final String name : names) {
            DAEMONS.get(name).process.toHandle().destroyForcibly();
        }
        for (final String name : names) {
            assertTrue(DAEMONS.remove(name).process.waitFor(60, TimeUnit.SECONDS));
        }
        first = DAEMONS.containsKey("a") ? "a" : DAEMONS.containsKey("b") ? "b" : "c";
    }

    private String address() {
        return DAEMONS.get(first).address;
    }

    private void awaitNodes(final int count) {
        await().atMost(LIMIT).until(() -> tutti("nodes").out().lines().count() == count + 1);
    }

    private TuttiScript.Result tutti(final String command, final String... args) throws Exception {
        return CommandInJvm.run(line(command, args));
    }

    private String[] line(final String command, final String... args) {
        return Stream.concat(Stream.of(command, "--connect", address()), Stream.of(args)).toArray(String[]::new);
    }

    private String job() throws Exception {
        await().atMost(LIMIT).until(() -> tutti("ps").out().contains("running"));
        return tutti("ps").out().lines().skip(1).findFirst().orElseThrow().split(" ")[0];
    }

    /** Waits until the job has a complete checkpoint that is newer than one. */
    private void awaitCheckpoint(final String job, final int after) {
        await().atMost(LIMIT).until(() -> newest(job) > after);
    }

    private int newest(final String job) throws Exception {
        int newest = 0;
        final Matcher m = Pattern.compile("\"series\" : \"" + Pattern.quote(job) + "\",\\s+\"number\" : (\\d+),"
            + "\\s+\"job\" : \"[^\"]+\",\\s+\"complete\" : true")
            .matcher(tutti("checkpoints", "--json").out());
        while (m.find()) {
            newest = Math.max(newest, Integer.parseInt(m.group(1)));
        }
        return newest;
    }

    private void assertEndsWithSameBits(final TuttiScript.Result r) throws Exception {
        assertEquals(0, r.status(), r::toString);
        assertTrue(r.out().contains(SAME), r::toString);
        assertTrue(r.out().contains("continues with step "), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldSaveAJobWhenAskedAndForgetItWhenItHasEnded() throws Exception {
        final CommandInJvm.Running heat = CommandInJvm.start(line("run", "-n", "5", HEAT, "400", "5"));
        final String job = job();
        first = "b";
        final TuttiScript.Result saved = tutti("checkpoint", job);
        assertEquals(0, saved.status(), saved::toString);
        assertTrue(saved.out().matches("checkpoint " + job + "/1: point \\d+, [0-9.]+ MiB, [0-9.]+ s\n"), saved::toString);
        final TuttiScript.Result listed = tutti("checkpoints");
        assertTrue(listed.out().contains(job), listed::toString);
        final TuttiScript.Result used = tutti("checkpoints", "--remove", job);
        assertTrue(used.status() != 0 && used.err().contains("checkpoints are in use: series=" + job), used::toString);
        final TuttiScript.Result twice = tutti("run", "--restart", job, "-n", "5", HEAT, "400");
        assertTrue(twice.status() != 0 && twice.err().contains(job), twice::toString);
        final TuttiScript.Result r = heat.end();
        assertEquals(0, r.status(), r::toString);
        assertTrue(r.out().contains(SAME), r::toString);
        assertFalse(tutti("checkpoints").out().contains(job));
        final TuttiScript.Result none = tutti("checkpoint", job);
        assertEquals("tutti: no such job runs: id=" + job + "; list them with: tutti ps\n", none.err());
        final TuttiScript.Result gone = tutti("run", "--restart", job, "-n", "5", HEAT, "400");
        assertTrue(gone.status() != 0 && gone.err().contains(job), gone::toString);
        isAsStarted = true;
    }

    @Tag("nightly")
    @Test
    void shouldContinueOnOtherNodesWithTheSameBitsAfterTheLossOfOne() throws Exception {
        final CommandInJvm.Running heat = CommandInJvm.start(line("run", "-n", "6", "-p", "checkpoint.every=20", HEAT, "400", "5"));
        final String job = job();
        awaitCheckpoint(job, 0);
        kill("c");
        assertEquals(NO_CLUSTER, heat.end().status());
        awaitNodes(2);
        daemon("d", "--join", address());
        awaitNodes(3);
        assertEndsWithSameBits(tutti("run", "-n", "6", "--map", "cyclic", "--restart", job, HEAT, "400"));
        assertFalse(tutti("checkpoints").out().contains(job));
    }

    @Tag("nightly")
    @Test
    void shouldContinueWithTheSameBitsAfterTheLossOfAllNodesAndOfOneCopy() throws Exception {
        final CommandInJvm.Running heat =
            CommandInJvm.start(line("run", "-n", "5", "-p", "checkpoint.every=50ms", "-p", "checkpoint.keep=on", HEAT, "400", "5"));
        final String job = job();
        awaitCheckpoint(job, 1);
        kill("a", "b", "c");
        assertEquals(NO_CLUSTER, heat.end().status());
        damage(folders.resolve("b"), job);
        daemon("b");
        first = "b";
        daemon("a", "--join", address());
        daemon("c", "--join", address());
        awaitNodes(3);
        assertEndsWithSameBits(tutti("run", "-n", "5", "-p", "checkpoint.keep=on", "--restart", job, HEAT, "400"));
        assertTrue(tutti("checkpoints").out().contains(job));
        assertEquals(0, tutti("checkpoints", "--remove", job).status());
        assertFalse(tutti("checkpoints").out().contains(job));
    }

    /** Changes a byte in the middle of every block that a node keeps of a job. */
    private static void damage(final Path node, final String job) throws IOException {
        final List<Path> files;
        try (Stream<Path> all = Files.walk(node.resolve("work/checkpoints").resolve(job))) {
            files = all.filter(Files::isRegularFile).filter(f -> f.toFile().length() > 0).toList();
        }
        assertFalse(files.isEmpty());
        for (final Path file : files) {
            final byte[] bytes = Files.readAllBytes(file);
            bytes[bytes.length / 2]++;
            Files.write(file, bytes, StandardOpenOption.TRUNCATE_EXISTING);
        }
    }

    @Tag("nightly")
    @Test
    void shouldContinueByItselfAfterTheLossOfTheNodeThatTheCommandIsConnectedTo() throws Exception {
        final CommandInJvm.Running heat =
            CommandInJvm.start(line("run", "-n", "5", "-p", "restart=2", "-p", "checkpoint.every=20", HEAT, "400", "5"));
        final String job = job();
        awaitCheckpoint(job, 0);
        kill("a");
        final TuttiScript.Result r = heat.end();
        assertEndsWithSameBits(r);
        assertTrue(r.err().contains("tutti: restart 1 of 2: the job continues from the last checkpoint of " + job), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldRefuseAJobWithAModuleThatSavesNothingAndSaveItWithoutTheModule() throws Exception {
        assertEquals(0, tutti("install", "--no-verify", new ModuleBundles(folders).withMembers("sticky", STICKY).toString()).status());
        final String why = "module sticky 1.0.0 has state on MPI_COMM_WORLD that it does not save; leave it out with -p coll.select=^sticky";
        final CommandInJvm.Running refused = CommandInJvm.start(line("run", "-n", "3", HEAT, "300", "5"));
        final TuttiScript.Result asked = tutti("checkpoint", job());
        assertEquals(1, asked.status(), asked::toString);
        assertTrue(asked.err().contains("cannot be saved at point ") && asked.err().contains(why), asked::toString);
        assertTrue(refused.end().err().contains(why));
        assertTrue(tutti("explain", "-n", "3", "barrier").out().contains(
            "the job cannot be checkpointed, since module sticky 1.0.0 has state that it does not save"));
        final CommandInJvm.Running saved = CommandInJvm.start(line("run", "-n", "3", "-p", "coll.select=^sticky", HEAT, "300", "5"));
        assertEquals(0, tutti("checkpoint", job()).status());
        assertEquals(0, saved.end().status());
        assertEquals(0, tutti("uninstall", "sticky").status());
        isAsStarted = true;
    }

    @Test
    void shouldKeepTheCheckpointBeforeAndGoOnWhereAFileCannotBeWritten() throws Exception {
        final CommandInJvm.Running heat = CommandInJvm.start(line("run", "-n", "3", HEAT, "500", "5"));
        final String job = job();
        assertEquals(0, tutti("checkpoint", job).status());
        final Process limit = new ProcessBuilder("prlimit", "--fsize=100", "--pid", Long.toString(pidOfJvm("c"))).start();
        assertEquals(0, TuttiScript.finish(limit, System.nanoTime()).status());
        final TuttiScript.Result failed = tutti("checkpoint", job);
        assertEquals(1, failed.status(), failed::toString);
        assertTrue(failed.err().contains("on node ") && failed.err().contains("c"), failed::toString);
        assertEquals(1, newest(job));
        assertTrue(heat.end().out().contains(SAME));
    }

    private long pidOfJvm(final String name) throws Exception {
        final Matcher m = Pattern.compile("\"name\" : \"" + name + "\".*?\"pid\" : (\\d+)", Pattern.DOTALL).matcher(tutti("nodes", "--json").out());
        assertTrue(m.find());
        return Long.parseLong(m.group(1));
    }

    @Tag("nightly")
    @Test
    void shouldRestoreCommunicatorsGroupsTypesAttributesAndValues() throws Exception {
        final Path program = folders.resolve("Restores.java");
        Files.writeString(program, """
            import java.io.Serializable;
            import java.nio.ByteBuffer;
            import java.util.Arrays;
            import java.util.List;
            import mpi.*;
            import tutti.checkpoint.Checkpoint;

            public class Restores {
                record Progress(int round, String name, List<Integer> list) implements Serializable {}
                static Progress progress;
                static long own;

                public static void main(String[] args) throws Exception {
                    MPI.Init(args);
                    int rank = MPI.COMM_WORLD.getRank();
                    int size = MPI.COMM_WORLD.getSize();
                    Checkpoint state = Checkpoint.of(MPI.COMM_WORLD);
                    Intracomm half = state.comm("half", () -> MPI.COMM_WORLD.split(rank % 2, -rank));
                    GraphComm ring = state.comm("ring", () -> MPI.COMM_WORLD.createDistGraphAdjacent(new int[] {(rank + size - 1) % size},
                        new int[] {(rank + 1) % size}, new Info(), false));
                    Group first = state.group("first", () -> MPI.COMM_WORLD.getGroup().incl(new int[] {0}));
                    Datatype type = state.type("pairs", () -> Datatype.createVector(3, 2, 4, MPI.INT));
                    type.commit();
                    int key = Comm.createKeyval((AttributeCopy<Comm>) null, (AttributeDelete<Comm>) null);
                    state.attribute("color", half, key);
                    ByteBuffer direct = ByteBuffer.allocateDirect(100_000);
                    boolean[] flags = new boolean[5];
                    char[] text = new char[3];
                    state.buffer("direct", direct);
                    state.array("flags", flags);
                    state.array("text", text);
                    progress = state.value("progress", new Progress(0, "new", List.of()), () -> progress);
                    state.state("own", out -> out.writeLong(own), in -> own = in.readLong());
                    if (!state.isRestart()) {
                        progress = new Progress(7, "rank " + rank, List.of(1, 2, 3));
                        own = 1000L + rank;
                        half.setAttr(key, "color of " + rank);
                        for (int i = 0; i < 100_000; i++) { direct.put(i, (byte) (i * 31 + rank)); }
                        flags[rank % 5] = true;
                        text[1] = 'x';
                        half.send(new int[] {rank}, 1, MPI.INT, (half.getRank() + 1) % half.getSize(), 3);
                        if (!Checkpoint.force(MPI.COMM_WORLD)) { System.exit(8); }
                        if (rank == 0) { System.exit(9); }
                        MPI.COMM_WORLD.barrier();
                    }
                    int[] from = new int[1];
                    half.recv(from, 1, MPI.INT, (half.getRank() + half.getSize() - 1) % half.getSize(), 3);
                    boolean good = from[0] % 2 == rank % 2 && progress.equals(new Progress(7, "rank " + rank, List.of(1, 2, 3)))
                        && own == 1000L + rank && ("color of " + rank).equals(half.getAttr(key)) && flags[rank % 5] && text[1] == 'x'
                        && first.getSize() == 1 && type.getSize() == 6;
                    for (int i = 0; i < 100_000; i++) { good &= direct.get(i) == (byte) (i * 31 + rank); }
                    int[] all = new int[2];
                    ring.neighborAllGather(new int[] {rank}, 1, MPI.INT, all, 1, MPI.INT);
                    good &= all[0] == (rank + size - 1) % size;
                    if (!good) { System.exit(7); }
                    if (rank == 0) { System.out.println("restored"); }
                    MPI.Finalize();
                }
            }
            """);
        final CommandInJvm.Running job = CommandInJvm.start(line("run", "-n", "5", program.toString()));
        final TuttiScript.Result ended = job.end();
        assertEquals(9, ended.status(), ended::toString);
        final Matcher series = Pattern.compile("\"series\" : \"([^\"]+)\"").matcher(tutti("checkpoints", "--json").out());
        assertTrue(series.find());
        final TuttiScript.Result other = tutti("run", "-n", "4", "--restart", series.group(1), program.toString());
        assertTrue(other.status() != 0 && other.err().contains("5"), other::toString);
        final TuttiScript.Result restored = tutti("run", "--map", "cyclic", "--restart", series.group(1) + "/1", program.toString());
        assertEquals(0, restored.status(), restored::toString);
        assertEquals("restored\n", restored.out());
        isAsStarted = true;
    }

    @Test
    void shouldRefuseWrongRequests() throws Exception {
        assertEquals("tutti: no such job runs: id=nobody; list them with: tutti ps\n", tutti("checkpoint", "nobody").err());
        assertTrue(tutti("run", "--restart", "nobody", HEAT).err().contains("nobody"));
        assertTrue(tutti("run", "--restart", "a/b/c", HEAT).err().contains("write JOB or JOB/NUMBER"));
        assertTrue(tutti("run", "-n", "2", "-p", "checkpoint.every=often", HEAT).err().contains("checkpoint.every"));
        assertTrue(tutti("run", "-n", "2", "-p", "restart=x", HEAT).err().contains("no number of restarts"));
        assertEquals(0, tutti("checkpoints").status());
        assertTrue(tutti("checkpoints", "--remove", "nobody").status() != 0);
        isAsStarted = true;
    }
}
