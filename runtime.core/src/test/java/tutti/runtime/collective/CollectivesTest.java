package tutti.runtime.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.AlgorithmTable;
import tutti.coll.CollModule;
import tutti.coll.Operation;
import tutti.coll.QueryResult;
import tutti.coll.basic.BasicModule;
import tutti.runtime.ContractSuite;
import tutti.runtime.ContractSuite.Shape;
import tutti.runtime.Ranks;
import tutti.runtime.TestedShapes;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.introspect.Explanation;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;

/** Tests the contract of the collectives over module basic, in one JVM on one node and on several. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CollectivesTest {
    private static final List<CollModule> BASIC = List.of(new BasicModule());
    private static final Set<String> ALGORITHMS = Set.of("allgather=bruck", "allgatherv=ring", "allreduce=direct",
        "allreduce=recursive_doubling", "allreduce=reduce_bcast", "alltoall=linear", "alltoallv=linear", "alltoallw=linear",
        "barrier=dissemination", "bcast=binomial", "exscan=doubling", "exscan=recursive_doubling", "gather=binomial", "gatherv=linear",
        "neighbor_allgather=linear", "neighbor_allgatherv=linear", "neighbor_alltoall=linear", "neighbor_alltoallv=linear",
        "neighbor_alltoallw=linear", "reduce=binomial", "reduce=first", "reduce_scatter=binomial", "reduce_scatter=direct",
        "reduce_scatter_block=binomial", "reduce_scatter_block=direct", "scan=doubling", "scan=recursive_doubling", "scatter=binomial",
        "scatterv=linear");

    static Stream<Shape> shapes() {
        return TestedShapes.shapes();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractBlocking(final Shape shape) throws Exception {
        assertServed(ContractSuite.blocking(shape, Map.of(), BASIC));
    }

    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("shapes")
    void shouldKeepTheContractByEveryAlgorithm(final Shape shape) throws Exception {
        assertEquals(ALGORITHMS, ContractSuite.everyAlgorithm(shape, BasicModule.class, Map.of(), BASIC));
    }

    private static void assertServed(final List<Explanation> explanations) {
        assertEquals(Operation.values().stream().map(Operation::id).toList(), explanations.stream().map(Explanation::operation).toList());
        explanations.forEach(e -> assertEquals("BasicModule 1.0.0", e.module()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldRunSeveralCollectivesAndMessagesAtOnce(final int nodes) throws Exception {
        Ranks.run(4, nodes, BASIC, rank -> {
            final Communicator c = rank.world();
            final Request[] requests = new Request[41];
            final long[][] sums = new long[20][1];
            final int[][] data = new int[20][5000];
            for (int i = 0; i < 20; i++) {
                requests[2 * i] = c.engine().nonblocking().allreduce(new long[] {i + c.rank()}, sums[i], 1, Datatype.LONG, Op.SUM);
                data[i][4999] = c.rank() == i % 4 ? i : -1;
                requests[2 * i + 1] = c.engine().nonblocking().bcast(data[i], 5000, Datatype.INT, i % 4);
            }
            final int[] ring = new int[1];
            requests[40] = c.messages().irecv(ring, 1, Datatype.INT, (c.rank() + 3) % 4, 0);
            c.messages().send(SendMode.STANDARD, new int[] {c.rank()}, 1, Datatype.INT, (c.rank() + 1) % 4, 0);
            for (int i = 40; i >= 0; i--) {
                requests[i].await();
            }
            for (int i = 0; i < 20; i++) {
                assertArrayEquals(new long[] {4 * i + 6}, sums[i]);
                assertEquals(i, data[i][4999]);
            }
            assertEquals((c.rank() + 3) % 4, ring[0]);
        });
    }

    @Test
    void shouldPlanACallOnceAndRunItAgain() throws Exception {
        Ranks.run(3, BASIC, rank -> {
            final Collectives<?> c = rank.world().engine().blocking();
            final double[] into = new double[10];
            for (int i = 0; i < 50; i++) {
                c.allreduce(new double[10], into, 10, Datatype.DOUBLE, Op.SUM);
            }
            assertEquals(1, c.planned());
        });
    }

    @Test
    void shouldRefuseBadArgumentsBeforeAModuleIsAsked() throws Exception {
        Ranks.run(1, BASIC, rank -> {
            final Collectives<?> c = rank.world().engine().blocking();
            refused(ErrorClass.ROOT, "root out of range: root=7, size=1", () -> c.bcast(new int[1], 1, Datatype.INT, 7));
            refused(ErrorClass.COUNT, "count is negative: count=-1", () -> c.allgather(new int[1], 1, Datatype.INT, new int[1], -1, Datatype.INT));
            refused(ErrorClass.OP, "operation is null", () -> c.allreduce(new int[1], new int[1], 1, Datatype.INT, null));
            refused(ErrorClass.OP, "operation not defined on type: op=BAND, type=DOUBLE",
                () -> c.allreduce(new double[1], new double[1], 1, Datatype.DOUBLE, Op.BAND));
            refused(ErrorClass.BUFFER, "buffer too small: need=16, have=8 bytes (count=2, type=DOUBLE)",
                () -> c.bcast(new double[1], 2, Datatype.DOUBLE, 0));
        });
    }

    private static void refused(final ErrorClass errorClass, final String message, final org.junit.jupiter.api.function.Executable call) {
        final MpiFailure e = assertThrows(MpiFailure.class, call);
        assertEquals(message, e.getMessage());
        assertEquals(errorClass, e.errorClass());
    }

    /** A module that serves only barrier, and plans an invalid schedule for it. */
    private static final class Nonsense implements CollModule {
        @Override
        public QueryResult query(final tutti.coll.CollComm comm) {
            return QueryResult.usable(99, AlgorithmTable.builder().intra(Operation.BCAST, "nonsense", (call, plan) -> plan.send(
                tutti.coll.Buffer.RECV.at(0, call.bytes()), plan.size())).build());
        }
    }

    @Test
    void shouldNameTheModuleThatPlansAMessageToNobodyAndLetOthersServeTheRest() throws Exception {
        Ranks.run(2, List.of(new Nonsense(), new BasicModule()), rank -> {
            final Collectives<?> c = rank.world().engine().blocking();
            c.barrier();
            final MpiFailure e = assertThrows(MpiFailure.class, () -> c.bcast(new int[1], 1, Datatype.INT, 0));
            assertEquals("cannot plan bcast on MPI_COMM_WORLD (job test, rank " + rank.worldRank() + " of 2), node n0: module Nonsense 1.0.0, "
                + "algorithm nonsense: java.lang.IllegalArgumentException: peer out of range: peer=2, ranks=2", e.getMessage());
        });
    }
}
