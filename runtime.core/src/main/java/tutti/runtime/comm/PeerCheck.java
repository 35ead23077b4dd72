package tutti.runtime.comm;

import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.schedule.PlanBuilder;
import tutti.runtime.schedule.Traffic;

/**
 * Sees to it that the messages of a rank's plan are met by those of its peers, before any is sent: plans for the peers, too, and compares. A
 * module whose plans do not fit would otherwise leave ranks waiting for ever.
 *
 * <p>A peer whose arguments this rank cannot know is not checked, nor is one after so many that planning for them would take longer than it
 * is worth.
 */
final class PeerCheck {
    /** Tasks that may be planned for peers, for one plan of this rank. */
    private static final int BUDGET = 1024;

    private PeerCheck() { }

    /** Plans for a rank. */
    interface Planner<C extends Call> {
        /** The plan of {@code rank}; null when it cannot be made. */
        PlanBuilder plan(C call, int rank);
    }

    /** What does not fit, in words; null when nothing was found. */
    static <C extends Call> String flaw(final Operation<C> operation, final C call, final PlanBuilder own, final Planner<C> planner) {
        int budget = BUDGET;
        for (int peer = 0; peer < own.size() && budget > 0; peer++) {
            final C theirs = peer == own.rank() || !own.hasTraffic(peer) ? null : callOf(operation, call, own.rank(), peer);
            final PlanBuilder plan = theirs == null ? null : planner.plan(theirs, peer);
            if (plan != null) {
                final String flaw = Traffic.flaw(own, plan);
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
        };
    }
}
