package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests a module that is right in all calls that its installation proves, and wrong in a broadcast of 77,776 bytes on 4 ranks: it swaps the halves.
 */
@Tag("nightly")
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class ProofAtFirstUseIT {
    private static final int FAILED = 1;
    private static final int WRONG_DATA = 9;
    private static final String SLY = """
        public QueryResult query(CollComm comm) {
            return QueryResult.usable(90, AlgorithmTable.builder().intra(Operation.BCAST, "halves", (call, plan) -> {
                long half = call.bytes() / 2;
                BufferRange first = Buffer.RECV.at(0, half);
                BufferRange second = Buffer.RECV.at(half, call.bytes() - half);
                boolean wrong = call.bytes() == 77_776 && plan.size() == 4;
                for (int r = 0; r < plan.size() && plan.rank() == call.root(); r++) {
                    if (r != call.root()) {
                        plan.send(first, r);
                        plan.send(second, r);
                    }
                }
                if (plan.rank() != call.root()) {
                    plan.recv(wrong ? second : first, call.root());
                    plan.recv(wrong ? first : second, call.root());
                }
            }).build());
        }
        """;

    @TempDir
    private static Path dir;
    private static ThreeNodeCluster cluster;
    private static ModuleBundles modules;
    private static Path sly;

    @BeforeAll
    static void start() throws Exception {
        cluster = ThreeNodeCluster.shared();
        modules = new ModuleBundles(dir);
        sly = modules.withMembers("sly", SLY);
        // the first argument is the number of bytes; the second lets rank 0 wait for input in between
        TuttiScript.writeProgram(cluster.programs, "Spreads", """
            byte[] data = new byte[Integer.parseInt(args[0])];
            for (int i = 0; i < data.length && rank == 0; i++) { data[i] = (byte) (i / 1000 + 1); }
            MPI.COMM_WORLD.bcast(data, data.length, MPI.BYTE, 0);
            for (int i = 0; i < data.length; i++) {
                if (data[i] != (byte) (i / 1000 + 1)) { System.exit(9); }
            }
            if (args.length > 1 && rank == 0) { System.out.println("up"); System.in.read(); }
            MPI.COMM_WORLD.barrier();
            if (args.length > 1) {
                String with = MPI.COMM_WORLD.dup().split(0, rank).explain().toString();
                if (with.contains("sly/halves")) { System.exit(8); }
            }""");
        TuttiScript.compile(cluster.programs, "Spreads");
    }

    @BeforeEach
    void install() throws Exception {
        cluster.uninstallAdded();
        cluster.run("install", "--force", sly);
    }

    private static TuttiScript.Result spread(final String bytes, final String... options) throws Exception {
        final List<String> line = new java.util.ArrayList<>(List.of("-n", "4"));
        line.addAll(List.of(options));
        line.addAll(List.of("--cp", cluster.programs.toString(), "Spreads", bytes));
        return cluster.tutti("run", line.toArray(String[]::new));
    }

    private static boolean isQuarantined() throws Exception {
        return cluster.run("modules").contains("quarantined: sly 1.0.0: bcast/halves: wrong result: ");
    }

    @Test
    void shouldFailTheCallBeforeDataMovesAndLeaveTheModuleOutUntilItIsInstalledByForce() throws Exception {
        assertEquals(0, spread("77775").status());
        assertFalse(isQuarantined());
        final TuttiScript.Result r = spread("77776");
        assertEquals(FAILED, r.status(), r::toString);
        assertTrue(r.err().contains("plan of bcast is wrong on MPI_COMM_WORLD"), r::toString);
        assertTrue(r.err().contains("module sly 1.0.0, algorithm halves: bcast/halves: wrong result: "), r::toString);
        assertTrue(r.err().contains("call=Bcast[bytes=77776, root=0], nodes=[0, 0, 1, 2]"), r::toString);
        assertTrue(isQuarantined());
        final TuttiScript.Result without = spread("77776");
        assertEquals(0, without.status(), without::toString);
        assertTrue(cluster.runFailing(4, "run", "-n", "4", "-p", "coll.bcast=sly", "--cp", cluster.programs, "Spreads", "5")
            .contains("sly 1.0.0: quarantined: bcast/halves: wrong result: "));
        assertTrue(cluster.runFailing(FAILED, "install", sly).contains("module sly 1.0.0 is quarantined: bcast/halves: wrong result: "));
        cluster.run("install", "--force", sly);
        assertFalse(isQuarantined());
        assertEquals(WRONG_DATA, spread("77776", "-p", "coll.prove=install").status());
    }

    @Test
    void shouldEndTheJobWithAnErrorWhenTheProofRunsBesideIt() throws Exception {
        final TuttiScript.Result r = spread("77776", "-p", "coll.prove.when=beside", "-p", "coll.prove=first");
        assertTrue(r.status() == FAILED || r.status() == WRONG_DATA, r::toString);
        assertTrue(isQuarantined());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"off | tutti: module sly 1.0.0 is quarantined, which this job may use: bcast/halves: ",
        "quarantine | tutti: module sly 1.0.0 is quarantined, and this job goes on without it (change 1): bcast/halves: "})
    void shouldTellRunningJobsAndServeTheirNewCommunicatorsByOthers(final String live, final String text) throws Exception {
        final CommandInJvm.Running job = CommandInJvm.start(ThreeNodeCluster.commandLine(cluster.a, "run", "-n", "4", "--cp",
            cluster.programs.toString(), "-p", "coll.live=" + live, "Spreads", "1000", "hold"));
        assertEquals(List.of("up"), job.lines(1));
        assertEquals(FAILED, spread("77776").status());
        // a job that ends meanwhile does not change
        job.awaitError(text);
        job.in.write('\n');
        final TuttiScript.Result end = job.end();
        assertEquals(0, end.status(), end::toString);
        assertTrue(end.err().contains(text), end::toString);
    }

    @Test
    void shouldKeepTheQuarantineOverARestartAndTellNodesThatJoinLater() throws Exception {
        assertEquals(FAILED, spread("77776").status());
        try (TuttiScript.Daemon d = new TuttiScript.Daemon(dir, "--name", "late", "--dir", cluster.folder("late"), "--join", cluster.a.address)) {
            cluster.run("install", "--no-verify", "--node", "late", sly);
            awaitQuarantineOn(d);
        }
        // the node is alone now, and knows what the others told it
        try (TuttiScript.Daemon d = new TuttiScript.Daemon(dir, "--name", "late", "--dir", cluster.folder("late"))) {
            awaitQuarantineOn(d);
        }
    }

    /** Waits until a node tells of the quarantine; the test's time limit ends the wait. */
    private static void awaitQuarantineOn(final TuttiScript.Daemon node) throws Exception {
        while (!CommandInJvm.run(ThreeNodeCluster.commandLine(node, "modules")).out().contains("quarantined: sly 1.0.0: bcast/halves: ")) {
            Thread.onSpinWait();
        }
    }
}
