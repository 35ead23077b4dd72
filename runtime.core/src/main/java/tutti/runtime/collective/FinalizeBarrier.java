package tutti.runtime.collective;

import org.jspecify.annotations.Nullable;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Op;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.policy.CheckLevel;
import tutti.runtime.request.Request;
import tutti.runtime.schedule.ScheduleExecution;

/**
 * Waits in Finalize for all ranks of the job. Its messages are not those of collectives: a rank that misses a barrier and finalizes does not take
 * part in the barrier of the others. Fails on all ranks if they have made different numbers of collective calls on COMM_WORLD.
 */
final class FinalizeBarrier extends Request implements ScheduleExecution.CompletionListener {
    /** Bits of a rank, below the number of its calls. */
    private static final int RANK_BITS = 20;

    private final CommContext comm;
    /** The least number of calls of a rank, and the greatest, negative; each with the rank. */
    private final long[] values;

    /** Creates the barrier of a rank that has made a number of calls. */
    FinalizeBarrier(final CommContext comm, final long calls) {
        super(comm.owner().lifecycle());
        this.comm = comm;
        this.values = new long[] {calls << RANK_BITS | comm.rank(), -(calls << RANK_BITS | comm.rank())};
    }

    /** Starts to wait; returns this request. */
    Request start() {
        comm.bootstrap(ContextIds.FINALIZE).allreduce(values, Op.MIN, 0, this);
        return this;
    }

    @Override
    public Pending pendingOperation() {
        return Pending.ofAll(PendingWait.Kind.FINALIZE, comm.id(), -1);
    }

    @Override
    public @Nullable MpiFailure finished(final ScheduleExecution execution, final @Nullable MpiFailure failure) {
        final long fewest = values[0];
        final long most = -values[1];
        // Cause: a rank has left out a collective, of which the others needed nothing of it. Remedy: let all ranks call it; `-p check=full` names the
        // call.
        return failure != null || comm.owner().checking() == CheckLevel.OFF || fewest >> RANK_BITS == most >> RANK_BITS ? failure
            : new MpiFailure(ErrorClass.OTHER, "ranks have made different numbers of collective calls on " + comm.name() + " before Finalize: "
                + text(fewest) + ", " + text(most));
    }

    private static String text(final long value) {
        return "rank " + (value & (1 << RANK_BITS) - 1) + ": " + (value >> RANK_BITS);
    }

    @Override
    public void afterCompletion(final ScheduleExecution execution, final @Nullable MpiFailure failure) {
        finish(failure);
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
