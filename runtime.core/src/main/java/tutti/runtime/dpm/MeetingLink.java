package tutti.runtime.dpm;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;

/**
 * A meeting over a link. A message is sent in frames of a kind byte and at most 16 KiB, the last of them marked.
 *
 * <p><b>Threads.</b> The lock of this object guards all state; frames are sent while it is held, which does not block.
 */
final class MeetingLink implements Meeting, LinkHandler {
    private static final int PIECE = 16 * 1024;
    private static final int MAX_MESSAGE = 64 << 20;
    private static final byte MORE = 0;
    private static final byte LAST = 1;

    private final Deque<byte[]> outgoing = new ArrayDeque<>();
    private final Deque<byte[]> arrived = new ArrayDeque<>();
    private final Deque<CompletableFuture<byte[]>> waiting = new ArrayDeque<>();
    private final ByteArrayOutputStream pieces = new ByteArrayOutputStream();
    private @Nullable Link link;
    private boolean closing;
    private @Nullable IOException closed;

    /** Sets the link and sends what was queued before. */
    synchronized void attach(final Link to) {
        link = to;
        drain();
    }

    /** Returns whether the other root, or this one, has closed the connection. */
    synchronized boolean isClosed() {
        return closing || closed != null;
    }

    @Override
    public synchronized void send(final byte[] message) {
        int at = 0;
        do {
            final int length = Math.min(PIECE, message.length - at);
            final byte[] frame = new byte[1 + length];
            frame[0] = at + length == message.length ? LAST : MORE;
            System.arraycopy(message, at, frame, 1, length);
            outgoing.add(frame);
            at += length;
        } while (at < message.length);
        drain();
    }

    private void drain() {
        final Link to = link;
        if (to == null) {
            return;
        }
        byte[] next = outgoing.peek();
        while (next != null && to.trySend(next, 1, MemorySegment.ofArray(next), 1, next.length - 1)) {
            outgoing.poll();
            next = outgoing.peek();
        }
        if (closing && next == null) {
            to.close();
        }
    }

    @Override
    public synchronized CompletableFuture<byte[]> receive() {
        final byte[] message = arrived.poll();
        if (message != null) {
            return CompletableFuture.completedFuture(message);
        }
        final IOException why = closed;
        if (why != null) {
            return CompletableFuture.failedFuture(why);
        }
        final CompletableFuture<byte[]> next = new CompletableFuture<>();
        waiting.add(next);
        return next;
    }

    @Override
    public synchronized void close() {
        closing = true;
        drain();
    }

    @Override
    public void frame(final Link from, final MemorySegment memory, final long offset, final int bytes) {
        final byte[] frame = memory.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE);
        final CompletableFuture<byte[]> receiver;
        final byte[] message;
        synchronized (this) {
            if (pieces.size() + bytes > MAX_MESSAGE) {
                throw new IllegalStateException("message too long: max=" + MAX_MESSAGE + ", peer=" + from.peer());
            }
            pieces.write(frame, 1, frame.length - 1);
            if (frame[0] == MORE) {
                return;
            }
            message = pieces.toByteArray();
            pieces.reset();
            receiver = waiting.poll();
            if (receiver == null) {
                arrived.add(message);
            }
        }
        if (receiver != null) {
            receiver.complete(message);
        }
    }

    @Override
    public synchronized void writable(final Link to) {
        drain();
    }

    @Override
    public void closed(final Link from, final @Nullable Throwable cause) {
        final Deque<CompletableFuture<byte[]>> failed;
        final IOException why = new IOException("the other side has closed the connection" + (cause == null ? "" : ": " + cause.getMessage()));
        synchronized (this) {
            closed = why;
            failed = new ArrayDeque<>(waiting);
            waiting.clear();
        }
        failed.forEach(f -> f.completeExceptionally(why));
    }
}
