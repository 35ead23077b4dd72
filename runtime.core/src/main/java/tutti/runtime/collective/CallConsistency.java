package tutti.runtime.collective;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;
import tutti.runtime.schedule.CallSignature;
import tutti.runtime.schedule.ScheduleExecution;

/**
 * Checks that all ranks of a communicator call the same collective, before any of them takes part in it. Fails on all ranks when two of them
 * differ.
 */
final class CallConsistency extends Request implements ScheduleExecution.CompletionListener {
    private final CommContext comm;
    private final int number;
    private final int ranks;
    private final long[] calls;
    private @Nullable Consumer<@Nullable MpiFailure> continuation;

    /** Creates a check; {@code number} is equal on all ranks. */
    CallConsistency(final CommContext comm, final int number, final long call, final long reduced, final CallSignature.Form form) {
        super(comm.owner().lifecycle());
        this.comm = comm;
        this.number = number;
        this.ranks = comm.all().size();
        this.calls = new long[3 * ranks];
        final int index = comm.all().rankOf(comm.owner().worldRank());
        calls[index] = call;
        calls[ranks + index] = reduced;
        calls[2 * ranks + index] = form.ordinal();
    }

    /** Returns the number of the check. */
    int number() {
        return number;
    }

    /** Starts the check; {@code then} is null, or receives the check's failure or null and runs the rest of the call. */
    Request start(final @Nullable Consumer<@Nullable MpiFailure> then) {
        continuation = then;
        comm.bootstrap(ContextIds.CHECKS).allreduce(calls, Op.BOR, number, this);
        return this;
    }

    @Override
    public @Nullable MpiFailure finished(final ScheduleExecution execution, final @Nullable MpiFailure failure) {
        return failure != null ? failure : compareCalls();
    }

    @Override
    public void afterCompletion(final ScheduleExecution execution, final @Nullable MpiFailure failure) {
        if (continuation != null) {
            continuation.accept(failure);
        }
        finish(failure);
    }

    private @Nullable MpiFailure compareCalls() {
        int first = 0;
        for (int i = 1; i < ranks; i++) {
            if (calls[i] != calls[0]) {
                return mismatch(0, i);
            }
            // ranks of an intercommunicator with root PROC_NULL do not know what is reduced
            final long reduced = calls[ranks + i];
            if (reduced != 0 && calls[ranks + first] == 0) {
                first = i;
            } else if (reduced != 0 && reduced != calls[ranks + first]) {
                return mismatch(first, i);
            }
        }
        return compareForms();
    }

    /** Compares whether the calls block: a blocking operation does not match a nonblocking or a persistent one. */
    private @Nullable MpiFailure compareForms() {
        for (int i = 1; i < ranks; i++) {
            final long[] forms = {calls[2 * ranks], calls[2 * ranks + i]};
            if (forms[0] != forms[1]) {
                return CallSignature.differ(comm.name(), name(0), name(i), both(0, i), forms);
            }
        }
        return null;
    }

    private MpiFailure mismatch(final int one, final int other) {
        return CallSignature.differ(comm.name(), name(one), name(other), both(one, other));
    }

    private long[] both(final int one, final int other) {
        return new long[] {calls[one], calls[other], calls[ranks + one], calls[ranks + other]};
    }

    private String name(final int index) {
        return comm.isInter() ? "rank " + comm.all().worldRank(index) + " of the job" : "rank " + index;
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
