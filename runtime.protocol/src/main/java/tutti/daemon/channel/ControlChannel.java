package tutti.daemon.channel;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusalPeriod;

/**
 * Control channel over one {@link Link}, which carries a {@link Conversation}.
 *
 * <p>Posting never blocks, so any thread may call the other end, including threads of the transport. Frames that the link does not accept wait in a
 * queue that is drained when the link is writable. The queue is bounded: bytes of streams are posted against credit that the peer grants, and the
 * link of a peer that reads no calls is closed when the queue exceeds a maximum. Channels that share {@link Memory} are also closed when all of
 * them together hold too much.
 */
public final class ControlChannel implements LinkHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ControlChannel.class);
    private static final int MAX_QUEUED = 2 * Protocol.MAX_MESSAGE + (4 << 20);
    /** Bytes of messages that a channel may hold of its own. */
    private static final int OWN = 1 << 20;

    /** Memory of channels that share none. */
    private static final Memory UNBOUNDED = new Memory(Long.MAX_VALUE, "none");
    private static final byte[] NONE = {};

    private final Conversation conversation = new Conversation(this);
    private final CloseListener listener;
    private final Memory memory;
    private final Deque<Frame> queue = new ArrayDeque<>();
    private final AtomicInteger drains = new AtomicInteger();
    /** Belongs to the thread that handles frames. */
    private ByteArrayOutputStream pieces = new ByteArrayOutputStream(0);
    private long queued;
    private boolean closing;
    private boolean lost;
    private volatile @Nullable Link link;

    /** Listener that is told when a channel is closed. */
    @FunctionalInterface
    public interface CloseListener {
        /** Notifies that the link is closed; called once, on a thread of the transport. The reason is text for users. Must not block. */
        void closed(String reason);
    }

    /** Memory for messages that several channels share, in bytes; each has a little of its own beside it. Safe for any thread. */
    public static final class Memory {
        private final long max;
        private final String limit;
        private final AtomicLong used = new AtomicLong();
        private final RefusalPeriod refused = RefusalPeriod.ofOneReason();

        /**
         * Creates memory.
         *
         * @param max   most bytes
         * @param limit name of the setting, for messages
         */
        public Memory(final long max, final String limit) {
            this.max = max;
            this.limit = limit;
        }

        /** Takes the part of {@code bytes} that a channel with {@code held} bytes does not have of its own; throws if there is not enough. */
        private void take(final long held, final long bytes) {
            final long shared = shared(held + bytes) - shared(held);
            if (shared > 0 && used.addAndGet(shared) > max) {
                used.addAndGet(-shared);
                throw new IllegalStateException(
                    "too many bytes of messages that are not complete or not read: bytes=" + (held + bytes) + ", max=" + max
                        + ", limit=" + limit);
            }
        }

        private void release(final long held, final long bytes) {
            final long shared = shared(held) - shared(held - bytes);
            if (shared > 0) {
                used.addAndGet(-shared);
            }
        }

        private static long shared(final long held) {
            return Math.max(0, held - OWN);
        }

        /** Returns the bytes that are taken now. */
        public long used() {
            return used.get();
        }
    }

    private record Frame(byte[] header, byte[] payload, int offset, int bytes) {
        int size() {
            return header.length + bytes;
        }
    }

    private ControlChannel(final Function<ControlChannel, ? extends CloseListener> listener, final Memory memory) {
        this.memory = memory;
        this.listener = listener.apply(this);
    }

    /**
     * Creates a channel and its listener, which may serve its conversation. The link is set by {@link #attach}, or by the first call of the link's
     * handler.
     */
    public static ControlChannel open(final Function<ControlChannel, ? extends CloseListener> listener) {
        return open(listener, UNBOUNDED);
    }

    /** Creates a channel whose ends only call each other, by their {@linkplain #conversation() conversation}. */
    public static ControlChannel open() {
        return open(c -> reason -> {
            // the conversation tells those that wait for it
        });
    }

    /** Creates a channel as {@link #open(Function)} does, which shares memory for messages with others. */
    public static ControlChannel open(final Function<ControlChannel, ? extends CloseListener> listener, final Memory memory) {
        return new ControlChannel(listener, memory);
    }

    /** Sets the link and sends the frames that were posted before. */
    public ControlChannel attach(final Link to) {
        link = to;
        drain();
        return this;
    }

    /** Returns the conversation with the other end. */
    public Conversation conversation() {
        return conversation;
    }

    /** Returns the peer's address, for messages. */
    public String peer() {
        final Link to = link;
        return to == null ? "a peer not yet linked" : to.peer();
    }

    /** Throws when a message is too long. */
    static void checkLength(final byte[] json) {
        if (json.length > Protocol.MAX_MESSAGE) {
            throw new IllegalArgumentException("message too long: bytes=" + json.length + ", max=" + Protocol.MAX_MESSAGE);
        }
    }

    /** Sends JSON of a conversation, in pieces if it is longer than {@link Protocol#CHUNK}; the header is in the last frame. */
    void post(final byte type, final byte[] header, final byte[] json) {
        checkLength(json);
        synchronized (queue) {
            int at = 0;
            while (json.length - at > Protocol.CHUNK) {
                enqueue(new Frame(new byte[] {FrameType.PART}, json, at, Protocol.CHUNK));
                at += Protocol.CHUNK;
            }
            enqueue(new Frame(ByteBuffer.allocate(1 + header.length).put(type).put(header).array(), json, at, json.length - at));
        }
        drain();
    }

    /** Sends bytes of a stream of a call, at most {@link Protocol#CHUNK}. The caller gives up the array. */
    void post(final byte type, final int call, final byte kind, final byte[] bytes) {
        offer(new Frame(ByteBuffer.allocate(2 + Integer.BYTES).put(type).putInt(call).put(kind).array(), bytes, 0, bytes.length));
    }

    /** Sends a number about a stream of a call. */
    void post(final byte type, final int call, final int number) {
        offer(new Frame(ByteBuffer.allocate(1 + 2 * Integer.BYTES).put(type).putInt(call).putInt(number).array(), NONE, 0, 0));
    }

    /** Closes the link when all posted frames are sent. Idempotent; does not block. */
    public void close() {
        synchronized (queue) {
            closing = true;
        }
        drain();
    }

    private void offer(final Frame frame) {
        synchronized (queue) {
            enqueue(frame);
        }
        drain();
    }

    private void enqueue(final Frame frame) {
        if (lost || closing) {
            return;
        }
        if (queued + frame.size() > MAX_QUEUED || !hasMemory(frame.size())) {
            // a peer that has not read that much is treated as lost
            discard();
            closing = true;
            return;
        }
        queued += frame.size();
        queue.add(frame);
    }

    private boolean hasMemory(final int bytes) {
        try {
            memory.take(queued, bytes);
            return true;
        } catch (final IllegalStateException e) {
            final long links = memory.refused.count();
            if (links > 0) {
                // Cause: unread messages exceed `tutti.node.messages`. Remedy: raise the limit, or give the node less to do at once.
                LOG.warn("links closed: links={}, last={}, reason={}", links, peer(), e.getMessage());
            }
            return false;
        }
    }

    /** Drops the queued frames. Called under the lock of the queue. */
    private void discard() {
        memory.release(queued, queued);
        queue.clear();
        queued = 0;
    }

    /** Sends queued frames. One thread sends at a time; a thread that finds another one sending increments the counter, which makes it loop again. */
    private void drain() {
        final Link to = link;
        if (to == null || drains.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            Frame frame = peek(to);
            while (frame != null && trySend(to, frame)) {
                frame = sent(to, frame);
            }
            seen = drains.addAndGet(-seen);
        } while (seen != 0);
    }

    private static boolean trySend(final Link to, final Frame frame) {
        return to.trySend(frame.header, frame.header.length, frame.bytes == 0 ? null : MemorySegment.ofArray(frame.payload), frame.offset,
            frame.bytes);
    }

    private @Nullable Frame sent(final Link to, final Frame frame) {
        synchronized (queue) {
            // the queue may have been cleared in between
            if (queue.peek() == frame) {
                queue.poll();
                memory.release(queued, frame.size());
                queued -= frame.size();
            }
        }
        return peek(to);
    }

    private @Nullable Frame peek(final Link to) {
        final Frame next;
        final boolean close;
        synchronized (queue) {
            next = queue.peek();
            close = next == null && closing && !lost;
        }
        if (close) {
            to.close();
        }
        return next;
    }

    @Override
    public void frame(final Link from, final MemorySegment memory, final long offset, final int bytes) {
        if (link == null) {
            attach(from);
        }
        final ByteBuffer in = ByteBuffer.wrap(memory.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE));
        final byte type = in.get();
        try {
            received(type, in);
        } catch (final BufferUnderflowException e) {
            throw new IllegalStateException("frame too short: type=" + type + ", bytes=" + bytes + ", peer=" + peer(), e);
        }
    }

    private void received(final byte type, final ByteBuffer in) {
        switch (type) {
            case FrameType.PART -> collect(in);
            case FrameType.CALL, FrameType.ANSWER, FrameType.FAILED -> talked(type, in);
            case FrameType.STREAM -> conversation.streamed(in);
            case FrameType.GRANT -> conversation.granted(in);
            default -> throw new IllegalStateException("unknown type of frame: type=" + type + ", peer=" + peer());
        }
    }

    private void collect(final ByteBuffer in) {
        if (pieces.size() + in.remaining() > Protocol.MAX_MESSAGE) {
            throw new IllegalStateException("message too long: max=" + Protocol.MAX_MESSAGE + ", peer=" + peer());
        }
        memory.take(pieces.size(), in.remaining());
        pieces.write(in.array(), in.position(), in.remaining());
    }

    private void talked(final byte type, final ByteBuffer in) {
        final int call = in.getInt();
        final String method = type == FrameType.CALL ? new String(bytes(in, Byte.toUnsignedInt(in.get())), StandardCharsets.US_ASCII) : "";
        final byte[] json = json(in);
        try {
            if (type == FrameType.CALL) {
                conversation.called(call, method, json);
            } else {
                conversation.answered(call, json, type == FrameType.FAILED);
            }
        } catch (final IOException e) {
            throw new IllegalStateException("bad message from " + peer() + ": " + Protocol.oneLine(e), e);
        }
    }

    /** Returns the rest of a frame, after the pieces that came before it. */
    private byte[] json(final ByteBuffer in) {
        byte[] json = bytes(in, in.remaining());
        if (pieces.size() > 0) {
            pieces.writeBytes(json);
            json = pieces.toByteArray();
            releasePieces();
        }
        return json;
    }

    private void releasePieces() {
        memory.release(pieces.size(), pieces.size());
        // its buffer would stay as long as the link
        pieces = new ByteArrayOutputStream(0);
    }

    /** Returns the next bytes of a frame. */
    static byte[] bytes(final ByteBuffer in, final int count) {
        final byte[] bytes = new byte[count];
        in.get(bytes);
        return bytes;
    }

    @Override
    public void writable(final Link to) {
        if (link == null) {
            attach(to);
        } else {
            drain();
        }
    }

    @Override
    public void closed(final Link from, final @Nullable Throwable cause) {
        synchronized (queue) {
            lost = true;
            discard();
        }
        releasePieces();
        final String reason = cause == null ? "closed" : Protocol.oneLine(cause);
        conversation.closed(reason);
        listener.closed(reason);
    }
}
