package tutti.runtime.transport.mina;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;
import tutti.runtime.transport.AccessInterrupt;

/**
 * Bytes that a link has accepted and not yet written to the network: a ring buffer in direct memory that grows on demand up to a high mark.
 *
 * <p>One sender appends (callers serialise their sends); a series of frames is written at its end, or when there is enough for a long write. The
 * holder of the token, either the sender or the I/O thread, writes from the ring to the channel. So an idle link is written on the sender's thread
 * and a busy one by both, never at the same time. Three rules keep bytes and wake-ups from being lost; each is a store to one volatile field
 * followed by a load of another, on both sides:
 * <ul>
 * <li>the sender moves {@code tail}, then checks the token; the holder releases the token, then checks {@code tail};</li>
 * <li>the sender sets {@link #senderBlocked}, then checks {@code head} again before it returns false; the I/O thread moves {@code head}, then
 *     checks {@link #senderBlocked};</li>
 * <li>when the channel accepts no more, the holder sets {@link #awaitingWritable} and requests a call of {@link #writable}; while it is set, senders
 *     only append. The I/O thread clears it and then writes.</li>
 * </ul>
 * {@code head} and the ring itself change under the token only. A failure of the channel discards the queued bytes and is kept in
 * {@link #failure}.
 *
 * <p><b>Threads.</b> Nobody waits for another thread, except a sender whose ring must grow, and {@link #close}: these spin until the token is free.
 * The I/O thread drives on what a sender left, after each request.
 */
final class OutboundBuffer {
    static final int HIGH_MARK = 1 << 20;
    private static final int MIN_SIZE = 4 << 10;
    private static final int MAX_DRAINS = 4;
    /**
     * Largest write. Longer writes keep the peer from reading while the rest is copied: a 1 MiB round trip takes twice as long at 128 KiB a write.
     */
    private static final int MAX_WRITE = 48 << 10;
    private static final VarHandle TOKEN;

    static {
        try {
            TOKEN = MethodHandles.lookup().findVarHandle(OutboundBuffer.class, "token", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final WritableByteChannel channel;
    /** Requests a call of {@link #writable} on the I/O thread, as soon as the channel accepts bytes. */
    private final Runnable requestWritable;
    private final int highMark;
    private DirectMemory ring = DirectMemory.NONE;
    /** A frame without bytes; null before the first heartbeat. */
    private @Nullable ByteBuffer heartbeatFrame;
    private volatile long head;
    private volatile long tail;
    @SuppressWarnings("unused") // through TOKEN
    private volatile boolean token;
    private volatile boolean awaitingWritable;
    private volatile boolean senderBlocked;
    private volatile boolean closed;
    private volatile @Nullable IOException failure;
    /** Set while the sender sends a series of frames; belongs to the sender. */
    private boolean corked;

    OutboundBuffer(final WritableByteChannel channel, final Runnable requestWritable) {
        this(channel, requestWritable, HIGH_MARK);
    }

    /** Creates a buffer that accepts frames up to {@code highMark} bytes, and more when half of them are written. */
    OutboundBuffer(final WritableByteChannel channel, final Runnable requestWritable, final int highMark) {
        this.channel = channel;
        this.requestWritable = requestWritable;
        this.highMark = highMark;
    }

    /**
     * Appends a frame and writes what the channel accepts. Called by one sender at a time.
     *
     * @return whether there was space; true after {@link #close} or a failure
     */
    boolean offer(final byte[] header, final int headerBytes, final @Nullable MemorySegment payload, final long payloadOffset,
        final int payloadBytes) {
        int bytes = WireFormat.FRAME_HEADER + headerBytes + payloadBytes;
        if (isDead()) {
            return true;
        }
        if (!hasSpace(bytes)) {
            return false;
        }
        boolean held = prepare(bytes);
        boolean wasInterrupted = Thread.currentThread().isInterrupted();
        try {
            if (isDead()) {
                return true;
            }
            long at = tail;
            putLength(at, headerBytes + payloadBytes);
            put(at + WireFormat.FRAME_HEADER, header, headerBytes);
            put(at + WireFormat.FRAME_HEADER + headerBytes, payload, payloadOffset, payloadBytes);
            tail = at + bytes;
            if (held && !awaitingWritable && !keepsBack()) {
                drain();
            }
        } catch (IllegalStateException e) {
            if (!closed) {
                throw e;
            }
            AccessInterrupt.clear(wasInterrupted); // the ring was closed during the copy
        } finally {
            if (held) {
                token = false;
            }
        }
        if (!keepsBack()) {
            push();
        }
        if (senderBlocked && queued() <= highMark / 2) {
            requestWritable.run();
        }
        return true;
    }

    /** Begins a series of frames that may be written together. Called by the sender. */
    void cork() {
        corked = true;
    }

    /** Ends a series of frames, and writes what the channel accepts. Called by the sender. */
    void uncork() {
        corked = false;
        push();
    }

    private boolean keepsBack() {
        return corked && queued() < MAX_WRITE;
    }

    /** Appends bytes that are no frame; {@link #flush} writes them. For the I/O thread, before others may send. */
    void offerHandshake(final byte[] bytes) {
        boolean held = prepare(bytes.length);
        long at = tail;
        put(at, bytes, bytes.length);
        tail = at + bytes.length;
        if (held) {
            token = false;
        }
    }

    /** Writes what the channel accepts. */
    void flush() {
        push();
    }

    /** Records that a sender was rejected. The sender must check the reason again after this call. */
    void setSenderBlocked() {
        senderBlocked = true;
    }

    /** Returns whether a rejected sender can be notified that there is space. For the I/O thread; true once per rejection. */
    boolean clearSenderBlocked() {
        if (senderBlocked && queued() <= highMark / 2) {
            senderBlocked = false;
            return true;
        }
        return false;
    }

    /** Writes, when the channel accepts bytes again. For the I/O thread, after it has cleared its interest in writes. */
    void writable() {
        awaitingWritable = false;
        push();
    }

    /** Tries again, if the channel accepted no more the last time. For a thread that polls the link. */
    void retry() {
        if (awaitingWritable) {
            writable();
        }
    }

    /** Writes an empty frame if nothing else is queued. For the I/O thread. */
    void heartbeat() {
        if (awaitingWritable || isDead() || !acquire()) {
            return;
        }
        try {
            if (head == tail) {
                ByteBuffer frame = heartbeatFrame;
                if (frame == null) {
                    frame = ByteBuffer.allocateDirect(WireFormat.FRAME_HEADER);
                    heartbeatFrame = frame;
                } else if (!frame.hasRemaining()) {
                    frame.clear();
                }
                channel.write(frame);
                if (frame.position() == 0) {
                    frame.position(frame.limit()); // the channel is full: the peer has enough to read without a heartbeat
                } else if (frame.hasRemaining()) {
                    awaitWritable();
                }
            }
        } catch (IOException e) {
            fail(e);
        } finally {
            token = false;
        }
        push();
    }

    boolean isEmpty() {
        return head == tail && !awaitingWritable;
    }

    /** Returns the number of bytes accepted so far; it shows whether something was sent. */
    long accepted() {
        return tail;
    }

    /** Returns why the channel accepts no more bytes; null while it does. */
    @Nullable
    IOException failure() {
        return failure;
    }

    /** Releases the memory. For the I/O thread. */
    void close() {
        closed = true;
        while (!acquire()) {
            Thread.onSpinWait();
        }
        ring.close(); // the token is kept, so nobody accesses the ring except a sender during a copy, which gets an exception
    }

    private boolean isDead() {
        return closed || failure != null;
    }

    private long queued() {
        return tail - head;
    }

    private boolean hasSpace(final int bytes) {
        if (queued() + bytes <= highMark) {
            return true;
        }
        senderBlocked = true;
        return queued() + bytes <= highMark;
    }

    /** Acquires the token where the link is idle or the ring must grow, and makes the ring large enough. Returns whether it was acquired. */
    private boolean prepare(final int bytes) {
        boolean held = head == tail && acquire();
        if (held) {
            // an idle link starts at the front of the ring again, so that short frames stay in the processor's cache
            long front = (tail + ring.size() - 1) & -ring.size();
            head = front;
            tail = front;
        }
        if (queued() + bytes > ring.size()) {
            while (!held) {
                if (closed) {
                    return false;
                }
                Thread.onSpinWait();
                held = acquire();
            }
            grow(queued() + bytes);
        }
        return held;
    }

    private void grow(final long bytes) {
        DirectMemory larger = new DirectMemory((int) Math.max(MIN_SIZE, Long.highestOneBit(bytes - 1) << 1));
        int mask = ring.size() - 1;
        for (long at = head; at != tail;) {
            int from = (int) at & mask;
            int to = (int) at & (larger.size() - 1);
            int run = (int) Math.min(tail - at, Math.min(ring.size() - from, larger.size() - to));
            MemorySegment.copy(ring.segment(), from, larger.segment(), to, run);
            at += run;
        }
        ring.close();
        ring = larger;
    }

    private void putLength(final long at, final int length) {
        int to = (int) at & (ring.size() - 1);
        if (to + WireFormat.FRAME_HEADER <= ring.size()) {
            ring.segment().set(WireFormat.INT, to, length);
            return;
        }
        for (int i = 0; i < WireFormat.FRAME_HEADER; i++) {
            ring.segment().set(ValueLayout.JAVA_BYTE, (int) (at + i) & (ring.size() - 1), (byte) (length >>> (8 * i)));
        }
    }

    private void put(final long at, final byte[] bytes, final int length) {
        int to = (int) at & (ring.size() - 1);
        int run = Math.min(length, ring.size() - to);
        if (run > 0) {
            MemorySegment.copy(bytes, 0, ring.segment(), ValueLayout.JAVA_BYTE, to, run);
        }
        if (run < length) {
            MemorySegment.copy(bytes, run, ring.segment(), ValueLayout.JAVA_BYTE, 0, length - run);
        }
    }

    private void put(final long at, final @Nullable MemorySegment bytes, final long offset, final int length) {
        int to = (int) at & (ring.size() - 1);
        int run = Math.min(length, ring.size() - to);
        if (run > 0) {
            MemorySegment.copy(bytes, offset, ring.segment(), to, run);
        }
        if (run < length) {
            MemorySegment.copy(bytes, offset + run, ring.segment(), 0, length - run);
        }
    }

    private boolean acquire() {
        return TOKEN.compareAndSet(this, false, true);
    }

    /** Writes until the ring is empty, the channel accepts no more, or another thread writes. */
    private void push() {
        for (int turn = 0; !awaitingWritable && head != tail && acquire(); turn++) {
            if (turn < MAX_DRAINS) {
                drain();
            } else {
                awaitWritable(); // the sender keeps appending: the I/O thread serves its other links first
            }
            token = false;
        }
    }

    /** Writes the bytes that are queued now. Called under the token. */
    private void drain() {
        try {
            ByteBuffer frame = heartbeatFrame;
            if (frame != null && frame.hasRemaining()) {
                channel.write(frame);
                if (frame.hasRemaining()) {
                    awaitWritable();
                    return;
                }
            }
            for (long at = head, end = tail; at != end;) {
                int from = (int) at & (ring.size() - 1);
                int run = (int) Math.min(Math.min(end - at, MAX_WRITE), ring.size() - from);
                int written = channel.write(ring.view(from, run));
                at += written;
                head = at;
                if (written < run) {
                    awaitWritable();
                    return;
                }
            }
        } catch (IOException e) {
            fail(e);
        }
    }

    private void awaitWritable() {
        awaitingWritable = true;
        requestWritable.run();
    }

    private void fail(final IOException e) {
        failure = e;
        head = tail;
        requestWritable.run();
    }
}
