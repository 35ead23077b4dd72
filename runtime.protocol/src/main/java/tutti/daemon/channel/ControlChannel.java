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
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusalPeriod;

/**
 * Control channel over one {@link Link}: control messages, program bytes, output and standard input.
 *
 * <p>Posting never blocks, so any thread may post, including threads of the transport. Frames that the link does not accept wait in a queue that
 * is drained when the link is writable. The queue is bounded: program bytes and output are posted against {@link Credits} that the peer
 * grants, and the link of a peer that reads no control messages is closed when the queue exceeds a maximum. Channels that share {@link Memory} are
 * also closed when all of them together hold too much.
 */
public final class ControlChannel implements LinkHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ControlChannel.class);
    private static final int MAX_QUEUED = 2 * Protocol.MAX_MESSAGE + (4 << 20);
    /** Bytes of messages that a channel may hold of its own: more than the credit of a job's output. */
    private static final int OWN = 1 << 20;

    private static final byte[] NONE = {};

    private final Conversation conversation = new Conversation(this);
    private final ChannelReceiver receiver;
    private final @Nullable Memory memory;
    private final Deque<Frame> queue = new ArrayDeque<>();
    private final AtomicInteger drains = new AtomicInteger();
    /** Belongs to the thread that handles frames. */
    private ByteArrayOutputStream pieces = new ByteArrayOutputStream(0);
    private long queued;
    private boolean closing;
    private boolean lost;
    private volatile @Nullable Link link;

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

    private ControlChannel(final Function<ControlChannel, ? extends ChannelReceiver> receiver, final @Nullable Memory memory) {
        this.memory = memory;
        this.receiver = receiver.apply(this);
    }

    /** Creates a channel and its receiver. The link is set by {@link #attach}, or by the first call of the link's handler. */
    public static ControlChannel open(final Function<ControlChannel, ? extends ChannelReceiver> receiver) {
        return new ControlChannel(receiver, null);
    }

    /** Creates a channel whose ends only call each other, by their {@linkplain #conversation() conversation}. */
    public static ControlChannel open() {
        return open(c -> reason -> {
            // the conversation tells those that wait for it
        });
    }

    /** Creates a channel as {@link #open(Function)} does, which shares memory for messages with others. */
    public static ControlChannel open(final Function<ControlChannel, ? extends ChannelReceiver> receiver, final Memory memory) {
        return new ControlChannel(receiver, memory);
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

    /** Sends a message; a message longer than {@link Protocol#CHUNK} is sent in pieces. */
    public void post(final Message message) {
        post(MessageCodec.type(message), NONE, MessageCodec.write(message));
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
    void post(final byte type, final byte[] call, final byte kind, final byte[] bytes) {
        offer(new Frame(ByteBuffer.allocate(2 + call.length).put(type).put(call).put(kind).array(), bytes, 0, bytes.length));
    }

    /** Sends a number about a stream of a call. */
    void post(final byte type, final byte[] call, final int number) {
        offer(new Frame(ByteBuffer.allocate(1 + call.length + Integer.BYTES).put(type).put(call).putInt(number).array(), NONE, 0, 0));
    }

    /** Sends at most {@link Protocol#CHUNK} bytes of a program file. The caller gives up the array and has acquired credit for the bytes. */
    public void postProgram(final int file, final byte[] bytes, final int length) {
        offer(new Frame(ByteBuffer.allocate(5).put(FrameType.PROGRAM).putInt(file).array(), bytes, 0, length));
    }

    /** Sends at most {@link Protocol#CHUNK} bytes of output. The caller gives up the array and has acquired credit for the bytes. */
    public void postOutput(final int rank, final boolean error, final byte[] bytes, final int offset, final int length) {
        offer(new Frame(ByteBuffer.allocate(6).put(FrameType.OUTPUT).putInt(rank).put((byte) (error ? 1 : 0)).array(), bytes, offset, length));
    }

    /** Sends at most {@link Protocol#CHUNK} bytes of a rank's trace. The caller gives up the array and has acquired credit for output. */
    public void postTrace(final int rank, final byte[] bytes) {
        offer(new Frame(ByteBuffer.allocate(5).put(FrameType.TRACE).putInt(rank).array(), bytes, 0, bytes.length));
    }

    /** Sends a piece of a report. The caller has acquired credit for output. */
    public void postReport(final InterceptorReport.Piece piece) {
        final byte[] module = piece.module().getBytes(StandardCharsets.US_ASCII);
        final byte[] type = piece.mediaType().getBytes(StandardCharsets.US_ASCII);
        offer(new Frame(ByteBuffer.allocate(4 + module.length + type.length).put(FrameType.REPORT).put((byte) (piece.isLast() ? 1 : 0))
            .put((byte) module.length).put(module).put((byte) type.length).put(type).array(), piece.bytes(), 0, piece.bytes().length));
    }

    /**
     * Sends at most {@link Protocol#CHUNK} bytes of standard input, which the peer requested; an empty array is the end of the input. The
     * caller gives up the array.
     */
    public void postInput(final byte[] bytes) {
        offer(new Frame(new byte[] {FrameType.INPUT}, bytes, 0, bytes.length));
    }

    /** Returns credit for bytes of a program that were stored. */
    public void postProgramCredit(final int bytes) {
        postCredit(FrameType.PROGRAM, bytes);
    }

    /** Returns credit for bytes of output that were forwarded. */
    public void postOutputCredit(final int bytes) {
        postCredit(FrameType.OUTPUT, bytes);
    }

    /** Requests one piece of standard input from the peer. */
    public void postInputCredit() {
        postCredit(FrameType.INPUT, Protocol.CHUNK);
    }

    private void postCredit(final byte type, final int bytes) {
        offer(new Frame(ByteBuffer.allocate(6).put(FrameType.CREDIT).put(type).putInt(bytes).array(), NONE, 0, 0));
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
        if (memory == null) {
            return true;
        }
        try {
            memory.take(queued, bytes);
            return true;
        } catch (final IllegalStateException e) {
            final long links = memory.refused.count();
            if (links > 0) {
                LOG.warn("links closed: links={}, last={}, reason={}", links, peer(), e.getMessage());
            }
            return false;
        }
    }

    /** Drops the queued frames. Called under the lock of the queue. */
    private void discard() {
        if (memory != null) {
            memory.release(queued, queued);
        }
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
                if (memory != null) {
                    memory.release(queued, frame.size());
                }
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
            case FrameType.PROGRAM -> receiver.program(in.getInt(), rest(in));
            case FrameType.OUTPUT -> receiver.output(in.getInt(), in.get() != 0, rest(in));
            case FrameType.CREDIT -> credit(in.get(), in.getInt());
            case FrameType.INPUT -> receiver.input(rest(in));
            case FrameType.TRACE -> receiver.trace(in.getInt(), rest(in));
            case FrameType.REPORT -> receiver.report(report(in));
            case FrameType.CALL, FrameType.ANSWER, FrameType.FAILED -> talked(type, in);
            case FrameType.STREAM -> conversation.streamed(in);
            case FrameType.GRANT -> conversation.granted(in);
            default -> receiver.message(message(type, in));
        }
    }

    private InterceptorReport.Piece report(final ByteBuffer in) {
        final boolean isLast = in.get() != 0;
        try {
            return new InterceptorReport.Piece(text(in), text(in), isLast, rest(in));
        } catch (final IllegalArgumentException e) {
            throw new IllegalStateException("bad report from " + peer() + ": " + e.getMessage(), e);
        }
    }

    private static String text(final ByteBuffer in) {
        final byte[] text = new byte[Byte.toUnsignedInt(in.get())];
        in.get(text);
        return new String(text, StandardCharsets.US_ASCII);
    }

    private void collect(final ByteBuffer in) {
        if (pieces.size() + in.remaining() > Protocol.MAX_MESSAGE) {
            throw new IllegalStateException("message too long: max=" + Protocol.MAX_MESSAGE + ", peer=" + peer());
        }
        if (memory != null) {
            memory.take(pieces.size(), in.remaining());
        }
        pieces.write(in.array(), in.position(), in.remaining());
    }

    private void talked(final byte type, final ByteBuffer in) {
        final int start = in.position();
        in.getInt();
        if (type == FrameType.CALL) {
            final int name = Byte.toUnsignedInt(in.get());
            if (name > in.remaining()) {
                throw new BufferUnderflowException();
            }
            in.position(in.position() + name);
        }
        final byte[] json = json(in);
        in.position(start);
        try {
            if (type == FrameType.CALL) {
                conversation.called(in, json);
            } else {
                conversation.answered(in, json, type == FrameType.FAILED);
            }
        } catch (final IOException e) {
            throw new IllegalStateException("bad message from " + peer() + ": " + Protocol.oneLine(e), e);
        }
    }

    /** Returns the rest of a frame, after the pieces that came before it. */
    private byte[] json(final ByteBuffer in) {
        byte[] json = rest(in);
        if (pieces.size() > 0) {
            pieces.writeBytes(json);
            json = pieces.toByteArray();
            releasePieces();
        }
        return json;
    }

    private Message message(final byte type, final ByteBuffer in) {
        final byte[] json = json(in);
        try {
            return MessageCodec.read(type, json);
        } catch (final IOException e) {
            throw new IllegalStateException("bad message from " + peer() + ": " + Protocol.oneLine(e), e);
        }
    }

    private void releasePieces() {
        if (memory != null) {
            memory.release(pieces.size(), pieces.size());
        }
        // its buffer would stay as long as the link
        pieces = new ByteArrayOutputStream(0);
    }

    private void credit(final byte type, final int bytes) {
        if (bytes <= 0) {
            throw new IllegalStateException("credit out of range: bytes=" + bytes + ", min=1, peer=" + peer());
        }
        switch (type) {
            case FrameType.PROGRAM -> receiver.programCredit(bytes);
            case FrameType.OUTPUT -> receiver.outputCredit(bytes);
            case FrameType.INPUT -> receiver.inputCredit(bytes);
            default -> throw new IllegalStateException("unknown credit type: type=" + type + ", peer=" + peer());
        }
    }

    private static byte[] rest(final ByteBuffer in) {
        final byte[] bytes = new byte[in.remaining()];
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
        receiver.closed(reason);
    }
}
