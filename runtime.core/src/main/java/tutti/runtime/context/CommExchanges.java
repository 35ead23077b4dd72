package tutti.runtime.context;

import java.util.concurrent.atomic.AtomicInteger;
import tutti.runtime.datatype.Op;
import tutti.runtime.policy.CheckLevel;
import tutti.runtime.request.Request;
import tutti.runtime.schedule.CallSignature;

/**
 * A sequence of exchanges between all ranks of a communicator, of an intercommunicator those of both groups. The ranks make the same exchanges in the
 * same order. The sequences of a communicator have contexts of their own, so threads may be in several at the same time. Safe for any thread.
 */
public final class CommExchanges {
    private final CommContext comm;
    private final int kind;
    private final AtomicInteger begun = new AtomicInteger();

    /** Creates a sequence in a kind of context of the communicator. */
    CommExchanges(final CommContext comm, final int kind) {
        this.comm = comm;
        this.kind = kind;
    }

    /** Combines values of all ranks in place, and waits. */
    public void combine(final long[] values, final Op op) {
        start(values, op, 0).await();
    }

    /** Combines values of all ranks in place, to create a communicator; fails where another rank creates one by another call. */
    public void combine(final long[] values, final Op op, final CallSignature.Creation creation) {
        start(values, op, creation).await();
    }

    /** Starts to combine values as {@link #combine(long[], Op, CallSignature.Creation)} does. */
    public Request start(final long[] values, final Op op, final CallSignature.Creation creation) {
        return start(values, op, comm.owner().checking() == CheckLevel.OFF ? 0 : CallSignature.of(creation));
    }

    private Request start(final long[] values, final Op op, final long call) {
        return comm.bootstrap(kind).allreduce(values, op, begun.getAndIncrement(), call, null);
    }

    /** Returns how many exchanges have begun. */
    public long begun() {
        return begun.get();
    }
}
