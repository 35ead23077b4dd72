package tutti.runtime.comm;

import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Neighbors;
import tutti.coll.Operation;
import tutti.runtime.schedule.PairTraffic;
import tutti.runtime.schedule.PlanBuilder;

/**
 * Sees to it that the messages of a rank's plan are met by those of its peers, before any is sent: plans for the peers, too, and compares. A
 * module whose plans do not fit would otherwise leave ranks waiting for ever.
 *
 * <p>Where a rank cannot know its peers' arguments (alltoallv, neighbour calls, and gatherv and scatterv off the root), the plans of an example are
 * compared: what does not fit there is wrong, and what fits only there is not found. Peers are checked as long as planning for them does not take
 * longer than it is worth.
 */
final class PlanConsistency {
    /** Tasks that may be planned for peers, for one plan of this rank. */
    private static final int BUDGET = 1024;
    private static final Blocks RING = Blocks.uniform(2, 8);

    private PlanConsistency() { }

    /** Plans for a rank. */
    interface Planner<C extends Call> {
        /** The plan of {@code rank}; null when it cannot be made. */
        PlanBuilder plan(C call, int rank);
    }

    /** What does not fit, in words; null when nothing was found. */
    static <C extends Call> String flaw(final Operation<C> operation, final C call, final PlanBuilder own, final Planner<C> planner) {
        final C example = callOf(operation, call, own.rank(), own.rank()) == null ? example(operation, call, own.rank(), own.size()) : null;
        final PlanBuilder mine = example == null ? own : planner.plan(example, own.rank());
        int budget = mine == null ? 0 : BUDGET;
        for (int peer = 0; peer < own.size() && budget > 0; peer++) {
            final C theirs = peer == own.rank() || !mine.hasTraffic(peer) ? null
                : example != null ? example(operation, call, peer, own.size()) : callOf(operation, call, own.rank(), peer);
            final PlanBuilder plan = theirs == null ? null : planner.plan(theirs, peer);
            if (plan != null) {
                final String flaw = PairTraffic.flaw(mine, plan);
                if (flaw != null) {
                    return flaw;
                }
                budget -= plan.tasks();
            }
        }
        return null;
    }

    /** The call as another rank makes it; null when this rank cannot know. */
    @SuppressWarnings("unchecked")
    private static <C extends Call> C callOf(final Operation<C> operation, final C call, final int rank, final int peer) {
        return (C) switch (call) {
            case Call.Allgather c -> new Call.Allgather(c.recv().bytes(peer), c.recv(), c.inPlace());
            case Call.Alltoall c -> (Operation<?>) operation == Operation.ALLTOALL ? c : null;
            case Call.Reduce c -> new Call.Reduce(c.reduction(), c.count(), c.root(), false);
            case Call.Gather c when (Operation<?>) operation == Operation.GATHER -> new Call.Gather(c.sendBytes(), c.recv(), c.root(), false);
            case Call.Gather c -> rank == c.root() ? new Call.Gather(c.recv().bytes(peer), null, c.root(), false) : null;
            case Call.Scatter c when (Operation<?>) operation == Operation.SCATTER -> new Call.Scatter(c.send(), c.recvBytes(), c.root(), false);
            case Call.Scatter c -> rank == c.root() ? new Call.Scatter((Blocks) null, c.send().bytes(peer), c.root(), false) : null;
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
     * A call in which every pair of ranks has blocks of the same length for each other, so that it may be in place; between neighbours, a ring.
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
