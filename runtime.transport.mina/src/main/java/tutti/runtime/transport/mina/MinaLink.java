package tutti.runtime.transport.mina;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.ByteChannel;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.security.cert.X509Certificate;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.apache.mina.core.service.IoProcessor;
import org.apache.mina.core.service.IoService;
import org.apache.mina.transport.socket.nio.NioSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;

/**
 * Link over one TCP connection.
 *
 * <p>The I/O thread reads, parses, calls the handler and checks the timeouts; a sender writes through the {@link OutboundBuffer} on its own thread.
 * While threads {@linkplain #poll poll} the link, the I/O thread leaves it to them: it is then woken neither by bytes that arrive nor for space.
 *
 * <p>The state only moves forward: {@link #HANDSHAKE} (accepted by the listener, no handler yet) → {@code OPEN} → {@code CLOSING} (this side closed:
 * the remaining bytes are flushed, then the end of the stream is sent, then the peer's end is awaited, so that no reset overtakes the last frames) →
 * {@code CLOSED} (MINA was asked to remove the session). {@link #sessionClosed} then notifies the handler, on the I/O thread.
 *
 * <p><b>Threads.</b> Any thread may send, poll and close; the state changes atomically. The key is volatile: the I/O thread sets it, and then
 * repeats the requests that came too early. The reader and the calls of the handler belong to the holder of the token {@code reading}; the other
 * fields that change belong to the I/O thread. The I/O thread sets {@code left} and then checks {@link LinkHandler#isWakeUpNeeded} again, and the
 * last polling thread clears that and then {@linkplain #serve checks} {@code left}: so one of them takes care of the link. No slow peer holds up a
 * sender: the thread that finds space notifies it, and the timeouts end what does not progress.
 */
final class MinaLink implements Link {
    private static final Logger LOG = LoggerFactory.getLogger(MinaLink.class);
    private static final int HANDSHAKE = 0;
    private static final int OPEN = 1;
    private static final int CLOSING = 2;
    private static final int CLOSED = 3;
    private static final int MAX_READS = 8;
    private static final VarHandle STATE;
    private static final VarHandle READING;
    private static final VarHandle LEFT;
    /** The handler of a link whose peer was not accepted. It hears of nothing, since such a link has no frames. */
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
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(MinaLink.class, "state", int.class);
            READING = lookup.findVarHandle(MinaLink.class, "reading", boolean.class);
            LEFT = lookup.findVarHandle(MinaLink.class, "left", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LinkSession session;
    private final SocketChannel channel;
    /** TLS on the channel; null without. */
    private final @Nullable TlsChannel tls;
    /** What is read and written: {@code tls}, or the channel itself. */
    private final ByteChannel bytes;
    private final String peer;
    /** Decides on the hello of an accepted link; null on a connected one. */
    private final @Nullable HandshakeServer handshakeServer;
    private final LinkTimeouts timeouts;
    private final LinkSilence silence;
    private final FrameReader reader = new FrameReader();
    private final OutboundBuffer outbound;
    private final CountDownLatch end = new CountDownLatch(1);
    private LinkHandler handler;
    /** Why the link failed; null if this side closed it. */
    private @Nullable Throwable cause;
    private boolean outputEnded;
    private volatile @Nullable SelectionKey key;
    private volatile int state;
    /** Set before the state is closing. */
    private boolean endsWithProcess;
    private volatile boolean reading;
    /** Set while the I/O thread leaves the link to the threads that poll it. */
    private volatile boolean left;
    /** Set by each poll, and cleared whenever the I/O thread looks. */
    private volatile boolean polled;

    private MinaLink(final IoProcessor<NioSession> processor, final IoService service, final SocketChannel channel, final String peer,
        final TransportSettings settings, final @Nullable HandshakeServer handshakeServer, final LinkHandler handler,
        final @Nullable TlsChannel tls, final @Nullable PacketLook packets) {
        this.session = new LinkSession(processor, service, channel, this);
        this.channel = channel;
        this.peer = peer;
        this.handshakeServer = handshakeServer;
        this.handler = handler;
        this.timeouts = new LinkTimeouts(settings);
        this.silence = new LinkSilence(channel, peer, settings, packets);
        this.state = handshakeServer == null ? OPEN : HANDSHAKE;
        this.tls = tls;
        this.bytes = tls == null ? channel : tls;
        this.outbound = new OutboundBuffer(bytes, this::requestService);
        if (tls != null) {
            tls.onUnflushed(this::requestService);
        }
    }

    /** Creates a link whose peer has not sent its hello yet. */
    static MinaLink accepted(final IoProcessor<NioSession> processor, final IoService service, final SocketChannel channel, final String peer,
        final TransportSettings settings, final HandshakeServer handshakeServer, final @Nullable TlsChannel tls) {
        return new MinaLink(processor, service, channel, peer, settings, handshakeServer, NOT_ACCEPTED, tls, null);
    }

    /** Creates a link that the peer has accepted. */
    static MinaLink connected(final IoProcessor<NioSession> processor, final IoService service, final SocketChannel channel, final String peer,
        final TransportSettings settings, final LinkHandler handler, final @Nullable TlsChannel tls, final @Nullable PacketLook packets) {
        return new MinaLink(processor, service, channel, peer, settings, null, handler, tls, packets);
    }

    @Override
    public boolean trySend(final byte[] header, final int headerBytes, final @Nullable MemorySegment payload, final long payloadOffset,
        final int payloadBytes) {
        if (headerBytes < 0 || payloadBytes < 0 || headerBytes > WireFormat.MAX_FRAME - payloadBytes || headerBytes + payloadBytes < 1) {
            throw new IllegalArgumentException(
                "frame length out of range: headerBytes=" + headerBytes + ", payloadBytes=" + payloadBytes + ", sum=1.." + WireFormat.MAX_FRAME);
        }
        if (state == HANDSHAKE) {
            outbound.setSenderBlocked(); // nothing may be sent before the answer; the I/O thread checks this after it has changed the state
        }
        int now = state;
        return now >= CLOSING || now == OPEN && outbound.offer(header, headerBytes, payload, payloadOffset, payloadBytes);
    }

    @Override
    public void cork() {
        outbound.cork();
    }

    @Override
    public void uncork() {
        outbound.uncork();
    }

    @Override
    public boolean poll() {
        if (state != OPEN || reading || !READING.compareAndSet(this, false, true)) {
            return false;
        }
        boolean some = false;
        try {
            if (!polled) {
                polled = true;
            }
            if (state == OPEN) {
                some = read(MAX_READS);
                flushTls();
                outbound.retry();
                advance();
            }
        } catch (Throwable e) { // of a handler: it must not reach a thread that waits for something else
            fail(e);
        } finally {
            reading = false;
        }
        return some;
    }

    @Override
    public void serve() {
        if (left && LEFT.compareAndSet(this, true, false)) {
            wake(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        }
    }

    @Override
    public int maxFrame() {
        return WireFormat.MAX_FRAME;
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public @Nullable X509Certificate peerCertificate() {
        return tls == null ? null : tls.peerCertificate();
    }

    @Override
    public void close() {
        for (int now = state; now < CLOSING; now = state) {
            if (STATE.compareAndSet(this, now, CLOSING)) {
                left = false;
                wake(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            }
        }
    }

    /** Closes the link as {@link #close} does, except that the peer learns of it when this process ends. */
    void leaveToProcess() {
        endsWithProcess = true;
        close();
    }

    @Override
    public String toString() {
        return "link to " + peer;
    }

    /** Returns MINA's session of the link. */
    LinkSession session() {
        return session;
    }

    /** Returns whether the peer opened the link. */
    boolean isAccepted() {
        return handshakeServer != null;
    }

    /** Waits until the handler was notified that the link is closed. */
    boolean awaitEnd(final long nanos) throws InterruptedException {
        return end.await(nanos, TimeUnit.NANOSECONDS);
    }

    // The methods below run on the I/O thread, except drop().

    /** Stores the selection key, when the I/O thread has registered the channel. */
    void registered(final SelectionKey newKey) {
        key = newKey;
        wake(SelectionKey.OP_WRITE); // earlier requests found no key
    }

    /** Reads and writes what the channel of a key allows, unless other threads poll. Returns whether the link was left to these. */
    boolean ready(final SelectionKey selected) {
        if (state == OPEN && polled && !handler.isWakeUpNeeded() || reading || !READING.compareAndSet(this, false, true)) {
            return leave(selected);
        }
        polled = false;
        try {
            if (selected.isWritable()) {
                selected.interestOpsAnd(~SelectionKey.OP_WRITE);
                flushTls();
                outbound.writable();
                advance();
            }
            if (selected.isReadable() || tls != null && tls.hasBuffered()) {
                read(MAX_READS);
            }
        } catch (CancelledKeyException e) {
            fail(linkLost(e));
        } catch (Throwable e) { // also of a handler; no failure may end the thread that serves the other links
            fail(e);
        } finally {
            reading = false;
        }
        return false;
    }

    private boolean leave(final SelectionKey selected) {
        try {
            selected.interestOps(0);
        } catch (CancelledKeyException e) {
            fail(linkLost(e));
            return false;
        }
        polled = false;
        left = true;
        if (state != OPEN || handler.isWakeUpNeeded()) {
            serve();
        }
        return left;
    }

    /** Takes the link back unless other threads have polled it since the last call. Returns whether it is still left to them. */
    boolean remainsLeft() {
        if (left && (!polled || state != OPEN)) {
            serve();
        }
        polled = false;
        return left;
    }

    void tick() {
        if (reading || !READING.compareAndSet(this, false, true)) {
            return; // the next tick is soon
        }
        try {
            switch (state) {
                case HANDSHAKE -> {
                    if (handshakeServer != null && timeouts.isHelloLate() && !hasUnread()) {
                        handshakeServer.late(this);
                    }
                }
                case OPEN -> {
                    String loss = silence.loss(timeouts.silentHalves(reader.received()));
                    if (loss != null) {
                        fail(new IOException(loss + ": peer=" + peer));
                    } else if (timeouts.isIdle(outbound.accepted()) && !(isAccepted() && timeouts.isSilent())) {
                        outbound.heartbeat(); // of a listener, it says that the peer is heard: the peer alone can look why not
                    }
                    advance();
                }
                case CLOSING -> advance();
                default -> {}
            }
        } catch (Throwable e) { // as above
            fail(e);
        } finally {
            reading = false;
        }
    }

    void accept(final LinkHandler newHandler) {
        handler = newHandler;
        outbound.offerHandshake(HandshakeCodec.answer(WireFormat.ACCEPTED, ""));
        STATE.compareAndSet(this, HANDSHAKE, OPEN); // before the flush, so that the link is open here when the peer receives the answer
        outbound.flush();
        advance();
    }

    void refuse(final String reason) {
        outbound.offerHandshake(HandshakeCodec.answer(WireFormat.REFUSED, reason));
        STATE.compareAndSet(this, HANDSHAKE, CLOSING);
        outbound.flush();
        advance();
    }

    /** Returns whether bytes have arrived that the I/O thread has not read. Any thread. */
    boolean hasUnread() {
        try {
            return channel.socket().getInputStream().available() > 0;
        } catch (IOException e) {
            return false; // it is closed
        }
    }

    /** Closes a link that has no handler yet, without an answer. Any thread. */
    void drop() {
        if (STATE.compareAndSet(this, HANDSHAKE, CLOSED)) {
            session.closeNow();
        }
    }

    void fail(final @Nullable Throwable why) {
        int before = (int) STATE.getAndSet(this, CLOSED);
        if (before == OPEN) {
            cause = why;
        }
        if (before != CLOSED) {
            session.closeNow();
        }
    }

    /** Ends the link, when MINA has removed the session or could not start it. */
    void sessionClosed() {
        state = CLOSED;
        while (!READING.compareAndSet(this, false, true)) {
            Thread.yield();
        }
        outbound.close();
        reader.close();
        silence.close();
        if (tls != null) {
            tls.close();
        }
        if (handshakeServer != null) {
            handshakeServer.leave(this);
        }
        try {
            handler.closed(this, cause);
        } catch (Throwable e) { // as above
            // Cause: an internal error, whose stack follows. Remedy: report it.
            LOG.warn("handler failed in closed: peer={}", peer, e);
        } finally {
            end.countDown();
        }
    }

    /** Reads what has arrived, and returns whether anything has. Called under the token. */
    private boolean read(final int times) {
        boolean some = false;
        try {
            for (int i = 0; (i < times || isBuffered()) && state != CLOSED; i++) {
                some |= readOnce();
                if (!reader.mayHaveMore()) {
                    return some;
                }
            }
        } finally {
            if (tls != null) {
                tls.buffersOnly(false);
            }
        }
        return some;
    }

    /** Returns whether TLS has bytes that the selector does not know of; these are all that is read from now on. */
    private boolean isBuffered() {
        if (tls == null || !tls.hasBuffered()) {
            return false;
        }
        tls.buffersOnly(true);
        return true;
    }

    private boolean readOnce() {
        try {
            int count = reader.fill(bytes);
            if (count < 0) {
                IOException failure = outbound.failure();
                fail(failure == null ? new IOException("peer closed the link: peer=" + peer) : linkLost(failure));
            } else if (count > 0) {
                received();
                return true;
            }
        } catch (SSLException e) {
            tlsFailed(e);
        } catch (IOException e) {
            fail(linkLost(e));
        }
        return false;
    }

    /** Ends the link after its alert was sent. The listening side logs why it did not accept the peer. */
    private void tlsFailed(final SSLException e) {
        if (handshakeServer == null || state != HANDSHAKE) {
            fail(linkLost(e));
            return;
        }
        handshakeServer.refused(this, WireFormat.reason(e));
        STATE.compareAndSet(this, HANDSHAKE, CLOSING);
        advance();
    }

    private void flushTls() {
        if (tls != null && tls.isUnflushed()) {
            try {
                tls.flush();
            } catch (IOException e) {
                fail(linkLost(e));
            }
        }
    }

    private void received() throws ProtocolException {
        if (state == HANDSHAKE && handshakeServer != null) {
            handshakeServer.received(this, reader);
        }
        while (state == OPEN) {
            int bytes = reader.wholeFrame();
            if (bytes < 0) {
                return;
            }
            int at = reader.start() + WireFormat.FRAME_HEADER;
            reader.consume(WireFormat.FRAME_HEADER + bytes);
            if (bytes > 0) {
                handler.frame(this, reader.memory(), at, bytes);
            }
        }
        if (state >= CLOSING) {
            reader.consume(reader.available());
        }
    }

    /** Acts on the state of the link and of the outbound buffer: notifies a blocked sender, ends the output, closes the link. */
    private void advance() {
        IOException failure = outbound.failure();
        if (state == OPEN && failure != null) {
            read(Integer.MAX_VALUE); // first what the peer sent before it closed; it can send no more
            fail(linkLost(failure));
        }
        if (state == OPEN && outbound.clearSenderBlocked()) {
            handler.writable(this);
        }
        if (state == CLOSING) {
            try {
                if (!outputEnded && outbound.isEmpty() && (tls == null || !tls.isUnflushed())) {
                    outputEnded = true;
                    if (endsWithProcess) {
                        session.setEndsWithProcess();
                        fail(null);
                        return;
                    }
                    if (tls != null) {
                        tls.endOutput();
                    }
                    channel.shutdownOutput();
                }
            } catch (IOException e) {
                fail(e);
            }
            if (timeouts.isClosingLate()) {
                fail(null);
            }
        }
    }

    private IOException linkLost(final Exception why) {
        return new IOException("link lost: peer=" + peer + ", reason=" + why.getMessage(), why);
    }

    /** Requests that the outbound buffer is served: by the threads that poll, while the link is left to them, else by the I/O thread. */
    private void requestService() {
        if (!left) {
            wake(SelectionKey.OP_WRITE);
        }
    }

    private void wake(final int operations) {
        SelectionKey to = key;
        if (to == null) {
            return;
        }
        try {
            to.interestOpsOr(operations);
            to.selector().wakeup();
        } catch (CancelledKeyException e) {
            LOG.trace("link is being removed: peer={}", peer, e);
        }
    }
}
