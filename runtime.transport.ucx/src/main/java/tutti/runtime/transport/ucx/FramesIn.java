package tutti.runtime.transport.ucx;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Incoming frames of a link: posted receives, whose buffers are handed to the handler in the order in which they were posted, which is that of the
 * sender. A message without bytes is the peer's end.
 *
 * <p>libucp receives only in a worker's progress, and all that was received is delivered before the next one: so what it keeps is bounded by one
 * progress, and a slow handler holds up the peer.
 *
 * <p><b>Threads.</b> Used under the link's lock.
 */
final class FramesIn {
    private static final int RECEIVES = 8;
    private static final long NONE = 0;

    private final int maxFrame;
    private final MemorySegment memory;
    private final MemorySegment info;
    private final long[] requests = new long[RECEIVES];
    private int head;
    private long status;

    /** Receives frames. */
    interface Receiver {
        /** Receives a frame, or with no bytes the peer's end; returns whether to go on. */
        boolean received(MemorySegment memory, long offset, int bytes);
    }

    /** Creates buffers for frames of at most {@code maxFrame} bytes. */
    FramesIn(final Arena arena, final int maxFrame) {
        this.maxFrame = maxFrame;
        memory = arena.allocate((long) RECEIVES * maxFrame, 4096);
        // ucp_tag_recv_info_t: sender_tag u64, length u64 at 8
        info = arena.allocate(ValueLayout.JAVA_LONG, 2);
    }

    /** Posts all receives; returns the status. */
    int start(final Worker worker, final long params) {
        for (int i = 0; i < RECEIVES && status == Ucp.OK; i++) {
            post(worker, params, i);
        }
        return (int) status;
    }

    private void post(final Worker worker, final long params, final int slot) {
        long request = Ucp.receive(worker.handle(), memory.address() + (long) slot * maxFrame, maxFrame, params);
        if (Ucp.isRequest(request)) {
            requests[slot] = request;
        } else {
            requests[slot] = NONE;
            status = request;
        }
    }

    /** Delivers the frames that have arrived, at most {@code most}; returns their number. A failure is in {@link #status} then. */
    int deliver(final Worker worker, final long params, final Receiver receiver, final int most) {
        int count = 0;
        boolean goesOn = true;
        while (count < most && goesOn && status == Ucp.OK) {
            int slot = head;
            long request = requests[slot];
            int now = Ucp.received(request, info.address());
            if (now == Ucp.IN_PROGRESS) {
                break;
            }
            requests[slot] = NONE;
            Ucp.free(request);
            if (now != Ucp.OK) {
                status = now;
                break;
            }
            count++;
            try {
                goesOn = receiver.received(memory, (long) slot * maxFrame, (int) info.get(ValueLayout.JAVA_LONG, Long.BYTES));
            } finally {
                post(worker, params, slot);
                head = (slot + 1) % RECEIVES;
            }
        }
        return count;
    }

    /** Returns why nothing is received any more; 0 while it is. */
    int status() {
        return (int) status;
    }

    /** Cancels the receives, which libucp does not do by itself when the peer has died. */
    void cancel(final Worker worker) {
        for (long request : requests) {
            if (request != NONE) {
                Ucp.cancel(worker.handle(), request);
            }
        }
    }

    /** Drops what has arrived and nobody has received, of which libucp would complain, once the endpoint is closed. */
    void drop(final Worker worker, final long params) {
        long request = Ucp.receive(worker.handle(), memory.address(), maxFrame, params);
        while (Ucp.isRequest(request) && Ucp.finish(request) != Ucp.IN_PROGRESS) {
            request = Ucp.receive(worker.handle(), memory.address(), maxFrame, params);
        }
        if (Ucp.isRequest(request)) {
            Ucp.cancel(worker.handle(), request);
            worker.progress();
            if (Ucp.finish(request) == Ucp.IN_PROGRESS) {
                Ucp.free(request);
            }
        }
    }

    /** Frees the receives that have ended; returns whether all have. */
    boolean isIdle() {
        boolean idle = true;
        for (int i = 0; i < RECEIVES; i++) {
            if (requests[i] != NONE) {
                if (Ucp.finish(requests[i]) == Ucp.IN_PROGRESS) {
                    idle = false;
                } else {
                    requests[i] = NONE;
                }
            }
        }
        return idle;
    }
}
