package tutti.runtime.p2p;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.match.CancelItem;
import tutti.runtime.match.CompletionHandler;
import tutti.runtime.match.MessageOperation;
import tutti.runtime.match.QueueWriter;
import tutti.runtime.match.Send;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;
import tutti.runtime.serial.SerialExecutor;

/**
 * The buffer that a rank attached for buffered sends. Counts the bytes of it that are in use. The messages themselves are held in memory of
 * their own, which is reused. Eager messages need no attached buffer and take nothing of it, unless too many of them wait for credit. Safe for any
 * thread.
 *
 * <p><b>Threads.</b> The lock of this object guards the count and the pool, and no message is sent under it. A message gives its bytes back on the
 * thread that completes it, which wakes a detaching thread.
 */
public final class AttachedBuffer {
    /** Bytes that a message takes in addition to its data. */
    public static final int OVERHEAD = 128;
    /** Bytes that eager messages may take together before they have left; further ones take space of the attached buffer. */
    private static final int EAGER_SPACE = 1024 * 1024;
    private static final int MAX_POOLED = 16;
    private static final int MAX_POOLED_BYTES = 64 * 1024;

    private final RankLifecycle lifecycle;
    private final Deque<Message> pool = new ArrayDeque<>();
    private byte @Nullable [] attached;
    private long used;
    private long eagerUsed;
    private @Nullable DrainRequest drained;

    public AttachedBuffer(final RankLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    /** Attaches a buffer; none must be attached. */
    public synchronized void attach(final byte[] buffer) {
        if (buffer == null) {
            throw new MpiFailure(ErrorClass.BUFFER, "buffer is null");
        }
        if (attached != null) {
            // Cause: one buffer at a time. Remedy: `MPI.detachBuffer` before.
            throw new MpiFailure(ErrorClass.BUFFER, "a buffer is attached already: bytes=" + attached.length);
        }
        if (drained != null) {
            // Remedy: wait for that thread.
            throw new MpiFailure(ErrorClass.BUFFER, "a buffer is being detached by another thread");
        }
        attached = buffer;
    }

    /** Waits until all messages have left the buffer, then detaches and returns it. */
    public byte[] detach() {
        final byte[] buffer = detachIfAttached();
        if (buffer == null) {
            // Cause: `detachBuffer` without `attachBuffer`. Remedy: attach one before.
            throw new MpiFailure(ErrorClass.BUFFER, "no buffer is attached");
        }
        return buffer;
    }

    /** Detaches like {@link #detach}; returns null when no buffer is attached. */
    public byte @Nullable [] detachIfAttached() {
        final byte[] buffer;
        final DrainRequest leaving;
        synchronized (this) {
            buffer = attached;
            if (buffer == null) {
                return null;
            }
            attached = null;
            if (used == 0) {
                return buffer;
            }
            leaving = new DrainRequest(lifecycle);
            drained = leaving;
        }
        leaving.await();
        return buffer;
    }

    /** Returns whether no message is in the buffer. */
    public synchronized boolean isEmpty() {
        return used == 0 && eagerUsed == 0;
    }

    /** Returns a message for so many bytes, to be sent at once. */
    synchronized Message take(final long bytes) {
        final long need = bytes + OVERHEAD;
        if (bytes <= Send.EAGER_LIMIT && eagerUsed + need <= EAGER_SPACE) {
            eagerUsed += need;
            return message(true);
        }
        if (attached == null) {
            // Cause: `bSend` copies to a buffer of the program.
            throw new MpiFailure(ErrorClass.BUFFER, "buffered send without a buffer: need=" + need + " bytes (message=" + bytes + ", overhead="
                + OVERHEAD + "): attach one with MPI.attachBuffer first");
        }
        if (need > attached.length - used) {
            // Cause: messages of earlier calls are still in the buffer.
            throw new MpiFailure(ErrorClass.BUFFER, "no room for a buffered send: need=" + need + " bytes (message=" + bytes + ", overhead="
                + OVERHEAD + "), free=" + (attached.length - used) + ", attached=" + attached.length
                + ": attach a larger buffer with MPI.attachBuffer, or send less before it is received");
        }
        used += need;
        return message(false);
    }

    private Message message(final boolean isEager) {
        final Message free = pool.poll();
        final Message message = free == null ? new Message() : free;
        message.isEager = isEager;
        message.use++;
        return message;
    }

    private synchronized @Nullable CompletionHandler release(final Message message, final long bytes) {
        message.use++;
        if (message.isEager) {
            eagerUsed -= bytes + OVERHEAD;
        } else {
            used -= bytes + OVERHEAD;
        }
        // one that is about to be cancelled must not become another message
        if (pool.size() < MAX_POOLED && message.isSmall() && message.listener == null) {
            pool.push(message);
        }
        if (used == 0 && drained != null) {
            drained.complete();
            drained = null;
        }
        return message.listener;
    }

    private synchronized boolean isListening(final Message message, final long use, final CompletionHandler listener) {
        if (message.use == use) {
            message.listener = listener;
        }
        return message.use == use;
    }

    /** A message in the buffer, or an eager one. */
    final class Message implements CompletionHandler {
        /** Whether it takes nothing of the attached buffer; guarded by the buffer. */
        private boolean isEager;
        /** Changes when the message is taken and when it has left; guarded by the buffer. */
        private long use;
        /** Set when the message is to be cancelled; guarded by the buffer. */
        private @Nullable CompletionHandler listener;
        private final Send send = new Send();
        private MemorySegment memory = MemorySegment.ofArray(new byte[64]);

        /** Returns the number of this use of the message; for the thread that has taken it, before it sends. */
        long use() {
            return use;
        }

        /**
         * Copies a message and sends it.
         *
         * @param queue the queue to the target that the message bypasses, or null
         */
        void send(final Send original, final SerialExecutor target, final @Nullable QueueWriter queue) {
            final long bytes = original.bytes();
            if (bytes > memory.byteSize()) {
                memory = MemorySegment.ofArray(new byte[(int) bytes]);
            }
            MemorySegment.copy(original.data(), original.offset(), memory, 0, bytes);
            send.envelope(original.context(), original.source(), original.tag(), bytes);
            send.message(memory, 0, original.destination(), false);
            send.bypass(queue);
            send.arm(this, null, 0);
            target.submit(send);
        }

        /**
         * Cancels the message unless it has been received.
         *
         * @param ofUse  the use that is cancelled
         * @param target what the message was sent to
         * @param told   called when it is cancelled or received
         * @return false if it has left already, and nobody is told
         */
        boolean cancel(final long ofUse, final SerialExecutor target, final CompletionHandler told) {
            final boolean isHere = isListening(this, ofUse, told);
            if (isHere) {
                target.submit(new CancelItem(send));
            }
            return isHere;
        }

        boolean isSmall() {
            return memory.byteSize() <= MAX_POOLED_BYTES;
        }

        @Override
        public void completed(final MessageOperation op) {
            final CompletionHandler told = release(this, send.bytes());
            if (told != null) {
                told.completed(op);
            }
        }
    }

    /** A request that is complete when all messages have left the buffer. */
    private static final class DrainRequest extends Request {
        DrainRequest(final RankLifecycle lifecycle) {
            super(lifecycle);
        }

        void complete() {
            finish(null);
        }

        @Override
        public Pending pendingOperation() {
            return Pending.of(PendingWait.Kind.BUFFER);
        }

        @Override
        public Status status() {
            return Status.EMPTY;
        }
    }
}
