package tutti.runtime.collective;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Op;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.model.ErrorClass;
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
    private final long[] values;
    private @Nullable Consumer<@Nullable MpiFailure> continuation;

    /** Creates a check; {@code number} is equal on all ranks. */
    CallConsistency(final CommContext comm, final int number, final CallDetails call) {
        super(comm.owner().lifecycle());
        this.comm = comm;
        this.number = number;
        this.values = new long[CallDetails.VALUES * comm.all().size()];
        call.write(values, comm.members().index());
    }

    /** Returns the number of the check. */
    int number() {
        return number;
    }

    /** Starts the check; {@code then} is null, or receives the check's failure or null and runs the rest of the call. */
    Request start(final @Nullable Consumer<@Nullable MpiFailure> then) {
        continuation = then;
        comm.bootstrap(ContextIds.CHECKS).allreduce(values, Op.BOR, number, this);
        return this;
    }

    @Override
    public Pending pendingOperation() {
        return Pending.ofAll(PendingWait.Kind.COLLECTIVE, comm.id(), number);
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
        final List<CallDetails> calls = IntStream.range(0, comm.all().size()).mapToObj(i -> CallDetails.read(values, i)).toList();
        return comm.isInter() ? new InterCallComparison(comm, calls, comm.members().isFirst() ? comm.size() : comm.remoteSize()).failure()
            : differing(calls);
    }

    private @Nullable MpiFailure differing(final List<CallDetails> calls) {
        final CallDetails first = calls.getFirst();
        for (int i = 1; i < calls.size(); i++) {
            final CallDetails other = calls.get(i);
            if (!other.isSameCall(first)) {
                return CallSignature.differ(comm.name(), "rank 0", "rank " + i,
                    new long[] {first.call(), other.call(), first.reduced(), other.reduced()});
            }
        }
        for (int i = 1; i < calls.size(); i++) {
            if (calls.get(i).form() != first.form()) {
                return CallSignature.differ(ErrorClass.OTHER, comm.name(), "rank 0 calls " + first.withForm(),
                    "rank " + i + " calls " + calls.get(i).withForm());
            }
        }
        return null;
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
