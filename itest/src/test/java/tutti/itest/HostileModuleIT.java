package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a module that misbehaves, in a job of three ranks on three nodes: the job runs without the module, or fails with an error that
 * names module, version and operation. A parameter of the module selects how it misbehaves.
 */
@Timeout(value = 480, unit = TimeUnit.SECONDS)
class HostileModuleIT {
    private static final int FAILED = 1;
    private static final String HOSTILE = """
        static String how(CollJob job) { return job.parameters().getOrDefault("coll.hostile.how", ""); }
        static void act(CollJob job, String at, int rank) {
            String how = how(job);
            if (how.equals("exit-in-" + at) && rank == 1) { System.exit(7); }
            if (how.equals("halt-in-" + at) && rank == 1) { Runtime.getRuntime().halt(7); }
            if (how.equals(at) || how.equals(at + "-on-one") && rank == 1) { throw new IllegalStateException("hostile in " + at); }
        }
        public Optional<ThreadRange> threads(CollJob job, ThreadLevel level) {
            act(job, "threads", 1);
            return Optional.of(ThreadRange.ALL);
        }
        public QueryResult query(CollComm comm) {
            act(comm.job(), "query", comm.rank());
            String how = how(comm.job());
            if (how.equals("declines-on-one") && comm.rank() == 2) { return new QueryResult.Declined("not here"); }
            AlgorithmTable table = AlgorithmTable.builder().intra(Operation.BCAST, "hostile", (call, plan) -> {
                act(comm.job(), "plan", plan.rank());
                if (how.equals("reports-on-one") && plan.rank() == 1 && call.bytes() > 4) {
                    throw new CollException(2, 4711, "too many bytes: bytes=" + call.bytes() + ", max=4");
                }
                if (how.equals("rank-p")) { plan.send(Buffer.RECV.at(0, call.bytes()), plan.size()); }
                if (how.equals("too-long")) { plan.send(Buffer.RECV.at(0, call.bytes() + 1), 0); }
                if (how.equals("endless")) { endless(plan); }
                for (int r = 0; r < plan.size(); r++) {
                    if (r != call.root() && plan.rank() == call.root()) { plan.send(Buffer.RECV.at(0, call.bytes()), r); }
                }
                if (plan.rank() != call.root()) { plan.recv(Buffer.RECV.at(0, call.bytes()), call.root()); }
            }).build();
            return new QueryResult.Usable(how.equals("priority") ? 101 : 90, new CollInstance() {
                public AlgorithmTable table() { act(comm.job(), "table", comm.rank()); return table; }
                public AlgorithmTable init() {
                    act(comm.job(), "init", comm.rank());
                    if (how.equals("silent") && comm.rank() == 0) { SetupComm.of(comm).send(new byte[9], 1); }
                    return table;
                }
                public void dispose() { act(comm.job(), "dispose", comm.rank()); }
            });
        }
        static void endless(Plan plan) { endless(plan); }
        """;

    @TempDir
    private static Path dir;
    private static ThreeNodeCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = ThreeNodeCluster.shared();
        cluster.run("install", new ModuleBundles(dir).withMembers("hostile", HOSTILE));
    }

    private static TuttiScript.Result run(final String how) throws Exception {
        return cluster.tutti("run", "-n", "3", "-p", "coll.hostile.how=" + how, "--cp", cluster.programs.toString(), "Sums");
    }

    @Test
    void shouldServeWhenItBehaves() throws Exception {
        assertEquals(List.of("hostile 1.0.0"), cluster.modulesOfJob("-p", "coll.bcast=hostile", "-p", "coll.hostile.how=not"));
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(strings = {"threads", "query-on-one", "table", "declines-on-one", "priority", "init-on-one", "silent"})
    void shouldRunTheJobWithoutIt(final String how) throws Exception {
        final TuttiScript.Result r = run(how);
        assertEquals(0, r.status(), r::toString);
        assertEquals("", r.complaints());
    }

    @Test
    void shouldCompleteTheJobAndWarnWhenDisposeFails() throws Exception {
        final TuttiScript.Result r = run("dispose");
        assertEquals(0, r.status(), r::toString);
        assertEquals(3, r.err().lines().filter(l -> l.contains("dispose of module hostile 1.0.0 failed on MPI_COMM_WORLD: hostile in dispose"))
            .count(), r::toString);
    }

    @Test
    void shouldRaiseTheErrorThatAModuleReportsOnOneRankAndLeaveTheCommunicatorUsable() throws Exception {
        TuttiScript.writeProgram(cluster.programs, "Refused", """
            MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
            for (int i = 1; i <= 3; i++) {
                try {
                    int[] data = new int[i * 50000];
                    MPI.COMM_WORLD.bcast(data, data.length, MPI.INT, 0);
                    if (rank == 1) { System.exit(8); }
                } catch (MPIException e) {
                    if (e.getErrorClass() != MPI.ERR_COUNT || e.getErrorCode() != 4711 || rank != 1) { throw e; }
                    System.out.println(e.getMessage());
                }
                int[] sum = {rank + 1};
                MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
                MPI.COMM_WORLD.bcast(sum, 1, MPI.INT, 0);
                if (sum[0] != 6) { System.exit(9); }
            }""");
        TuttiScript.compile(cluster.programs, "Refused");
        final TuttiScript.Result r = cluster.tutti("run", "-n", "3", "-p", "coll.hostile.how=reports-on-one", "-p", "coll.bcast=hostile", "--cp",
            cluster.programs.toString(), "Refused");
        assertEquals(0, r.status(), r::toString);
        assertEquals(3, r.out().lines().filter(l -> l.startsWith("cannot plan bcast on MPI_COMM_WORLD ")
            && l.contains("module hostile 1.0.0, algorithm hostile: too many bytes: ")).count(), r::toString);
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(strings = {"exit-in-plan", "halt-in-plan"})
    void shouldFailTheJobOfAModuleThatEndsItsJvmWhileItPlans(final String how) throws Exception {
        final TuttiScript.Result r = run(how);
        assertEquals(FAILED, r.status(), r::toString);
        assertTrue(r.err().matches("(?s)tutti: node [abc]: the JVM of job a-\\S+ has ended \\(pid=\\d+\\): it ended with status 7.*"), r::toString);
        cluster.runShortJob();
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(strings = {"System.exit(7);", "Runtime.getRuntime().halt(7);"})
    void shouldEndANodeByAModuleThatEndsItsJvmAndIsInstalledWithoutProof(final String start) throws Exception {
        final Path bundle = new ModuleBundles(dir).withActivator("leaves", start);
        try (TuttiScript.Daemon node = new TuttiScript.Daemon(dir, "--name", "alone")) {
            final TuttiScript.Result r = CommandInJvm.run("install", "--connect", node.address, "--no-verify", bundle.toString());
            assertNotEquals(0, r.status(), r::toString);
            assertTrue(node.process.waitFor(60, TimeUnit.SECONDS));
        }
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(strings = {"plan-on-one", "rank-p", "too-long", "endless"})
    void shouldFailTheJobAndNameTheModuleThatCannotPlan(final String how) throws Exception {
        final TuttiScript.Result r = run(how);
        assertEquals(FAILED, r.status(), r::toString);
        assertTrue(r.err().contains("cannot plan bcast on MPI_COMM_WORLD"), r::toString);
        assertTrue(r.err().contains("module hostile 1.0.0, algorithm hostile"), r::toString);
        cluster.runShortJob();
    }
}
