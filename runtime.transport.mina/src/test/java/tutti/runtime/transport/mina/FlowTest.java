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
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.runtime.transport.Link;

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
        Recorder near = new Recorder();
        Recorder far = new Recorder() {
            @Override
            void received(final Link from, final MemorySegment memory, final long offset, final int length) {
                sum.setPlain(sum.getPlain() * 31 + memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset)
                    + memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + length - 8));
                if (bytes.addAndGet(length) == total) {
                    all.countDown();
                }
            }
        };
        try (Pair pair = Pair.of(TransportSettings.DEFAULT, far); Arena arena = Arena.ofConfined()) {
            Link link = pair.connect(near);
            int piece = 128 << 10;
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
        Recorder far = new Recorder();
        try (Pair pair = Pair.of(TransportSettings.DEFAULT, far); RawPeer peer = RawPeer.accepted(pair.listener.address())) {
            byte[] frame = new byte[60_000];
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
        Recorder far = new Recorder();
        try (Pair pair = Pair.of(TransportSettings.DEFAULT, far); RawPeer peer = RawPeer.accepted(pair.listener.address())) {
            byte[] frame = new byte[60_000];
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
    void shouldLoseNoFrameAndNoWakeUpBothWaysAtOnce() throws Exception {
        for (int round = 0; round < 4; round++) {
            Checker near = new Checker(3 + round);
            Checker far = new Checker(4 + round);
            try (Pair pair = Pair.of(TransportSettings.DEFAULT, far)) {
                near.link = pair.connect(near);
                AtomicReference<Throwable> failure = new AtomicReference<>();
                Thread one = sender(near, 4 + round, failure);
                Thread other = sender(far, 3 + round, failure);
                one.join();
                other.join();
                assertNull(failure.get());
                assertTrue(near.done.await(60, TimeUnit.SECONDS), "near got " + near.count);
                assertTrue(far.done.await(60, TimeUnit.SECONDS), "far got " + far.count);
                assertNull(near.wrong);
                assertNull(far.wrong);
            }
            assertEquals(0, near.breaches.get() + far.breaches.get());
        }
    }

    /** Sends frames of random size and content, the payload in heap memory or outside in turn. */
    private static Thread sender(final Checker from, final long seed, final AtomicReference<Throwable> failure) {
        return Thread.ofPlatform().start(() -> {
            try (Arena arena = Arena.ofConfined()) {
                SplittableRandom random = new SplittableRandom(seed);
                MemorySegment heap = MemorySegment.ofArray(new byte[WireFormat.MAX_FRAME]);
                MemorySegment outside = arena.allocate(WireFormat.MAX_FRAME);
                for (int i = 0; i < Checker.FRAMES; i++) {
                    int bytes = Checker.size(random);
                    MemorySegment frame = (i & 1) == 0 ? heap : outside;
                    Checker.fill(frame, bytes, random.nextInt());
                    int headerBytes = Math.min(bytes, i % 40);
                    byte[] header = frame.asSlice(0, headerBytes).toArray(ValueLayout.JAVA_BYTE);
                    from.send(from.link, header, frame, headerBytes, bytes - headerBytes);
                }
            } catch (Throwable e) {
                failure.set(e);
            }
        });
    }

    /** Checks frames against the same random numbers as the sender's. */
    private static final class Checker extends Recorder {
        static final int FRAMES = 20_000;
        final CountDownLatch done = new CountDownLatch(1);
        volatile int count;
        volatile String wrong;
        private final SplittableRandom random;

        Checker(final long seed) {
            random = new SplittableRandom(seed);
        }

        static int size(final SplittableRandom random) {
            return switch (random.nextInt(20)) {
                case 0 -> 1 + random.nextInt(WireFormat.MAX_FRAME);
                case 1, 2, 3 -> 1 + random.nextInt(20_000);
                default -> 1 + random.nextInt(200);
            };
        }

        static void fill(final MemorySegment memory, final int bytes, final int seed) {
            int value = seed;
            for (int i = 0; i < bytes; i++) {
                memory.set(ValueLayout.JAVA_BYTE, i, (byte) value);
                value = value * 31 + 7;
            }
        }

        @Override
        void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
            int expected = size(random);
            int value = random.nextInt();
            if (bytes != expected) {
                wrong = "frame " + count + " has " + bytes + " bytes, not " + expected;
            }
            for (int i = 0; i < bytes && wrong == null; i++) {
                if (memory.get(ValueLayout.JAVA_BYTE, offset + i) != (byte) value) {
                    wrong = "frame " + count + " differs at " + i;
                }
                value = value * 31 + 7;
            }
            count = count + 1;
            if (count == FRAMES) {
                done.countDown();
            }
        }
    }

    @Test
    void shouldAllocateNothingPerFrame() throws Exception {
        AtomicLong got = new AtomicLong();
        Recorder far = new Recorder() {
            @Override
            void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                got.setRelease(got.getPlain() + 1);
            }
        };
        Recorder near = new Recorder();
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

    private static void pingFrames(final Recorder near, final Link link, final MemorySegment payload, final AtomicLong got, final int frames)
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
