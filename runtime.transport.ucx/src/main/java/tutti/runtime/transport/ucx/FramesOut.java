package tutti.runtime.transport.ucx;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Outgoing frames of a link: a bounded ring of native memory, from which libucp sends.
 *
 * <pre>
 *   head               posted              tail
 *   | libucp sends      | not posted yet    |
 * </pre>
 *
 * <p><b>Threads.</b> The sender, one thread at a time, copies frames and advances {@code tail}. The holder of the link's lock posts them and advances
 * the others. The entries before {@code tail} are published by it, and freed by {@code head}. A sender that finds no room sets {@code blocked} and
 * looks again; the holder advances {@code head} and then looks at {@code blocked}: so one of them sees the other.
 */
final class FramesOut {
    private static final int ENTRIES = 1024;
    private static final int MASK = ENTRIES - 1;
    private static final int ALIGNMENT = 64;

    private final int capacity;
    private final MemorySegment memory;
    private final int[] offsets = new int[ENTRIES];
    private final int[] lengths = new int[ENTRIES];
    private final long[] requests = new long[ENTRIES];
    private volatile long head;
    private volatile long tail;
    private volatile boolean blocked;
    private long posted;
    /** Offset at which the sender writes next. */
    private int next;

    /** Creates a ring of {@code capacity} bytes in an arena that may be closed at any time. */
    FramesOut(final Arena arena, final int capacity) {
        this.capacity = capacity;
        this.memory = arena.allocate(capacity, ALIGNMENT);
    }

    /** Copies a frame, for the holder of the lock to post; returns false when there is no room. Called by the sender. */
    boolean offer(final byte[] header, final int headerBytes, final @Nullable MemorySegment payload, final long payloadOffset,
        final int payloadBytes) {
        int bytes = headerBytes + payloadBytes;
        int at = room(bytes);
        if (at < 0) {
            blocked = true;
            at = room(bytes);
            if (at < 0) {
                return false;
            }
        }
        MemorySegment.copy(header, 0, memory, ValueLayout.JAVA_BYTE, at, headerBytes);
        if (payload != null && payloadBytes > 0) {
            MemorySegment.copy(payload, payloadOffset, memory, at + headerBytes, payloadBytes);
        }
        long now = tail;
        int entry = (int) now & MASK;
        offsets[entry] = at;
        lengths[entry] = bytes;
        next = at + (bytes + ALIGNMENT - 1 & -ALIGNMENT);
        tail = now + 1;
        return true;
    }

    /** Returns where a frame fits; negative when it does not. An idle ring begins anew, so that its memory stays in the cache. */
    private int room(final int bytes) {
        long oldest = head;
        long now = tail;
        if (oldest == now) {
            return 0;
        }
        if (now - oldest == ENTRIES) {
            return -1;
        }
        int begin = offsets[(int) oldest & MASK];
        if (next > begin) {
            if (capacity - next >= bytes) {
                return next;
            }
            return bytes < begin ? 0 : -1;
        }
        return begin - next > bytes ? next : -1;
    }

    /** Notes that a sender waits, before the link accepts frames. */
    void block() {
        blocked = true;
    }

    /** Returns whether frames wait to be posted. Any thread. */
    boolean isUnposted() {
        return posted != tail;
    }

    /** Posts the frames that wait. Called under the link's lock; returns the status of the first that failed. */
    int post(final Worker worker, final long params) {
        long end = tail;
        while (posted != end) {
            int entry = (int) posted & MASK;
            long request = Ucp.send(worker.endpoint(), memory.address() + offsets[entry], lengths[entry], 0, params);
            if (request != 0 && !Ucp.isRequest(request)) {
                return (int) request;
            }
            requests[entry] = request;
            posted++;
            if (request == 0 && posted - 1 == head) {
                head = posted;
            }
        }
        return Ucp.OK;
    }

    /** Frees the frames that libucp has sent. Called under the link's lock; returns the status of the first that failed. */
    int reap() {
        long at = head;
        if (at == posted) {
            return Ucp.OK;
        }
        int status = Ucp.OK;
        while (at != posted) {
            status = Ucp.finish(requests[(int) at & MASK]);
            if (status == Ucp.IN_PROGRESS) {
                status = Ucp.OK;
                break;
            }
            requests[(int) at & MASK] = 0;
            at++;
            if (status != Ucp.OK) {
                break;
            }
        }
        head = at;
        return status;
    }

    /** Returns whether all frames are sent. Called under the link's lock. */
    boolean isEmpty() {
        return head == tail;
    }

    /** Returns, once, whether a sender waits and half of the ring is free. Called under the link's lock. */
    boolean clearBlocked() {
        if (!blocked || !isHalfFree()) {
            return false;
        }
        blocked = false;
        return true;
    }

    private boolean isHalfFree() {
        long oldest = head;
        long end = tail;
        if (oldest == end) {
            return true;
        }
        // a waiting sender does not change the last entry
        int begin = offsets[(int) oldest & MASK];
        int last = (int) (end - 1) & MASK;
        int used = offsets[last] + lengths[last] - begin;
        return end - oldest <= ENTRIES / 2 && (used >= 0 ? used : used + capacity) <= capacity / 2;
    }

    /** Frees the frames that libucp has sent or canceled, once the endpoint is closed; returns whether it has all. */
    boolean isSettled() {
        int status = reap();
        while (status != Ucp.OK) {
            status = reap();
        }
        return head == posted;
    }

    /** Ends the use of requests that libucp has not completed, once the endpoint is closed. */
    void release() {
        for (long i = head; i != posted; i++) {
            long request = requests[(int) i & MASK];
            if (Ucp.isRequest(request)) {
                Ucp.free(request);
            }
        }
        posted = head;
    }
}
