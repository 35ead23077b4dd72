package tutti.runtime.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.basic.BasicModule;
import tutti.runtime.ContractSuite;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/** Tests the detection of different calls within a group of an intercommunicator, and of data that does not fit between the groups. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class InterCallComparisonTest {
    private static final int ROOT = Reserved.ROOT;
    private static final int NONE = Reserved.PROC_NULL;
    private static final int FIRST = 3;
    private static final int RANKS = 5;

    /** A call of a rank, given its group and its rank there. The first group has three ranks, the second two. */
    private interface Call {
        Request on(Collectives<? extends Request> c, boolean first, int rank);
    }

    /** Different calls, and how the first group sees them. */
    enum Calls {
        TWO_ROOTS(ErrorClass.ROOT, "rank 0 of the local group calls bcast(root MPI.ROOT, 4 bytes), "
            + "rank 2 of the local group calls bcast(root MPI.ROOT, 4 bytes)",
            (c, first, rank) -> bcast(c, 1, !first ? 0 : rank == 1 ? NONE : ROOT)),
        ROOTS_IN_BOTH_GROUPS(ErrorClass.ROOT, "rank 1 of the local group calls bcast(root MPI.ROOT, 4 bytes), "
            + "rank 0 of the remote group calls bcast(root MPI.ROOT, 4 bytes)",
            (c, first, rank) -> bcast(c, 1, rank == (first ? 1 : 0) ? ROOT : NONE)),
        ANOTHER_ROOT(ErrorClass.ROOT, "rank 0 of the remote group calls scatter(root MPI.ROOT, 4 bytes), "
            + "rank 2 of the local group calls scatter(root 1, 4 bytes)",
            (c, first, rank) -> first
                ? c.scatter(null, 0, null, new int[1], 1, Datatype.INT, rank / 2)
                : c.scatter(new int[3], 1, Datatype.INT, null, 0, null, rank == 0 ? ROOT : NONE)),
        A_RANK_OF_THE_ROOTS_GROUP_NAMES_A_RANK(ErrorClass.ROOT, "rank 0 of the local group calls gather(root MPI.ROOT, 8 bytes), "
            + "rank 1 of the local group calls gather(root 0, 8 bytes)",
            (c, first, rank) -> first && rank == 0
                ? c.gather(null, 0, null, new int[4], 2, Datatype.INT, ROOT)
                : c.gather(new int[2], 2, Datatype.INT, null, 0, null, 0)),
        NO_ROOT(ErrorClass.ROOT, "rank 0 of the local group calls bcast(root 1, 4 bytes), rank 1 of the remote group calls bcast(root MPI.PROC_NULL)",
            (c, first, rank) -> bcast(c, 1, first ? 1 : NONE)),
        NOBODY_NAMES_A_ROOT(ErrorClass.ROOT, "rank 0 of the local group calls bcast(root MPI.PROC_NULL), "
            + "rank 0 of the remote group calls bcast(root MPI.PROC_NULL)", (c, first, rank) -> bcast(c, 1, NONE)),
        LENGTH_FROM_THE_ROOT(ErrorClass.COUNT, "rank 0 of the local group calls bcast(root MPI.ROOT, 4 bytes), "
            + "rank 1 of the remote group calls bcast(root 0, 8 bytes)",
            (c, first, rank) -> first ? bcast(c, 1, rank == 0 ? ROOT : NONE)
                : bcast(c, rank + 1, 0)),
        BLOCK_OF_THE_ROOT(ErrorClass.COUNT, "rank 0 of the local group calls gather(root MPI.ROOT, 4 bytes), "
            + "rank 0 of the remote group calls gather(root 0, 8 bytes)",
            (c, first, rank) -> first
                ? c.gather(null, 0, null, new int[2], 1, Datatype.INT, rank == 0 ? ROOT : NONE)
                : c.gather(new int[2], 2, Datatype.INT, null, 0, null, 0)),
        OPERATION_OF_THE_ROOT(ErrorClass.OP, "rank 0 of the remote group calls reduce(MAX of int, root MPI.ROOT, 4 bytes), "
            + "rank 0 of the local group calls reduce(SUM of int, root 0, 4 bytes)",
            (c, first, rank) -> first
                ? c.reduce(new int[1], null, 1, Datatype.INT, Op.SUM, 0)
                : c.reduce(null, new int[1], 1, Datatype.INT, rank == 0 ? Op.MAX : null, rank == 0 ? ROOT : NONE)),
        OPERATION_WITHIN_A_GROUP(ErrorClass.OP, "rank 0 of the local group calls allreduce(SUM of int, 4 bytes), "
            + "rank 2 of the local group calls allreduce(PROD of int, 4 bytes)",
            (c, first, rank) -> c.allreduce(new int[1], new int[1], 1, Datatype.INT, first && rank == 2 ? Op.PROD : Op.SUM)),
        TYPE_OF_A_GROUP(ErrorClass.TYPE, "rank 0 of the local group calls allreduce(SUM of int, 4 bytes), "
            + "rank 0 of the remote group calls allreduce(SUM of float, 4 bytes)",
            (c, first, rank) -> first
                ? c.allreduce(new int[1], new int[1], 1, Datatype.INT, Op.SUM)
                : c.allreduce(new float[1], new float[1], 1, Datatype.FLOAT, Op.SUM)),
        TOTAL_OF_A_GROUP(ErrorClass.COUNT, "rank 0 of the local group calls reduce_scatter_block(SUM of int, 24 bytes), "
            + "rank 0 of the remote group calls reduce_scatter_block(SUM of int, 16 bytes)",
            (c, first, rank) -> c.reduceScatterBlock(new int[6], new int[2], 2, Datatype.INT, Op.SUM)),
        LENGTH_WITHIN_A_GROUP(ErrorClass.COUNT, "rank 0 of the remote group calls allgather(8 bytes, 4 bytes from each), "
            + "rank 1 of the remote group calls allgather(4 bytes, 4 bytes from each)",
            (c, first, rank) -> first
                ? c.allgather(new int[1], 1, Datatype.INT, new int[4], 2, Datatype.INT)
                : c.allgather(new int[2], 2 - rank, Datatype.INT, new int[3], 1, Datatype.INT)),
        LENGTH_BETWEEN_GROUPS(ErrorClass.COUNT, "rank 0 of the local group calls alltoall(4 bytes, 8 bytes from each), "
            + "rank 0 of the remote group calls alltoall(4 bytes, 4 bytes from each)",
            (c, first, rank) -> first
                ? c.alltoall(new int[2], 1, Datatype.INT, new int[4], 2, Datatype.INT)
                : c.alltoall(new int[3], 1, Datatype.INT, new int[3], 1, Datatype.INT)),
        BLOCKS_WITHIN_A_GROUP(ErrorClass.COUNT, "rank 0 of the local group calls allgatherv(12 bytes), "
            + "rank 1 of the local group calls allgatherv(16 bytes)",
            (c, first, rank) -> first
                ? c.allgatherv(new int[1], 1, Datatype.INT, new int[9], new long[] {1, rank == 1 ? 3 : 2}, new long[] {0, 4}, Datatype.INT)
                : c.allgatherv(new int[2], rank + 1, Datatype.INT, new int[3], new long[] {1, 1, 1}, new long[] {0, 1, 2}, Datatype.INT)),
        ANOTHER_OPERATION(ErrorClass.OTHER,
            "rank 0 of the local group calls barrier(), rank 1 of the remote group calls allreduce(SUM of int, 4 bytes)",
            (c, first, rank) -> first || rank == 0 ? c.barrier() : c.allreduce(new int[1], new int[1], 1, Datatype.INT, Op.SUM));

        private final ErrorClass errorClass;
        private final String text;
        private final Call call;

        Calls(final ErrorClass errorClass, final String text, final Call call) {
            this.errorClass = errorClass;
            this.text = text;
            this.call = call;
        }

        private static Request bcast(final Collectives<? extends Request> c, final int count, final int root) {
            return c.bcast(new int[2], count, Datatype.INT, root);
        }

        private String seenFrom(final boolean first) {
            return first ? text : text.replace("remote", "other").replace("local", "remote").replace("other", "local");
        }
    }

    private static void run(final int nodes, final Map<String, String> parameters, final Ranks.Body body) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(RANKS, nodes, transport, Ranks.job(RANKS, parameters, List.of(new BasicModule())), body);
        }
    }

    private static Communicator join(final Communicator world, final int ranksOfFirst) {
        final boolean first = world.rank() < ranksOfFirst;
        return world.split(first ? 0 : 1, 0).createIntercomm(0, world, first ? ranksOfFirst : 0, 1);
    }

    @ParameterizedTest
    @EnumSource(Calls.class)
    void shouldFindDifferentCallsOnAllRanksInEveryForm(final Calls calls) throws Exception {
        run(2, Map.of("check", "full"), rank -> {
            final Communicator inter = join(rank.world(), FIRST);
            final boolean first = rank.worldRank() < FIRST;
            check(calls, inter, first, () -> calls.call.on(inter.engine().blocking(), first, inter.rank()));
            check(calls, inter, first, () -> calls.call.on(inter.engine().nonblocking(), first, inter.rank()).await());
            final var persistent = (PersistentRequest) calls.call.on(inter.engine().persistent(), first, inter.rank());
            check(calls, inter, first, () -> {
                persistent.start();
                persistent.await();
            });
            persistent.free();
            // later calls are not affected
            final long[] sum = new long[1];
            inter.engine().blocking().allreduce(new long[] {1}, sum, 1, Datatype.LONG, Op.SUM);
            assertEquals(inter.remoteSize(), sum[0]);
            inter.disconnect();
        });
    }

    private static void check(final Calls calls, final Communicator inter, final boolean first, final Runnable call) {
        final MpiFailure failure = assertThrows(MpiFailure.class, call::run);
        assertEquals("collective calls differ on " + inter.name() + ": " + calls.seenFrom(first), failure.getMessage());
        assertEquals(calls.errorClass, failure.errorClass());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldRaiseNoFalseAlarmInTheContractOfGroupsOfUnequalSize(final int nodes) throws Exception {
        ContractSuite.intercommunicators(new ContractSuite.Groups(4, 1, nodes), Map.of("check", "full"), List.of(new BasicModule()));
        ContractSuite.intercommunicators(new ContractSuite.Groups(2, 3, nodes), Map.of("check", "full"), List.of(new BasicModule()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldNameTheGroupsWhereAMessageShowsAnotherCall(final int nodes) {
        final AssertionError failure = assertThrows(AssertionError.class, () -> Ranks.run(2, nodes, List.of(new BasicModule()), rank -> {
            final Communicator inter = join(rank.world(), 1);
            if (rank.worldRank() == 0) {
                inter.engine().blocking().barrier();
            } else {
                inter.engine().blocking().bcast(new int[1], 1, Datatype.INT, ROOT);
            }
            inter.engine().blocking().barrier();
        }));
        // the rank that fails first is in either group
        final String seen = failure.getCause().getMessage().replaceFirst("^collective calls differ on comm \\d+: ", "");
        assertTrue(seen.equals("rank 0 of the local group calls barrier(), rank 0 of the remote group calls bcast()")
            || seen.equals("rank 0 of the local group calls bcast(), rank 0 of the remote group calls barrier()"), seen);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldNameTheRankThatReportedAFailureWithinAGroupAndBetweenTheGroups(final int nodes) throws Exception {
        final Op broken = Op.user("broken", true, (in, inout, count, type) -> {
            throw new IllegalStateException("boom");
        });
        run(nodes, Map.of("coll.allreduce", "BasicModule/leaders"), rank -> {
            final Communicator inter = join(rank.world(), FIRST);
            // the leader of the first group reduces; the data of the other ranks of its group may arrive before it fails
            final Op op = rank.worldRank() < FIRST ? broken : Op.SUM;
            final Runnable call = () -> inter.engine().blocking().allreduce(new int[1], new int[1], 1, Datatype.INT, op);
            switch (rank.worldRank()) {
                case 0 ->
                    assertEquals("reduction failed: java.lang.IllegalStateException: boom", assertThrows(MpiFailure.class, call::run).getMessage());
                case FIRST -> assertEquals(reportedBy("rank 0 of the remote group", inter), assertThrows(MpiFailure.class, call::run).getMessage());
                case FIRST + 1 ->
                    assertEquals(reportedBy("rank 0 of the local group", inter), assertThrows(MpiFailure.class, call::run).getMessage());
                default -> {
                    try {
                        call.run();
                    } catch (final MpiFailure e) {
                        assertEquals(reportedBy("rank 0 of the local group", inter), e.getMessage());
                    }
                }
            }
            inter.engine().blocking().barrier();
        });
    }

    private static String reportedBy(final String rank, final Communicator inter) {
        return "collective failed on another rank: " + rank + " reported it on " + inter.name();
    }
}
