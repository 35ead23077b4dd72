package tutti.runtime.transport.shm;

import static tutti.runtime.transport.shm.SharedRegion.ASLEEP;
import static tutti.runtime.transport.shm.SharedRegion.CLOSED;
import static tutti.runtime.transport.shm.SharedRegion.INT;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.transport.AccessInterrupt;
import tutti.runtime.transport.BulkAccess;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;

/**
 * Link over a ring of shared memory for each direction, and a socket.
 *
 * <p>Frames go through the rings only. A byte in the socket wakes the peer's I/O thread, when that sleeps; its end tells that the peer has closed the
 * link or has ended. What is in a ring then is still read.
 *
 * <p>No wake-up is lost: who publishes a frame, or tells of room, does so, then makes a full fence, then reads the peer's word {@code asleep}. Who
 * goes to sleep sets that word, then makes a full fence, then looks for frames and room. So at least one of them sees what the other one did.
 *
 * <p>While threads {@linkplain #poll poll} the link or send, the I/O thread leaves it to them. It is then not asleep, and no byte is written.
 *
 * <p>The state only moves forward: {@link #HANDSHAKE} (no handler yet), {@link #OPEN}, {@link #CLOSING} (the I/O thread is asked to end the link),
 * {@link #ENDED}. The I/O thread ends each link.
 *
 * <p><b>Threads.</b> Any thread may send, poll and close; the state changes atomically. The reader and the calls of the handler belong to the holder
 * of the token {@code reading}, which the end of the link keeps. The writer belongs to the thread that sends. A thread that sends while the memory is
 * released gets an exception there, and drops its frame; it is {@linkplain AccessInterrupt not left interrupted}, nor is one that polls. The I/O
 * thread sets {@code left} and then checks {@link LinkHandler#isWakeUpNeeded} again, and the last polling thread clears that and then
 * {@linkplain #serve checks} {@code left}: so one of them takes care of the link.
 */
final class ShmLink implements Link, IoLoop.Member {
    private static final Logger LOG = LoggerFactory.getLogger(ShmLink.class);
    private static final int HANDSHAKE = 0;
    private static final int OPEN = 1;
    private static final int CLOSING = 2;
    private static final int ENDED = 3;
    /** Times that the I/O thread reads a link before it looks at others. */
    private static final int MAX_READS = 8;
    /** Most bytes that are read at once: a peer that writes more does not keep the I/O thread. */
    private static final int DRAIN = 256;
    private static final VarHandle STATE;
    private static final VarHandle READING;
    private static final VarHandle LEFT;
    private static final LinkHandler NOT_ACCEPTED = new LinkHandler() {
        @Override
        public void frame(final Link link, final MemorySegment memory, final long offset, final int bytes) {
            throw new IllegalStateException("frame before the handshake: peer=" + link.peer());
        }

        @Override
        public void writable(final Link link) {
            // nobody sends
        }

        @Override
        public void closed(final Link link, final @Nullable Throwable cause) {
            // nobody knows of the link
        }
    };

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(ShmLink.class, "state", int.class);
            READING = lookup.findVarHandle(ShmLink.class, "reading", boolean.class);
            LEFT = lookup.findVarHandle(ShmLink.class, "left", boolean.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The next task of the I/O thread for a link that it has served. */
    enum Next {
        /** To serve it again soon. */
        MORE,
        /** To check at intervals whether threads poll it. */
        LEFT,
        /** Nothing, until the socket has bytes. */
        DONE
    }

    /** Why a link ends; the cause is null when this side closed it. */
    private record Ending(@Nullable Throwable cause) {}

    private final SocketChannel channel;
    private final SharedRegion region;
    private final String peer;
    private final @Nullable CmaEndpoint endpoint;
    private final @Nullable BulkAccess bulk;
    private final MemorySegment ownWords;
    private final MemorySegment peerWords;
    private final RingReader reader;
    private final RingWriter writer;
    private final ByteBuffer drain = ByteBuffer.allocateDirect(DRAIN);
    /** The byte that wakes the peer, one for the thread that sends and one for the one that reads. */
    private final ByteBuffer senderByte = ByteBuffer.allocateDirect(1);
    private final ByteBuffer readerByte = ByteBuffer.allocateDirect(1);
    private final AtomicReference<@Nullable Ending> ending = new AtomicReference<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private volatile LinkHandler handler;
    /** Links of the transport, which this one leaves at its end. */
    private volatile @Nullable Set<ShmLink> all;
    private volatile @Nullable IoLoop loop;
    private @Nullable SelectionKey key;
    private volatile int state;
    private volatile boolean reading;
    /** Set while the I/O thread leaves the link to the threads that poll it. */
    private volatile boolean left;
    /** Set by each poll and each frame that is sent, and cleared whenever the I/O thread looks. */
    private volatile boolean polled;
    /** Set when the socket has ended. */
    private volatile boolean peerEnded;
    /** Set when a sender is to be told of room. */
    private volatile boolean senderBlocked;

    /**
     * Creates a link.
     *
     * @param side     the side of the region that this end is
     * @param endpoint access to the peer's memory, which the link closes; null without
     * @param handler  the handler of a link that the peer has accepted; null before this side has
     */
    ShmLink(final SocketChannel channel, final SharedRegion region, final int side, final String peer, final @Nullable CmaEndpoint endpoint,
        final @Nullable LinkHandler handler) {
        this.channel = channel;
        this.region = region;
        this.peer = peer;
        this.endpoint = endpoint;
        this.bulk = endpoint == null ? null : new CmaAccess(endpoint);
        final int other = 1 - side;
        this.ownWords = region.words(side);
        this.peerWords = region.words(other);
        this.reader = new RingReader(ownWords, region.ring(side));
        this.writer = new RingWriter(peerWords, region.ring(other));
        this.handler = handler == null ? NOT_ACCEPTED : handler;
        this.state = handler == null ? HANDSHAKE : OPEN;
    }

    @Override
    public boolean trySend(final byte[] header, final int headerBytes, final @Nullable MemorySegment payload, final long payloadOffset,
        final int payloadBytes) {
        if (headerBytes < 0 || payloadBytes < 0 || headerBytes > Record.MAX_FRAME - payloadBytes || headerBytes + payloadBytes < 1) {
            throw new IllegalArgumentException(
                "frame length out of range: headerBytes=" + headerBytes + ", payloadBytes=" + payloadBytes + ", sum=1.." + Record.MAX_FRAME);
        }
        if (payloadBytes > 0) {
            Objects.checkFromIndexSize(payloadOffset, payloadBytes, Objects.requireNonNull(payload, "payload").byteSize());
        }
        if (state == HANDSHAKE) {
            senderBlocked = true; // the I/O thread checks this after it has changed the state
        }
        final int now = state;
        if (now != OPEN) {
            return now >= CLOSING;
        }
        markPolledByOthers();
        final boolean wasInterrupted = Thread.currentThread().isInterrupted();
        try {
            int result = writer.offer(header, headerBytes, payload, payloadOffset, payloadBytes);
            if (result == RingWriter.FULL) {
                result = offerOrBlock(header, headerBytes, payload, payloadOffset, payloadBytes);
            }
            if (result == RingWriter.ACCEPTED) {
                VarHandle.fullFence(); // between the frame and the look whether the peer sleeps
                wakePeer(senderByte);
                return true;
            }
            if (result == RingWriter.CORRUPT) {
                requestEnd(new IOException("peer wrote an invalid position: peer=" + peer));
                return true;
            }
            return false;
        } catch (final IllegalStateException e) {
            if (state >= CLOSING) {
                AccessInterrupt.clear(wasInterrupted);
                return true; // the memory was released meanwhile
            }
            throw e; // the memory of the payload is not alive
        }
    }

    private int offerOrBlock(final byte[] header, final int headerBytes, final @Nullable MemorySegment payload, final long payloadOffset,
        final int payloadBytes) {
        writer.want();
        senderBlocked = true;
        VarHandle.fullFence(); // between the wish and the look at the reader's position
        final int result = writer.offer(header, headerBytes, payload, payloadOffset, payloadBytes);
        if (result == RingWriter.ACCEPTED) {
            writer.unwant();
            senderBlocked = false;
        }
        return result;
    }

    /** Wakes the peer's I/O thread if it sleeps. A full fence must precede. */
    private void wakePeer(final ByteBuffer one) {
        if ((int) INT.getOpaque(peerWords, (long) ASLEEP) != 0 && INT.compareAndSet(peerWords, (long) ASLEEP, 1, 0)) {
            try {
                channel.write(one.clear());
            } catch (final IOException e) {
                LOG.trace("peer cannot be woken, its end is about to be read: peer={}", peer, e);
            }
        }
    }

    @Override
    public boolean poll() {
        if (state != OPEN || peerEnded || reading) {
            return false;
        }
        markPolled();
        if (!mayReceive() || !READING.compareAndSet(this, false, true)) {
            return false;
        }
        boolean some = false;
        try {
            if (state == OPEN) {
                some = receive();
            }
        } catch (final Throwable e) { // of a handler: it must not reach a thread that waits for something else
            requestEnd(e);
        } finally {
            READING.setRelease(this, false);
        }
        markPolled(); // what was read may have taken long
        return some;
    }

    /** Lets the I/O thread leave the link to the calling thread for a while, which polls it or is about to: a long message takes long to send. */
    private void markPolled() {
        if (!polled) {
            polled = true;
        }
    }

    /** Does the same, unless the I/O thread sends: its answers to accesses do not say that a rank polls, which may compute. */
    private void markPolledByOthers() {
        if (!polled) {
            final IoLoop of = loop;
            if (of == null || !of.isCurrent()) {
                polled = true;
            }
        }
    }

    /** Returns whether {@link #receive} may find something, without the token: most polls find nothing, and make no atomic access. */
    private boolean mayReceive() {
        final boolean wasInterrupted = Thread.currentThread().isInterrupted();
        try {
            return senderBlocked || reader.hasRecord();
        } catch (final IllegalStateException e) {
            AccessInterrupt.clear(wasInterrupted);
            return false; // the memory was released meanwhile
        }
    }

    /** Passes frames to the handler, and tells it of room. Returns whether anything was read. Called under the token. */
    private boolean receive() throws IOException {
        final boolean some = reader.read(this, handler);
        if (some && state == OPEN) {
            VarHandle.fullFence(); // between the position and the look whether the peer wants to hear of it
            if (reader.takeWanted()) {
                VarHandle.fullFence();
                wakePeer(readerByte);
            }
        }
        if (senderBlocked && state == OPEN && !writer.isWanted()) {
            senderBlocked = false;
            handler.writable(this);
        }
        return some;
    }

    @Override
    public boolean sharesMemory() {
        return true;
    }

    @Override
    public boolean isPolledWithoutSystemCall() {
        return true;
    }

    @Override
    public void serve() {
        if (left && LEFT.compareAndSet(this, true, false)) {
            final IoLoop of = loop;
            if (of != null) {
                of.wakeForLeft();
            }
        }
    }

    @Override
    public int maxFrame() {
        return Record.MAX_FRAME;
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public @Nullable BulkAccess bulk() {
        return bulk;
    }

    @Override
    public void close() {
        requestEnd(null);
    }

    @Override
    public String toString() {
        return "link to " + peer;
    }

    /** Returns whether frames may be passed to the handler. */
    boolean isOpen() {
        return state == OPEN;
    }

    /** Sets the links of the transport, which this one leaves at its end. */
    void onEnd(final Set<ShmLink> links) {
        all = links;
    }

    /** Waits until the handler was notified that the link is closed. */
    boolean awaitEnd(final long nanos) throws InterruptedException {
        return end.await(nanos, TimeUnit.NANOSECONDS);
    }

    /** Asks the I/O thread to end the link; the first cause counts. Any thread. */
    private void requestEnd(final @Nullable Throwable cause) {
        if (setEnding(cause)) {
            final IoLoop of = loop;
            if (of != null) {
                of.execute(() -> of.serve(this));
            }
        }
    }

    private boolean setEnding(final @Nullable Throwable cause) {
        if (!ending.compareAndSet(null, new Ending(cause))) {
            return false;
        }
        for (int now = state; now < CLOSING && !STATE.compareAndSet(this, now, CLOSING);) {
            now = state;
        }
        left = false;
        return true;
    }

    // The methods below run on the I/O thread.

    @Override
    public void register(final IoLoop of, final Selector selector) throws IOException {
        loop = of;
        key = channel.register(selector, SelectionKey.OP_READ, this);
        of.serve(this);
    }

    /** Continues with the key of the handshake. {@link IoLoop#serve} must follow. */
    void continueOn(final IoLoop of, final SelectionKey handshakeKey) {
        loop = of;
        key = handshakeKey;
    }

    /** Opens the link, when the acceptor has accepted it. */
    void accept(final LinkHandler newHandler) {
        handler = newHandler;
        STATE.compareAndSet(this, HANDSHAKE, OPEN);
    }

    /** Releases a link that was not accepted. Its handler hears of nothing. */
    void discard() {
        setEnding(null);
        state = ENDED;
        release();
        end.countDown();
    }

    @Override
    public void fail(final Throwable cause) {
        setEnding(cause);
        final IoLoop of = loop;
        if (of != null) {
            of.serve(this);
        }
    }

    /** Reads the bytes that woke this thread, and serves the link. */
    @Override
    public void ready() {
        int count;
        try {
            count = channel.read(drain.clear()); // a peer writes one byte a time
        } catch (final IOException e) {
            LOG.debug("socket has failed: peer={}", peer, e);
            count = -1;
        }
        if (count < 0) {
            peerEnded = true;
            cancelKey();
        }
        final IoLoop of = loop;
        if (of != null) {
            of.serve(this);
        }
    }

    private void cancelKey() {
        final SelectionKey registered = key;
        if (registered != null) {
            registered.cancel();
        }
    }

    /** Reads what there is, unless other threads poll; then sleeps or ends the link. */
    Next service() {
        if (state == ENDED) {
            return Next.DONE;
        }
        if (isPolled() || reading || !READING.compareAndSet(this, false, true)) {
            return leave();
        }
        polled = false;
        Next next = Next.MORE;
        try {
            int reads = 0;
            while (state == OPEN && receive() && reads < MAX_READS) {
                reads++;
            }
            if (state == OPEN && reads < MAX_READS) {
                if (!peerEnded) {
                    next = sleep() ? Next.DONE : Next.MORE;
                } else if (!reader.hasRecord()) {
                    setEnding(lost());
                }
            }
        } catch (final Throwable e) { // of a handler or of the peer; no failure may end the thread that serves the other links
            setEnding(e);
        }
        if (state >= CLOSING) {
            end();
            return Next.DONE;
        }
        reading = false;
        return next;
    }

    private boolean isPolled() {
        return state == OPEN && polled && !peerEnded && !isWakeUpNeeded();
    }

    private boolean isWakeUpNeeded() {
        try {
            return handler.isWakeUpNeeded();
        } catch (final Throwable e) { // as above
            setEnding(e);
            return true;
        }
    }

    /** Leaves the link to the threads that poll. */
    private Next leave() {
        polled = false;
        left = true;
        if (state != OPEN || peerEnded || isWakeUpNeeded()) {
            left = false;
            Thread.yield(); // another thread reads just now
            return Next.MORE;
        }
        return Next.LEFT;
    }

    /** Takes the link back unless other threads have polled it since the last call. Returns whether it is still left to them. */
    boolean remainsLeft() {
        if (!polled || state != OPEN || peerEnded) {
            left = false;
        }
        polled = false;
        return left;
    }

    /** Lets the peer wake this thread; returns false if there is something to do at once. */
    private boolean sleep() {
        INT.setVolatile(ownWords, (long) ASLEEP, 1);
        VarHandle.fullFence(); // between the word and the look
        if (reader.hasRecord() || senderBlocked && !writer.isWanted() || state != OPEN) {
            INT.setVolatile(ownWords, (long) ASLEEP, 0);
            return false;
        }
        return true;
    }

    private IOException lost() {
        return new IOException(
            ((int) INT.getAcquire(peerWords, (long) CLOSED) == 1 ? "peer closed the link: peer=" : "the peer's process has ended: peer=")
                + peer);
    }

    /** Ends the link. The token is kept, so that no thread reads any more. */
    private void end() {
        state = ENDED;
        release();
        final Ending why = ending.get();
        try {
            handler.closed(this, why == null ? null : why.cause);
        } catch (final Throwable e) { // as above
            // Cause: an internal error, whose stack follows. Remedy: report it.
            LOG.warn("handler failed in closed: peer={}", peer, e);
        } finally {
            final Set<ShmLink> links = all;
            if (links != null) {
                links.remove(this);
            }
            end.countDown();
            final IoLoop of = loop;
            if (of != null) {
                of.removed();
            }
        }
    }

    private void release() {
        if (endpoint != null) {
            endpoint.close();
        }
        INT.setRelease(ownWords, (long) CLOSED, 1); // before the end of the socket: the peer reads it then
        cancelKey();
        try {
            channel.shutdownOutput(); // a registered channel is closed only by the next select
        } catch (final IOException e) {
            LOG.trace("socket has ended: peer={}", peer, e);
        }
        try {
            channel.close();
        } catch (final IOException e) {
            LOG.debug("socket cannot be closed: peer={}", peer, e);
        }
        try {
            region.close();
        } catch (final IllegalStateException e) {
            LOG.debug("memory cannot be released, it is in use: peer={}", peer, e);
        }
    }
}
