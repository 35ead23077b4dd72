package tutti.runtime.transport.mina;

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
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;

/** Handler that keeps what it receives and counts breaches of the contract: concurrent calls and any call after closed. */
class Recorder implements LinkHandler {
    final BlockingQueue<byte[]> frames = new LinkedBlockingQueue<>();
    final Semaphore writable = new Semaphore(0);
    final CountDownLatch closed = new CountDownLatch(1);
    final AtomicInteger closings = new AtomicInteger();
    final AtomicInteger breaches = new AtomicInteger();
    volatile Link link;
    volatile Throwable cause;
    volatile Thread thread;
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
    void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
        frames.add(memory.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE));
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

    String text() throws InterruptedException {
        byte[] frame = frames.poll(60, TimeUnit.SECONDS);
        return frame == null ? null : new String(frame, StandardCharsets.UTF_8);
    }

    boolean awaitClosed() throws InterruptedException {
        return closed.await(60, TimeUnit.SECONDS);
    }

    /** Sends all of it, and waits where there is no space. */
    void send(final Link to, final byte[] header, final MemorySegment payload, final long offset, final int bytes) throws InterruptedException {
        while (!to.trySend(header, header.length, payload, offset, bytes)) {
            if (!writable.tryAcquire(60, TimeUnit.SECONDS)) {
                throw new AssertionError("trySend said no and writable did not follow");
            }
        }
    }

    static boolean send(final Link to, final String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return to.trySend(bytes, bytes.length, null, 0, 0);
    }
}
