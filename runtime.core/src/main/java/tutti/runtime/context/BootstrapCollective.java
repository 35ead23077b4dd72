package tutti.runtime.context;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Task;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.schedule.CollectiveChannel;
import tutti.runtime.schedule.PlanBuilder;
import tutti.runtime.schedule.PlanContext;
import tutti.runtime.schedule.Schedule;
import tutti.runtime.schedule.ScheduleExecution;

/**
 * Runs the collectives that ranks need before, or without, selected modules: schedules like those of any collective, over a binomial tree whose
 * root is the first participating rank.
 */
public final class BootstrapCollective {
    private final CollectiveChannel channel;
    private final RankLifecycle lifecycle;
    private final int ranks;
    /** Participating ranks, as ranks of the channel; null for all. */
    private final int @Nullable [] members;
    private final int index;
    private final BootstrapSchedules schedules;

    private BootstrapCollective(final CollectiveChannel channel, final RankLifecycle lifecycle, final int ranks,
        final int @Nullable [] members, final int index, final BootstrapSchedules schedules) {
        this.schedules = schedules;
        this.channel = channel;
        this.lifecycle = lifecycle;
        this.ranks = ranks;
        this.members = members;
        this.index = index;
    }

    /** Returns the collectives of all ranks of a channel, with the schedules that were planned for them. */
    static BootstrapCollective ofAll(final CollectiveChannel channel, final RankLifecycle lifecycle, final int ranks,
        final BootstrapSchedules schedules) {
        return new BootstrapCollective(channel, lifecycle, ranks, null, channel.rank(), schedules);
    }

    /**
     * Returns the collectives of some ranks of a channel.
     *
     * @param index index of the calling rank in {@code members}
     */
    static BootstrapCollective of(final CollectiveChannel channel, final RankLifecycle lifecycle, final int ranks, final int[] members,
        final int index) {
        return new BootstrapCollective(channel, lifecycle, ranks, members, index, new BootstrapSchedules());
    }

    /** Starts an allreduce of values, element by element and in place; {@code step} is equal on all ranks. */
    public ScheduleExecution allreduce(final long[] values, final Op op, final int step,
        final ScheduleExecution.@Nullable CompletionListener atEnd) {
        return allreduce(values, op, step, 0, atEnd);
    }

    /**
     * Starts an allreduce for a call, which fails where another rank is in another call.
     *
     * @param call a {@link tutti.runtime.schedule.CallSignature}; 0 to compare nothing
     */
    ScheduleExecution allreduce(final long[] values, final Op op, final int step, final long call,
        final ScheduleExecution.@Nullable CompletionListener atEnd) {
        return start(schedules.of(op, values.length, call, () -> planAllreduce(op, values.length, call)), MemorySegment.ofArray(values), step, atEnd);
    }

    /** Starts to notify the root that this rank has arrived; at the root the execution ends when all ranks have. */
    public ScheduleExecution arrive(final int step, final ScheduleExecution.@Nullable CompletionListener atEnd) {
        return start(schedules.of(null, 0, 0, this::planArrival), null, step, atEnd);
    }

    private Schedule planAllreduce(final Op op, final int values, final long signature) {
        final Call.Allreduce call = new Call.Allreduce(op.bind(Datatype.LONG), values, true);
        final PlanBuilder plan = plan(call);
        plan.setSignature(signature);
        planBcast(plan, Buffer.RECV.at(0, call.bytes()), planReduce(plan, call));
        return plan.freeze();
    }

    private Schedule planArrival() {
        final Call.Allreduce nothing = new Call.Allreduce(Op.SUM.bind(Datatype.LONG), 0, true);
        final PlanBuilder plan = plan(nothing);
        planReduce(plan, nothing);
        return plan.freeze();
    }

    private PlanBuilder plan(final Call call) {
        return new PlanBuilder(call, channel.rank(), ranks, false, ranks, PlanContext.NONE);
    }

    private ScheduleExecution start(final Schedule schedule, final @Nullable MemorySegment values, final int step,
        final ScheduleExecution.@Nullable CompletionListener atEnd) {
        final ScheduleExecution execution = new ScheduleExecution(schedule, channel, null, lifecycle);
        execution.start(null, values, step, atEnd);
        return execution;
    }

    /** Plans the reduction to the root; returns the task after which the data combines this rank and its children: empty data does not show it. */
    private Task planReduce(final PlanBuilder plan, final Call.Allreduce call) {
        final BufferRange data = Buffer.RECV.at(0, call.bytes());
        Task last = plan.fence();
        for (int bit = 1; bit < count(); bit <<= 1) {
            if ((index & bit) != 0) {
                return plan.send(data, peer(index - bit), last);
            }
            if (index + bit < count()) {
                final BufferRange child = plan.scratch(call.bytes());
                last = plan.reduce(call.reduction(), child, data, plan.recv(child, peer(index + bit)), last);
            }
        }
        return last;
    }

    /** Plans the broadcast from the root. */
    private void planBcast(final PlanBuilder plan, final BufferRange data, final Task ready) {
        Task last = ready;
        int bit = index == 0 ? Integer.highestOneBit(Math.max(1, 2 * count() - 1)) : Integer.lowestOneBit(index);
        if (index > 0) {
            last = plan.recv(data, peer(index - bit), last);
        }
        for (bit >>= 1; bit > 0; bit >>= 1) {
            if (index + bit < count()) {
                plan.send(data, peer(index + bit), last);
            }
        }
    }

    private int count() {
        return members == null ? ranks : members.length;
    }

    private int peer(final int index) {
        return members == null ? index : members[index];
    }
}
