package tutti.runtime.schedule;

import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.advanced.CollSubComm;
import tutti.coll.plan.PlanComm;
import tutti.coll.plan.PlanRecorder;

/**
 * The communicator of a plan, or of a collective nested in it. Immutable.
 *
 * @param context its sub-communicators
 * @param nested  the channel and the algorithms of a sub-communicator; null for the communicator of the plan itself
 */
record ChannelComm(PlanContext context, @Nullable Nested nested, int rank, int size, boolean isInter,
    int remoteSize) implements PlanComm<ChannelComm> {

    /** A sub-communicator and the context that it belongs to. */
    record Nested(PlanContext around, CollSubComm group, CollectiveChannel channel) {}

    @Override
    public boolean isOnSameNode(final int peer) {
        return nested == null ? context.areOnSameNode(rank, peer) : nested.channel.isOnSameNode(peer);
    }

    @Override
    public ChannelComm sub(final CollSubComm group) {
        final Nested sub = new Nested(context, group, context.channel(group));
        return new ChannelComm(context.within(group), sub, group.rank(), group.size(), false, group.size());
    }

    @Override
    public <C extends Call> void plan(final Operation<C> operation, final C call, final Plan plan) {
        if (nested == null) {
            throw new IllegalStateException("not a sub-communicator: operation=" + operation);
        }
        final ServingAlgorithm serving = nested.around.plan(nested.group, operation, call, plan);
        if (serving != null && plan instanceof final PlanRecorder<?> part && part.outermost() instanceof final PlanBuilder whole) {
            whole.tasks.segments.end(part.index(), part.taskCount(), serving);
        }
    }
}
