package tutti.daemon.protocol;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;

/**
 * Messages, program bytes and output over one {@link Link}.
 *
 * <p>Posting never blocks, so any thread may do it, those of the transport included. What the link does not take waits in a queue that is
 * drained when the link is writable. The queue is bounded by what feeds it: program bytes and output are posted against
 * {@link Credits} that the peer grants, and a peer that takes no control messages is cut off at a cap.
 */
public final class ControlChannel implements LinkHandler {
    private static final int MAX_QUEUED = 2 * Protocol.MAX_MESSAGE + (4 << 20);

    private final ChannelReceiver receiver;
    private final Deque<Frame> queue = new ArrayDeque<>();
    private final AtomicInteger drains = new AtomicInteger();
    private final ByteArrayOutputStream parts = new ByteArrayOutputStream(0);
    private long queued;
    private boolean closing;
    private boolean gone;
    private volatile Link link;

    private record Frame(byte[] header, byte[] payload, int offset, int bytes) {
        int size() {
            return header.length + bytes;
        }
    }

    private ControlChannel(final Function<ControlChannel, ChannelReceiver> receiver) {
        this.receiver = receiver.apply(this);
    }

    /** A channel whose receiver is made with it; {@link #attach} or the first call of the link's handler gives it the link. */
    public static ControlChannel open(final Function<ControlChannel, ChannelReceiver> receiver) {
        return new ControlChannel(receiver);
    }

    /** Gives it the link; what was posted before goes out. */
    public ControlChannel attach(final Link to) {
        link = to;
        drain();
        return this;
    }

    /** The peer's address, for messages. */
    public String peer() {
        final Link to = link;
        return to == null ? "a peer not yet linked" : to.peer();
    }

    /** Sends a message, in pieces where it is long. */
    public void post(final Message message) {
        final byte[] json = MessageCodec.write(message);
        if (json.length > Protocol.MAX_MESSAGE) {
            throw new IllegalArgumentException("message too long: type=" + message.getClass().getSimpleName() + ", bytes=" + json.length
                    + ", max=" + Protocol.MAX_MESSAGE);
        }
        synchronized (queue) {
            int at = 0;
            while (json.length - at > Protocol.CHUNK) {
                enqueue(new Frame(new byte[] {MessageCodec.PART}, json, at, Protocol.CHUNK));
                at += Protocol.CHUNK;
            }
            enqueue(new Frame(new byte[] {MessageCodec.type(message)}, json, at, json.length - at));
        }
        drain();
    }

    /** Sends at most {@link Protocol#CHUNK} bytes of a program file; the caller gives the array away and holds credit for them. */
    public void postProgram(final int file, final byte[] bytes, final int length) {
        offer(new Frame(ByteBuffer.allocate(5).put(MessageCodec.PROGRAM).putInt(file).array(), bytes, 0, length));
    }

    /** Sends at most {@link Protocol#CHUNK} bytes of output; the caller gives the array away and holds credit for them. */
    public void postOutput(final int rank, final boolean error, final byte[] bytes, final int offset, final int length) {
        offer(new Frame(ByteBuffer.allocate(6).put(MessageCodec.OUTPUT).putInt(rank).put((byte) (error ? 1 : 0)).array(), bytes, offset, length));
    }

    /** Sends at most {@link Protocol#CHUNK} bytes of a rank's trace; the caller gives the array away and holds credit for them, as for output. */
    public void postTrace(final int rank, final byte[] bytes) {
        offer(new Frame(ByteBuffer.allocate(5).put(MessageCodec.TRACE).putInt(rank).array(), bytes, 0, bytes.length));
    }

    /** Sends at most {@link Protocol#CHUNK} bytes of standard input, none for its end, which the peer asked for; the array is given away. */
    public void postInput(final byte[] bytes) {
        offer(new Frame(new byte[] {MessageCodec.INPUT}, bytes, 0, bytes.length));
    }

    /** Tells the peer that so many bytes of a program were stored. */
    public void postProgramCredit(final int bytes) {
        postCredit(MessageCodec.PROGRAM, bytes);
    }

    /** Tells the peer that so many bytes of output were passed on. */
    public void postOutputCredit(final int bytes) {
        postCredit(MessageCodec.OUTPUT, bytes);
    }

    /** Asks the peer for one piece of standard input. */
    public void postInputCredit() {
        postCredit(MessageCodec.INPUT, Protocol.CHUNK);
    }

    private void postCredit(final byte of, final int bytes) {
        offer(new Frame(ByteBuffer.allocate(6).put(MessageCodec.CREDIT).put(of).putInt(bytes).array(), new byte[0], 0, 0));
    }

    /** Closes the link when all that was posted is sent. Idempotent; does not block. */
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
        if (gone || closing) {
            return;
        }
        queued += frame.size();
        queue.add(frame);
        if (queued > MAX_QUEUED) {
            // a peer that reads nothing for so long is as good as gone
            queue.clear();
            queued = 0;
            closing = true;
        }
    }

    /** One thread at a time sends; who finds another one at it leaves a mark, and that one goes round again. */
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

    private Frame sent(final Link to, final Frame frame) {
        synchronized (queue) {
            // the queue may have been given up in between
            if (queue.peek() == frame) {
                queue.poll();
                queued -= frame.size();
            }
        }
        return peek(to);
    }

    private Frame peek(final Link to) {
        final Frame next;
        final boolean close;
        synchronized (queue) {
            next = queue.peek();
            close = next == null && closing && !gone;
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
            case MessageCodec.PART -> collect(in);
            case MessageCodec.PROGRAM -> receiver.program(in.getInt(), rest(in));
            case MessageCodec.OUTPUT -> receiver.output(in.getInt(), in.get() != 0, rest(in));
            case MessageCodec.CREDIT -> credit(in.get(), in.getInt());
            case MessageCodec.INPUT -> receiver.input(rest(in));
            case MessageCodec.TRACE -> receiver.trace(in.getInt(), rest(in));
            default -> receiver.message(message(type, in));
        }
    }

    private void collect(final ByteBuffer in) {
        if (parts.size() + in.remaining() > Protocol.MAX_MESSAGE) {
            throw new IllegalStateException("message too long: max=" + Protocol.MAX_MESSAGE + ", peer=" + peer());
        }
        parts.write(in.array(), in.position(), in.remaining());
    }

    private Message message(final byte type, final ByteBuffer in) {
        byte[] json = rest(in);
        if (parts.size() > 0) {
            parts.writeBytes(json);
            json = parts.toByteArray();
            parts.reset();
        }
        try {
            return MessageCodec.read(type, json);
        } catch (final IOException e) {
            throw new IllegalStateException("bad message from " + peer() + ": " + Protocol.oneLine(e), e);
        }
    }

    private void credit(final byte of, final int bytes) {
        if (bytes <= 0) {
            throw new IllegalStateException("credit out of range: bytes=" + bytes + ", min=1, peer=" + peer());
        }
        switch (of) {
            case MessageCodec.PROGRAM -> receiver.programCredit(bytes);
            case MessageCodec.OUTPUT -> receiver.outputCredit(bytes);
            case MessageCodec.INPUT -> receiver.inputCredit(bytes);
            default -> throw new IllegalStateException("credit for nothing that there is: type=" + of + ", peer=" + peer());
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
    public void closed(final Link from, final Throwable cause) {
        synchronized (queue) {
            gone = true;
            queue.clear();
            queued = 0;
        }
        receiver.closed(cause == null ? "closed" : Protocol.oneLine(cause));
    }
}
