package tutti.runtime.comm;

import java.lang.foreign.MemorySegment;
import tutti.runtime.match.Op;
import tutti.runtime.match.Send;
import tutti.runtime.match.Serial;
import tutti.runtime.match.Sink;
import tutti.runtime.request.Life;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;

/** A send that is waited for. */
final class SendRequest extends Request implements Sink {
    final Send send = new Send();
    private boolean buffered;

    SendRequest(final Life life) {
        super(life);
    }

    /** Copies the data, so that the message needs the caller's memory no more. */
    void bufferedFrom(final Side side) {
        final MemorySegment copy = MemorySegment.ofArray(new byte[Math.toIntExact(side.bytes())]);
        MemorySegment.copy(side.memory(), 0, copy, 0, side.bytes());
        send.message(copy, 0, 0, false);
    }

    void start(final Serial target, final int worldRank, final boolean completeNow) {
        reset();
        buffered = completeNow;
        send.message(send.data(), send.offset(), worldRank, send.isSynchronous());
        send.arm(this, null, 0);
        target.submit(send);
        if (completeNow) {
            finish(null);
        }
    }

    @Override
    public void completed(final Op op) {
        send.release();
        if (!buffered) {
            finish(op.failure());
        }
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
