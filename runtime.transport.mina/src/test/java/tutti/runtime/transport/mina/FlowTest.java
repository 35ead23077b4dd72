package tutti.runtime.transport.mina;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkRecorder;

/** Flow control and cost of large data: what blocks a sender, what resumes it, what is allocated. */
@Timeout(120)
class FlowTest {
    private static final byte[] NONE = new byte[0];

    @Test
    void shouldStreamAGibibyteInPieces() throws Exception {
        long total = 1L << 30;
        AtomicLong sum = new AtomicLong();
        AtomicLong bytes = new AtomicLong();
        CountDownLatch all = new CountDownLatch(1);
        LinkRecorder near = new LinkRecorder();
        LinkRecorder far = new LinkRecorder() {
            @Override
            protected void received(final Link from, final MemorySegment memory, final long offset, final int length) {
                sum.setPlain(sum.getPlain() * 31 + memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset)
                    + memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + length - 8));
                if (bytes.addAndGet(length) == total) {
                    all.countDown();
                }
            }
        };
        try (Pair pair = Pair.of(TransportSettings.DEFAULT, far); Arena arena = Arena.ofConfined()) {
            Link link = pair.connect(near);
            int piece = 32 << 10;
            MemorySegment payload = arena.allocate(piece);
            long expected = 0;
            long direct = 0;
            for (long i = 0; i < total / piece; i++) {
                payload.set(ValueLayout.JAVA_LONG, 0, i);
                payload.set(ValueLayout.JAVA_LONG, piece - 8, ~i * 7);
                expected = expected * 31 + i + ~i * 7;
                near.send(link, NONE, payload, 0, piece);
                direct = Math.max(direct, DirectMemory.inUse());
            }
            assertTrue(all.await(60, TimeUnit.SECONDS), "received " + bytes.get());
            assertEquals(expected, sum.get());
            assertTrue(direct <= 4L * OutboundBuffer.HIGH_MARK, "direct memory " + direct);
        }
        assertEquals(0, near.breaches.get() + far.breaches.get());
    }

    @Test
    void shouldRejectFramesAndStayBoundedWhenThePeerDoesNotRead() throws Exception {
        LinkRecorder far = new LinkRecorder();
        try (Pair pair = Pair.of(TransportSettings.DEFAULT, far); RawPeer peer = RawPeer.accepted(pair.listener.address())) {
            byte[] frame = new byte[40_000];
            long before = DirectMemory.inUse();
            long taken = 0;
            do { // until the socket buffers on both sides have grown to their limits
                while (far.link.trySend(frame, frame.length, null, 0, 0)) {
                    taken++;
                }
            } while (far.writable.tryAcquire(500, TimeUnit.MILLISECONDS));
            assertFalse(far.link.trySend(frame, frame.length, null, 0, 0));
            assertTrue(DirectMemory.inUse() - before <= 2 * OutboundBuffer.HIGH_MARK, "direct memory " + (DirectMemory.inUse() - before));
            peer.read(Math.toIntExact(taken * (4 + frame.length)));
            assertTrue(far.writable.tryAcquire(60, TimeUnit.SECONDS));
            assertTrue(far.link.trySend(frame, frame.length, null, 0, 0));
            assertEquals(4 + frame.length, peer.read(4 + frame.length).length);
        }
    }

    @Test
    void shouldGiveUpFlushingAfterASecondWhenThePeerDoesNotRead() throws Exception {
        LinkRecorder far = new LinkRecorder();
        try (Pair pair = Pair.of(TransportSettings.DEFAULT, far); RawPeer peer = RawPeer.accepted(pair.listener.address())) {
            byte[] frame = new byte[40_000];
            while (far.link.trySend(frame, frame.length, null, 0, 0)) {
                Thread.onSpinWait();
            }
            long from = System.nanoTime();
            far.link.close();
            assertTrue(far.awaitClosed());
            assertNull(far.cause);
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from);
            assertTrue(millis >= 900, "closed after " + millis + " ms");
            assertFalse(peer.socket.isClosed());
        }
    }

    @Test
    void shouldAllocateNothingPerFrame() throws Exception {
        AtomicLong got = new AtomicLong();
        LinkRecorder far = new LinkRecorder() {
            @Override
            protected void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                got.setRelease(got.getPlain() + 1);
            }
        };
        LinkRecorder near = new LinkRecorder();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (Pair pair = Pair.of(TransportSettings.DEFAULT, far)) {
            Link link = pair.connect(near);
            MemorySegment payload = MemorySegment.ofArray(new byte[1_000]);
            pingFrames(near, link, payload, got, 50_000);
            long here = Thread.currentThread().threadId();
            long io = far.thread.threadId();
            long before = threads.getThreadAllocatedBytes(here) + threads.getThreadAllocatedBytes(io);
            pingFrames(near, link, payload, got, 20_000);
            long bytes = threads.getThreadAllocatedBytes(here) + threads.getThreadAllocatedBytes(io) - before;
            assertTrue(bytes < 20_000 * 4, "allocated " + bytes + " bytes for 20000 frames"); // ticks and MINA's idle check allocate a little
        }
    }

    private static void pingFrames(final LinkRecorder near, final Link link, final MemorySegment payload, final AtomicLong got, final int frames)
        throws InterruptedException {
        long end = got.get() + frames;
        for (long i = got.get(); i < end; i++) {
            near.send(link, NONE, payload, 0, 1_000);
            if (i % 16 == 0) { // mostly one frame at a time: the case with the highest cost per frame
                while (got.getAcquire() < i) {
                    Thread.onSpinWait();
                }
            }
        }
        while (got.getAcquire() < end) {
            Thread.onSpinWait();
        }
    }
}
