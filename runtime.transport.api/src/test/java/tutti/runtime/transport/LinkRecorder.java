package tutti.runtime.transport;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A link handler for tests: keeps what it receives, and counts breaches of the contract: concurrent calls and any call after closed. */
public class LinkRecorder implements LinkHandler {
    /** Frames received, in order. */
    public final BlockingQueue<byte[]> frames = new LinkedBlockingQueue<>();
    /** A permit per call of {@link LinkHandler#writable}. */
    public final Semaphore writable = new Semaphore(0);
    /** Zero when the link is closed. */
    public final CountDownLatch closed = new CountDownLatch(1);
    /** Number of calls of {@link LinkHandler#closed}. */
    public final AtomicInteger closings = new AtomicInteger();
    /** Number of breaches of the contract. */
    public final AtomicInteger breaches = new AtomicInteger();
    /** The link of the last call. */
    public volatile Link link;
    /** The cause with which the link was closed. */
    public volatile Throwable cause;
    /** Returned by {@link LinkHandler#isWakeUpNeeded}. */
    public volatile boolean wakeUpNeeded = true;
    /** The thread of the last call. */
    public volatile Thread thread;
    private final AtomicBoolean inCall = new AtomicBoolean();

    @Override
    public void frame(final Link from, final MemorySegment memory, final long offset, final int bytes) {
        enter(from);
        try {
            received(from, memory, offset, bytes);
        } finally {
            inCall.set(false);
        }
    }

    /** Handles a frame; stores it by default. */
    protected void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
        frames.add(memory.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public boolean isWakeUpNeeded() {
        return wakeUpNeeded;
    }

    @Override
    public void writable(final Link to) {
        enter(to);
        writable.release();
        inCall.set(false);
    }

    @Override
    public void closed(final Link gone, final Throwable why) {
        enter(gone);
        closings.incrementAndGet();
        cause = why;
        closed.countDown();
        inCall.set(false);
    }

    private void enter(final Link from) {
        link = from;
        thread = Thread.currentThread();
        if (!inCall.compareAndSet(false, true) || closings.get() > 0) {
            breaches.incrementAndGet();
        }
    }

    /** Returns the next frame as text; null when none arrives in time. */
    public String text() throws InterruptedException {
        final byte[] frame = frames.poll(60, TimeUnit.SECONDS);
        return frame == null ? null : new String(frame, StandardCharsets.UTF_8);
    }

    /** Waits until the link is closed; returns false when that takes too long. */
    public boolean awaitClosed() throws InterruptedException {
        return closed.await(60, TimeUnit.SECONDS);
    }

    /** Sends a frame, and waits while the link is full. */
    public void send(final Link to, final byte[] header, final MemorySegment payload, final long offset, final int bytes)
        throws InterruptedException {
        while (!to.trySend(header, header.length, payload, offset, bytes)) {
            if (!writable.tryAcquire(60, TimeUnit.SECONDS)) {
                throw new AssertionError("trySend said no and writable did not follow");
            }
        }
    }

    /** Tries to send a frame of text. */
    public static boolean send(final Link to, final String text) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return to.trySend(bytes, bytes.length, null, 0, 0);
    }
}
