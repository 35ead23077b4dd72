package tutti.runtime.transport.ucx;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.transport.AccessInterrupt;
import tutti.runtime.transport.BulkAccess;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;

/**
 * Link over a worker of libucp. The socket of the handshake stays open: its end tells that the peer's process has ended.
 *
 * <p>The state only moves forward: {@link #HANDSHAKE} → {@code OPEN} → {@code CLOSING} (this side closed: what was accepted is sent, then a message
 * without bytes, whereupon the peer closes its socket) → {@code CLOSED} (the thread of the transport releases all, then notifies the handler).
 *
 * <p><b>Threads.</b> libucp permits one thread at a time: the holder of {@code lock}, which nobody waits for. A sender publishes its frame, and posts
 * it when it gets the lock; otherwise the holder does so, who looks for frames after it has released the lock. Accesses are submitted in the same
 * way. A sender never receives. The thread of the transport serves the link, unless it leaves it to the threads that {@linkplain #poll poll}: it sets
 * {@code left} and then checks {@link LinkHandler#isWakeUpNeeded} again, and the last polling thread clears that and then checks {@code left}. The
 * lock is held until the link is started, and for ever by the thread that ends it. Transitions of the state are synchronized; sends only read it.
 */
final class UcxLink implements Link {
    /** Length of the longest frame in bytes. */
    static final int MAX_FRAME = 48 << 10;
    /** The transport's thread watches the descriptor of the link. */
    static final int WATCH = 0;
    /** There is more to do. */
    static final int AGAIN = 1;
    /** Other threads poll. */
    static final int LEFT = 2;
    /** Another thread has the lock, and wakes the transport's thread when it releases it. */
    static final int LOCKED = 3;
    /** As {@link #WATCH}, until the link is closed or a time has passed. */
    static final int LIMITED = 4;
    /** The link has ended. */
    static final int ENDED = 5;

    private static final Logger LOG = LoggerFactory.getLogger(UcxLink.class);
    private static final int HANDSHAKE = 0;
    private static final int OPEN = 1;
    private static final int CLOSING = 2;
    private static final int CLOSED = 3;
    private static final int OUT_BYTES = 512 << 10;
    private static final int POLL_ROUNDS = 4;
    private static final int THREAD_ROUNDS = 16;
    private static final int FRAMES_PER_ROUND = 64;
    private static final long FLUSH_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final String GONE = "link is closed";

    private final UcxContext context;
    private final UcxThread thread;
    private final String peer;
    private final Consumer<UcxLink> onEnd;
    private final long token = ThreadLocalRandom.current().nextLong();
    private final Arena arena = Arena.ofShared();
    private final FramesOut out = new FramesOut(arena, OUT_BYTES);
    private final FramesIn in = new FramesIn(arena, MAX_FRAME);
    private final Accesses accesses = new Accesses(arena);
    private final UcxBulk bulk;
    private final FramesIn.Receiver receiver = this::received;
    private final Object transition = new Object();
    private final CountDownLatch end = new CountDownLatch(1);
    /** Set by {@link #start}, before the lock is released for the first time. */
    private volatile @Nullable Started started;

    private final TryLock lock = new TryLock();
    private volatile int state = HANDSHAKE;
    private @Nullable Throwable cause;
    private volatile boolean ended;
    /** Set by each poll, and cleared whenever the transport's thread looks. */
    private volatile boolean polled;
    /** Set while the transport's thread leaves the link to the threads that poll it. */
    private volatile boolean left;
    /** Set when the transport's thread is to serve the link. */
    private volatile boolean requested = true;
    /** Set when the peer has closed its socket. */
    private volatile boolean peerGone;

    // under the lock
    private boolean quiet;
    private boolean undelivered;
    private boolean peerEnded;
    private boolean endSent;
    private long endRequest;
    private long closingSince;

    /** Parts of a link that exist from its start on. */
    private record Started(Worker worker, LinkHandler handler, PeerSocket socket, long peerToken, Devices devices) {}

    /**
     * Creates a link that sends and receives nothing before it is {@linkplain #start started}.
     *
     * @param onEnd is told when the link has ended
     */
    UcxLink(final UcxContext context, final UcxThread thread, final String peer, final Consumer<UcxLink> onEnd) {
        this.context = context;
        this.thread = thread;
        this.peer = peer;
        this.onEnd = onEnd;
        this.bulk = new UcxBulk(this, context);
    }

    /** Starts the link, whose worker is connected. */
    void start(final Worker worker, final LinkHandler handler, final PeerSocket socket, final long peerToken) {
        started = new Started(worker, handler, socket, peerToken, worker.devices());
        int status = in.start(worker, context.receiveParams());
        synchronized (transition) {
            if (state == HANDSHAKE) {
                state = OPEN;
            }
        }
        if (status != Ucp.OK) {
            fail(lost(Ucp.text(status)));
        }
        LOG.debug("link opened: {}", this);
        lock.own();
        release(false);
        thread.add(this);
    }

    /** Ends a link that was not started. The handler is told if there is one. */
    void abandon(final @Nullable LinkHandler handler, final @Nullable Throwable why) {
        boolean isOwn;
        synchronized (transition) {
            isOwn = state == CLOSING;
            state = CLOSED;
        }
        finish(handler, isOwn ? null : why);
    }

    private Started started() {
        Started now = started;
        if (now == null) {
            throw new IllegalStateException("link is not started: peer=" + peer);
        }
        return now;
    }

    /** Returns the number that the keys of this end contain. */
    long token() {
        return token;
    }

    /** Returns the number that the keys of the peer's end contain. */
    long peerToken() {
        return started().peerToken;
    }

    @Override
    public boolean trySend(final byte[] header, final int headerBytes, final @Nullable MemorySegment payload, final long payloadOffset,
        final int payloadBytes) {
        if (headerBytes < 0 || payloadBytes < 0 || headerBytes > MAX_FRAME - payloadBytes || headerBytes + payloadBytes < 1) {
            throw new IllegalArgumentException(
                "frame length out of range: headerBytes=" + headerBytes + ", payloadBytes=" + payloadBytes + ", sum=1.." + MAX_FRAME);
        }
        Objects.checkFromIndexSize(0, headerBytes, header.length);
        if (payloadBytes > 0) {
            Objects.checkFromIndexSize(payloadOffset, (long) payloadBytes, Objects.requireNonNull(payload, "payload").byteSize());
        }
        if (state == HANDSHAKE) {
            out.block(); // nothing may be sent before the answer; the start of the link is followed by a look at this
        }
        int now = state;
        if (now != OPEN) {
            return now != HANDSHAKE;
        }
        boolean wasInterrupted = Thread.currentThread().isInterrupted();
        try {
            if (!out.offer(header, headerBytes, payload, payloadOffset, payloadBytes)) {
                if (!left) {
                    request();
                }
                return state >= CLOSING;
            }
        } catch (IllegalStateException e) {
            if (state == CLOSED) {
                AccessInterrupt.clear(wasInterrupted);
                return true; // its memory was released
            }
            throw e;
        }
        pump();
        return true;
    }

    /** Posts what was published, unless another thread has the lock, which does so then. */
    private void pump() {
        if (lock.isMine()) {
            post();
        } else if (lock.tryLock()) {
            release(false);
        }
    }

    @Override
    public boolean poll() {
        if (state != OPEN || !lock.tryLock()) {
            return false;
        }
        boolean some = false;
        try {
            if (!polled) {
                polled = true;
            }
            if (state == OPEN) {
                some = service(POLL_ROUNDS);
            }
        } catch (Throwable e) { // of a handler: it must not reach a thread that waits for something else
            fail(e);
        } finally {
            release(false);
        }
        return some;
    }

    @Override
    public void serve() {
        if (left) {
            takeBack();
        }
    }

    private void takeBack() {
        polled = false;
        left = false;
        request();
    }

    @Override
    public int maxFrame() {
        return MAX_FRAME;
    }

    @Override
    public String peer() {
        return peer;
    }

    /** Returns access to the memory of the peer; null before the link is started, and where UCX would emulate the access. */
    @Override
    public @Nullable BulkAccess bulk() {
        Started now = started;
        return now != null && now.devices.hasRma() ? bulk : null;
    }

    /** Returns whether the devices have atomic operations on the memory of the peer. */
    boolean hasAtomics() {
        return started().devices.hasAtomics();
    }

    @Override
    public void close() {
        synchronized (transition) {
            if (state >= CLOSING) {
                return;
            }
            state = CLOSING;
        }
        takeBack();
    }

    /** Closes the link at once. Any thread. */
    void fail(final @Nullable Throwable why) {
        synchronized (transition) {
            if (state == CLOSED) {
                return;
            }
            if (state != CLOSING) {
                cause = why;
            }
            state = CLOSED;
        }
        takeBack();
    }

    /** Notes that the peer has closed its socket: what it has sent is received, then the link is closed. Any thread. */
    void peerGone() {
        peerGone = true;
        takeBack();
    }

    /** Returns whether the handler is being told, or was told, that the link is closed. */
    boolean isEnded() {
        return ended;
    }

    /** Waits until the handler was notified that the link is closed. */
    boolean awaitEnd(final long nanos) throws InterruptedException {
        return end.await(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public String toString() {
        Started now = started;
        return "UCX link to " + peer + (now == null ? "" : " by " + now.devices.names());
    }

    /** Posts what was published, and releases the lock. */
    private void release(final boolean isThread) {
        do {
            boolean needed = post();
            boolean isUntold = accesses.hasEnded();
            if (lock.unlock()) {
                thread.wake();
            }
            if (isUntold || needed && !isThread && !left) {
                request();
            }
        } while ((out.isUnposted() || accesses.isUnposted()) && state < CLOSED && lock.tryLock());
    }

    /** Makes the transport's thread serve the link, soon. */
    private void request() {
        if (!requested) {
            requested = true;
            thread.wake();
        }
    }

    // Under the lock.

    /** Posts what was published. Returns whether something is under way. */
    private boolean post() {
        if (state == CLOSED) {
            return false;
        }
        Worker worker = started().worker;
        try {
            int status = out.post(worker, context.sendParams());
            if (status != Ucp.OK) {
                fail(lost(Ucp.text(status)));
                return false;
            }
            if (accesses.isUnposted()) {
                accesses.post(worker, context);
            }
        } catch (RuntimeException e) { // an access to memory that is closed, for example
            fail(e);
            return false;
        }
        return !out.isEmpty() || !accesses.isIdle();
    }

    /** Receives, sends, and tells what has ended. Returns whether frames arrived. */
    private boolean service(final int rounds) {
        Started now = started();
        boolean some = false;
        quiet = false;
        for (int i = 0; i < rounds && state != CLOSED && !quiet; i++) {
            // nothing more is received before all that was is delivered
            boolean moved = undelivered || now.worker.progress();
            int frames = in.deliver(now.worker, context.receiveParams(), receiver, FRAMES_PER_ROUND);
            undelivered = frames == FRAMES_PER_ROUND;
            boolean told = reap(now);
            some |= frames > 0;
            quiet = !moved && frames == 0 && !told;
        }
        if (in.status() != Ucp.OK) {
            fail(lost(Ucp.text(in.status())));
        }
        return some;
    }

    private boolean received(final MemorySegment memory, final long offset, final int bytes) {
        if (bytes == 0) {
            peerEnded = true;
            if (state == OPEN) {
                fail(new IOException("peer closed the link: peer=" + peer));
            }
            return false;
        }
        if (state == OPEN) {
            started().handler.frame(this, memory, offset, bytes);
        }
        return state != CLOSED;
    }

    /** Looks what has been sent or accessed. Returns whether a completion was told. */
    private boolean reap(final Started now) {
        int status = out.reap();
        if (status != Ucp.OK) {
            fail(lost(Ucp.text(status)));
        }
        if (state == OPEN && out.clearBlocked()) {
            now.handler.writable(this);
        }
        if (accesses.isIdle()) {
            return false;
        }
        accesses.post(now.worker, context);
        accesses.reap(now.worker, context);
        return tell();
    }

    private boolean tell() {
        boolean told = false;
        for (Access access = accesses.nextEnded(); access != null; access = accesses.nextEnded()) {
            told = true;
            tell(access);
        }
        return told;
    }

    /** Tells of an access; a completion that fails closes the link. */
    private void tell(final Access access) {
        try {
            access.tell();
        } catch (Throwable e) { // it must not reach a thread that does something else, nor keep others from being told
            fail(e);
        }
    }

    private IOException lost(final String reason) {
        return new IOException("link lost: peer=" + peer + ", reason=" + reason);
    }

    // Accesses.

    /** Begins an access: posts it, unless another thread has the lock, which does so then. */
    void begin(final Access access) {
        if (state >= CLOSING) {
            access.fail(GONE + ": peer=" + peer, null);
            access.tell();
            return;
        }
        accesses.submit(access);
        if (lock.isMine()) {
            post();
            tellIfEnded(access);
        } else if (lock.tryLock()) {
            post();
            tellIfEnded(access);
            release(false);
        } else if (ended) {
            refuse();
        }
    }

    private void tellIfEnded(final Access access) {
        if (accesses.removeEnded(access)) {
            tell(access);
        }
    }

    private void refuse() {
        for (Access access = accesses.refuse(); access != null; access = accesses.refuse()) {
            access.fail(GONE + ": peer=" + peer, null);
            access.tell();
        }
    }

    /** Destroys a key, unless another thread has the lock, which does so then. */
    void closeKey(final RemoteKey key) {
        if (state < CLOSED) {
            accesses.submitClosed(key);
            pump();
        }
    }

    // On the transport's thread.

    /** Returns whether the thread is to serve the link. */
    boolean isRequested() {
        return requested;
    }

    /** Returns the descriptor that is readable when there is something to do. */
    int descriptor() {
        return started().worker.descriptor();
    }

    /** Serves the link, unless other threads poll it. Returns what to wait for: {@link #WATCH} for example. */
    int run() {
        requested = false;
        Started now = started();
        try {
            if (mayLeave(now)) {
                polled = false;
                left = true;
                if (mayBeLeft(now)) {
                    return LEFT;
                }
            }
        } catch (Throwable e) { // of a handler
            fail(e);
        }
        left = false;
        polled = false;
        if (!lock.tryLockOrAsk()) {
            return LOCKED;
        }
        boolean isOver = true;
        try {
            int next = serve(now);
            isOver = next == ENDED;
            return next;
        } finally {
            if (!isOver) {
                release(true);
            }
        }
    }

    private boolean mayLeave(final Started now) {
        return polled && mayBeLeft(now);
    }

    private boolean mayBeLeft(final Started now) {
        return state == OPEN && !peerGone && !now.handler.isWakeUpNeeded();
    }

    private int serve(final Started now) {
        try {
            if (state != CLOSED) {
                service(THREAD_ROUNDS);
            }
            advance(now);
            if (state != CLOSED) {
                return quiet ? arm(now.worker) : AGAIN;
            }
        } catch (Throwable e) { // also of a handler; no failure may end the thread that serves the other links
            fail(e);
        }
        tearDown(now);
        return ENDED;
    }

    private int arm(final Worker worker) throws IOException {
        int status = worker.arm();
        if (status != Ucp.OK && status != Ucp.BUSY) {
            throw lost(Ucp.text(status));
        }
        return status == Ucp.BUSY ? AGAIN : state == CLOSING ? LIMITED : WATCH;
    }

    /** Acts on the state of the link and of its endpoint. */
    private void advance(final Started now) {
        String failure = now.worker.failure();
        if (state == OPEN && failure != null && quiet) {
            fail(lost(failure));
        }
        if (state == OPEN && peerGone && quiet) {
            fail(new IOException("link lost: peer=" + peer + ", reason=its process has ended, or closed the link"));
        }
        if (state == CLOSING) {
            if (closingSince == 0) {
                closingSince = System.nanoTime();
            }
            if (!endSent && out.isEmpty()) {
                endSent = true;
                endRequest = Ucp.send(now.worker.endpoint(), 0, 0, 0, context.sendParams());
            }
            if (peerEnded || peerGone || failure != null || System.nanoTime() - closingSince > FLUSH_NANOS) {
                fail(null);
            }
        }
    }

    /** Releases all, tells the accesses and the handler. The lock stays held. */
    private void tearDown(final Started now) {
        Worker worker = now.worker;
        try {
            in.cancel(worker);
            if (!worker.closeEndpoint(() -> in.isIdle() & accesses.isSettled() & isEndSettled() & out.isSettled())) {
                LOG.debug("UCX does not end operations of a link that is closed: peer={}, receives={}, accesses={}, end={}, sends={}", peer,
                    in.isIdle(), accesses.isSettled(), isEndSettled(), out.isSettled());
            }
            in.drop(worker, context.receiveParams());
            out.release();
            accesses.release();
            bulk.close();
            worker.destroy();
            accesses.failAll("link was closed during the access: peer=" + peer, cause);
            tell();
        } catch (Throwable e) {
            // Cause: an internal error, whose stack follows. Remedy: report it.
            LOG.error("link cannot be released: peer={}", peer, e);
        }
        now.socket.close();
        finish(now.handler, cause);
    }

    private boolean isEndSettled() {
        if (endRequest != 0 && Ucp.finish(endRequest) != Ucp.IN_PROGRESS) {
            endRequest = 0;
        }
        return endRequest == 0;
    }

    private void finish(final @Nullable LinkHandler handler, final @Nullable Throwable why) {
        ended = true;
        refuse();
        try {
            bulk.close();
            arena.close();
        } catch (RuntimeException e) {
            // Cause: an internal error, whose stack follows. Remedy: report it.
            LOG.error("memory of a link cannot be released: peer={}", peer, e);
        }
        onEnd.accept(this);
        try {
            if (handler != null) {
                handler.closed(this, why);
            }
        } catch (Throwable e) { // no failure may end the thread that serves the other links
            // Cause: an internal error, whose stack follows. Remedy: report it.
            LOG.warn("handler failed in closed: peer={}", peer, e);
        } finally {
            end.countDown();
        }
    }
}
