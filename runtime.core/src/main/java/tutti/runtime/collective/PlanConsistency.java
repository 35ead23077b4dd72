package tutti.runtime.collective;

import org.jspecify.annotations.Nullable;
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Neighbors;
import tutti.coll.Operation;
import tutti.runtime.schedule.PairTraffic;
import tutti.runtime.schedule.PlanBuilder;

/**
 * Checks that the messages of a rank's plan match those of its peers' plans before any message is sent: plans for the peers as well, and
 * compares. Otherwise a module whose plans do not match would leave ranks waiting forever.
 *
 * <p>A rank does not always know its peers' arguments (alltoallv, neighbourhood collectives, and gatherv and scatterv except at the root). Then
 * the plans of an example are compared: a mismatch found there is an error, and errors that the example does not show are not found. Peers are
 * checked until a budget of planned tasks is used up.
 */
final class PlanConsistency {
    /** Number of tasks that may be planned for peers, per plan of this rank. */
    private static final int BUDGET = 1024;
    private static final Blocks RING = Blocks.uniform(2, 8);

    private PlanConsistency() {}

    /** Plans a call for a rank. */
    interface Planner<C extends Call> {
        /** Returns the plan of {@code rank}; null when it cannot be made. */
        @Nullable
        PlanBuilder plan(C call, int rank);
    }

    /** Returns a description of the first mismatch; null when none was found. */
    static <C extends Call> @Nullable String findMismatch(final Operation<C> operation, final C call, final PlanBuilder own,
        final Planner<C> planner) {
        final C example = callOf(operation, call, own.rank(), own.rank()) == null ? example(operation, call, own.rank(), own.size()) : null;
        final PlanBuilder ownPlan = example == null ? own : planner.plan(example, own.rank());
        if (ownPlan == null) {
            return null;
        }
        int budget = BUDGET;
        for (int peer = 0; peer < own.size() && budget > 0; peer++) {
            final C peerCall = peer == own.rank() || !ownPlan.hasTraffic(peer) ? null
                : example != null ? example(operation, call, peer, own.size()) : callOf(operation, call, own.rank(), peer);
            final PlanBuilder plan = peerCall == null ? null : planner.plan(peerCall, peer);
            if (plan != null) {
                final String mismatch = PairTraffic.mismatch(ownPlan, plan);
                if (mismatch != null) {
                    return mismatch;
                }
                budget -= plan.taskCount();
            }
        }
        return null;
    }

    /** Returns the call as another rank makes it; null when this rank does not know its arguments. */
    @SuppressWarnings("unchecked")
    static <C extends Call> @Nullable C callOf(final Operation<C> operation, final C call, final int rank, final int peer) {
        return (C) switch (call) {
            case Call.Allgather c -> new Call.Allgather(c.recv().bytes(peer), c.recv(), c.inPlace());
            case Call.Alltoall c -> (Operation<?>) operation == Operation.ALLTOALL ? c : null;
            case Call.Reduce c -> new Call.Reduce(c.reduction(), c.count(), c.root(), false);
            case Call.Gather c when (Operation<?>) operation == Operation.GATHER -> new Call.Gather(c.sendBytes(), c.recv(), c.root(), false);
            case Call.Gather c -> rank == c.root() && c.recv() != null ? new Call.Gather(c.recv().bytes(peer), null, c.root(), false) : null;
            case Call.Scatter c when (Operation<?>) operation == Operation.SCATTER -> new Call.Scatter(c.send(), c.recvBytes(), c.root(), false);
            case Call.Scatter c ->
                rank == c.root() && c.send() != null ? new Call.Scatter((Blocks) null, c.send().bytes(peer), c.root(), false) : null;
            case Call.Barrier c -> c;
            case Call.Bcast c -> c;
            case Call.Allreduce c -> c;
            case Call.Scan c -> c;
            case Call.ReduceScatter c -> c;
            case Call.NeighborAllgather c -> null;
            case Call.NeighborAlltoall c -> null;
        };
    }

    /**
     * Returns an example call. Every pair of ranks has blocks of equal length for each other, so that the call may be in place; the topology is
     * a ring.
     */
    @SuppressWarnings("unchecked")
    private static <C extends Call> C example(final Operation<C> operation, final C call, final int rank, final int size) {
        final Blocks all = blocks(call instanceof Call.Alltoall ? rank : 0, size);
        return (C) switch (call) {
            case Call.Alltoall c -> new Call.Alltoall(all, all, c.inPlace());
            case Call.Gather c -> new Call.Gather(all.bytes(rank), rank == c.root() ? all : null, c.root(), false);
            case Call.Scatter c -> new Call.Scatter(rank == c.root() ? all : null, all.bytes(rank), c.root(), false);
            case Call.NeighborAllgather c -> new Call.NeighborAllgather(ring(rank, size), RING.bytes(0), RING);
            case Call.NeighborAlltoall c -> new Call.NeighborAlltoall(ring(rank, size), RING, RING);
            default -> throw new IllegalStateException("arguments of peers are known: operation=" + operation);
        };
    }

    private static Neighbors ring(final int rank, final int size) {
        final int left = (rank + size - 1) % size;
        final int right = (rank + 1) % size;
        return Neighbors.of(new int[] {right, left}, new int[] {left, right});
    }

    private static Blocks blocks(final int rank, final int size) {
        final long[] lengths = new long[size];
        for (int i = 0; i < size; i++) {
            lengths[i] = 8L * ((i * rank + i + rank) % 5);
        }
        return Blocks.packed(lengths);
    }
}
