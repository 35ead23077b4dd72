package tutti.runtime.comm;

import java.lang.foreign.MemorySegment;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.request.RankLifecycle;
import tutti.runtime.schedule.CollectiveChannel;
import tutti.runtime.schedule.PlanBuilder;
import tutti.runtime.schedule.PlanContext;
import tutti.runtime.schedule.ScheduleExecution;

/**
 * Steps that some ranks take together before, or without, any module serving them: schedules like any collective, over a binomial tree
 * whose root is the first of them.
 */
final class BootstrapCollective {
    private final CollectiveChannel channel;
    private final RankLifecycle life;
    private final int ranks;
    /** Who takes part, as ranks of the channel; null for all. */
    private final int[] members;
    private final int place;

    private BootstrapCollective(final CollectiveChannel channel, final RankLifecycle life, final int ranks, final int[] members, final int place) {
        this.channel = channel;
        this.life = life;
        this.ranks = ranks;
        this.members = members;
        this.place = place;
    }

    /** Of all ranks of a channel. */
    static BootstrapCollective ofAll(final CollectiveChannel channel, final RankLifecycle life, final int ranks) {
        return new BootstrapCollective(channel, life, ranks, null, channel.rank());
    }

    /** Of some of a channel's ranks, of which the calling one is at {@code place}. */
    static BootstrapCollective of(final CollectiveChannel channel, final RankLifecycle life, final int ranks, final int[] members, final int place) {
        return new BootstrapCollective(channel, life, ranks, members, place);
    }

    /** Starts to combine values element by element, in place; the number of the step is equal on all ranks. */
    ScheduleExecution combine(final long[] values, final Op op, final int step, final ScheduleExecution.CompletionListener atEnd) {
        final Call.Allreduce call = new Call.Allreduce(op.bind(Datatype.LONG), values.length, true);
        final PlanBuilder plan = plan(call);
        down(plan, Buffer.RECV.at(0, call.bytes()), up(plan, call));
        return start(plan, MemorySegment.ofArray(values), step, atEnd);
    }

    /** Starts to tell the root that this rank has come here; at the root the run ends when all have. */
    ScheduleExecution arrive(final int step, final ScheduleExecution.CompletionListener atEnd) {
        final Call.Allreduce nothing = new Call.Allreduce(Op.SUM.bind(Datatype.LONG), 0, true);
        final PlanBuilder plan = plan(nothing);
        up(plan, nothing);
        return start(plan, null, step, atEnd);
    }

    private PlanBuilder plan(final Call call) {
        return new PlanBuilder(call, channel.rank(), ranks, false, ranks, PlanContext.NONE);
    }

    private ScheduleExecution start(final PlanBuilder plan, final MemorySegment values, final int step,
        final ScheduleExecution.CompletionListener atEnd) {
        final ScheduleExecution run = new ScheduleExecution(plan.freeze(), channel, null, life);
        run.start(null, values, step, atEnd);
        return run;
    }

    /** To the root; returns the task after which the data is this rank's own and its children's. */
    private int up(final PlanBuilder plan, final Call.Allreduce call) {
        final BufferRange data = Buffer.RECV.at(0, call.bytes());
        int last = plan.fence();
        for (int bit = 1; bit < count(); bit <<= 1) {
            if ((place & bit) != 0) {
                return plan.send(data, peer(place - bit), last);
            }
            if (place + bit < count()) {
                final BufferRange theirs = plan.scratch(call.bytes());
                last = plan.reduce(call.reduction(), theirs, data, plan.recv(theirs, peer(place + bit)), last);
            }
        }
        return last;
    }

    /** From the root. */
    private void down(final PlanBuilder plan, final BufferRange data, final int ready) {
        int last = ready;
        int bit = place == 0 ? Integer.highestOneBit(Math.max(1, 2 * count() - 1)) : Integer.lowestOneBit(place);
        if (place > 0) {
            last = plan.recv(data, peer(place - bit), last);
        }
        for (bit >>= 1; bit > 0; bit >>= 1) {
            if (place + bit < count()) {
                plan.send(data, peer(place + bit), last);
            }
        }
    }

    private int count() {
        return members == null ? ranks : members.length;
    }

    private int peer(final int at) {
        return members == null ? at : members[at];
    }
}
