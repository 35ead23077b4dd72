package tutti.runtime.transport.mina;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;

@Timeout(120)
class LinkTest {
    private static final byte[] NONE = new byte[0];

    private final Recorder near = new Recorder();
    private final Recorder far = new Recorder();

    @AfterEach
    void shouldHaveKeptTheContract() {
        assertEquals(0, near.breaches.get());
        assertEquals(0, far.breaches.get());
        assertTrue(near.closings.get() <= 1 && far.closings.get() <= 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 4091, 4092, 4093, 8187, 8188, 8189, 32 << 10, 65_536, WireFormat.MAX_FRAME - 1, WireFormat.MAX_FRAME})
    void shouldCarryFramesWholeAndInOrder(final int bytes) throws Exception {
        try (Pair pair = Pair.to(far); Arena arena = Arena.ofConfined()) {
            Link link = pair.connect(near);
            byte[] frame = pattern(bytes, bytes);
            byte[] next = pattern(bytes, bytes + 1);
            near.send(link, frame, null, 0, 0);
            near.send(link, NONE, MemorySegment.ofArray(next), 0, bytes);
            MemorySegment outside = arena.allocate(bytes + 5);
            MemorySegment.copy(MemorySegment.ofArray(frame), 0, outside, 5, bytes);
            near.send(link, new byte[] {frame[0]}, outside, 6, bytes - 1);
            assertArrayEquals(frame, far.frames.take());
            assertArrayEquals(next, far.frames.take());
            assertArrayEquals(frame, far.frames.take());
        }
    }

    @Test
    void shouldCopyBeforeTheCallReturns() throws Exception {
        try (Pair pair = Pair.to(far)) {
            Link link = pair.connect(near);
            byte[] reused = new byte[50_000];
            MemorySegment payload = MemorySegment.ofArray(reused);
            for (int i = 0; i < 200; i++) {
                Arrays.fill(reused, (byte) i);
                near.send(link, NONE, payload, 0, reused.length);
            }
            for (int i = 0; i < 200; i++) {
                byte[] frame = far.frames.take();
                assertEquals((byte) i, frame[0]);
                assertEquals((byte) i, frame[frame.length - 1]);
            }
        }
    }

    @Test
    void shouldRefuseFramesOfNoOrTooManyBytes() throws Exception {
        try (Pair pair = Pair.to(far)) {
            Link link = pair.connect(near);
            assertTrue(link.maxFrame() >= 32 << 10);
            byte[] header = new byte[WireFormat.MAX_FRAME + 1];
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> link.trySend(header, header.length, null, 0, 0));
            assertEquals("frame length out of range: headerBytes=131137, payloadBytes=0, sum=1..131136", e.getMessage());
            assertThrows(IllegalArgumentException.class, () -> link.trySend(header, 0, null, 0, 0));
            assertThrows(IllegalArgumentException.class, () -> link.trySend(header, 1, MemorySegment.NULL, 0, Integer.MAX_VALUE));
            assertThrows(IllegalArgumentException.class, () -> link.trySend(header, -1, MemorySegment.NULL, 0, 8));
            assertThrows(IndexOutOfBoundsException.class, () -> link.trySend(header, 1, MemorySegment.ofArray(new byte[9]), 2, 8));
            assertTrue(Recorder.send(link, "unharmed"));
            assertEquals("unharmed", far.text());
        }
    }

    @Test
    void shouldSendBothWaysFromHandlers() throws Exception {
        Recorder echo = new Recorder() {
            @Override
            void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                assertTrue(from.trySend(NONE, 0, memory, offset, bytes));
            }
        };
        try (Pair pair = Pair.to(echo)) {
            Link link = pair.connect(near);
            for (int i = 0; i < 1_000; i++) {
                assertTrue(Recorder.send(link, "frame " + i));
                assertEquals("frame " + i, near.text());
            }
        }
    }

    @Test
    void shouldSendAcceptedFramesBeforeItCloses() throws Exception {
        try (Pair pair = Pair.to(far)) {
            for (int round = 0; round < 20; round++) {
                Recorder sender = new Recorder();
                Link link = pair.connect(sender);
                byte[] frame = pattern(100_000, round);
                int taken = 0;
                while (taken < 30 && link.trySend(frame, frame.length, null, 0, 0)) {
                    taken++;
                }
                link.close();
                link.close();
                for (int i = 0; i < taken; i++) {
                    assertArrayEquals(frame, far.frames.poll(60, TimeUnit.SECONDS));
                }
                assertTrue(sender.awaitClosed());
                assertNull(sender.cause);
                assertEquals(1, sender.closings.get());
                assertTrue(link.trySend(frame, frame.length, null, 0, 0));
            }
        } finally {
            far.closings.set(1);
            far.breaches.set(0); // one recorder served twenty links
        }
    }

    @Test
    void shouldNotifyThePeerOfAClose() throws Exception {
        try (Pair pair = Pair.to(far)) {
            pair.connect(near).close();
            assertTrue(far.awaitClosed());
            assertTrue(far.cause.getMessage().startsWith("peer closed the link: peer=127.0.0.1:"), far.cause.getMessage());
            assertTrue(near.awaitClosed());
            assertNull(near.cause);
        }
    }

    @Test
    void shouldCloseBothSidesAtOnce() throws Exception {
        try (Pair pair = Pair.to(far)) {
            Link link = pair.connect(near);
            assertTrue(Recorder.send(link, "x"));
            far.frames.take();
            far.link.close();
            link.close();
            assertTrue(near.awaitClosed());
            assertTrue(far.awaitClosed());
        }
    }

    @Test
    void shouldDeliverNothingAfterItsHandlerClosedTheLink() throws Exception {
        AtomicInteger heard = new AtomicInteger();
        Recorder closing = new Recorder() {
            @Override
            void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                heard.incrementAndGet();
                from.close();
            }
        };
        try (Pair pair = Pair.to(closing)) {
            Link link = pair.connect(near);
            for (int i = 0; i < 1_000; i++) {
                near.send(link, new byte[100], null, 0, 0);
            }
            assertTrue(closing.awaitClosed());
            assertNull(closing.cause);
            assertTrue(near.awaitClosed());
        }
        assertEquals(1, heard.get());
        assertEquals(0, closing.breaches.get());
    }

    @Test
    void shouldCloseTheLinkWhenAHandlerThrows() throws Exception {
        IllegalStateException failure = new IllegalStateException("unknown frame");
        Recorder failing = new Recorder() {
            @Override
            void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                throw failure;
            }
        };
        try (Pair pair = Pair.to(failing)) {
            Link link = pair.connect(near);
            assertTrue(Recorder.send(link, "x"));
            assertTrue(failing.awaitClosed());
            assertSame(failure, failing.cause);
            assertEquals(1, failing.closings.get());
            assertTrue(near.awaitClosed());
        }
    }

    @Test
    void shouldOutliveAHandlerThatThrowsAnErrorOrInterruptsItsThread() throws Exception {
        Recorder rude = new Recorder() {
            @Override
            void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                Thread.currentThread().interrupt();
                throw new NoClassDefFoundError("gone");
            }

            @Override
            public void closed(final Link gone, final Throwable why) {
                super.closed(gone, why);
                throw new IllegalStateException("no");
            }
        };
        try (Pair pair = Pair.of((link, hello) -> hello.payload().length == 0 ? rude : far)) {
            Recorder.send(pair.connect(near), "x");
            assertTrue(rude.awaitClosed());
            assertEquals(NoClassDefFoundError.class, rude.cause.getClass());
            Recorder second = new Recorder();
            Link link = pair.near.connect(pair.listener.address(), new Hello("test", new byte[1]), second, Pair.LIMIT);
            assertTrue(Recorder.send(link, "still served"));
            assertEquals("still served", far.text());
        }
    }

    @Test
    void shouldReportAPeerThatWasKilled() throws Exception {
        try (Pair pair = Pair.to(far)) {
            RawPeer peer = RawPeer.accepted(pair.listener.address());
            peer.reset();
            assertTrue(far.awaitClosed());
            assertTrue(far.cause.getMessage().matches("link lost: peer=127\\.0\\.0\\.1:\\d+, reason=.+"), far.cause.getMessage());
            assertEquals(1, far.closings.get());
            assertTrue(Recorder.send(far.link, "into the void"));
        }
    }

    @Test
    void shouldReportAPeerThatWasKilledWhileThisSideSends() throws Exception {
        try (Pair pair = Pair.to(far)) {
            RawPeer peer = RawPeer.accepted(pair.listener.address());
            byte[] frame = new byte[100_000];
            while (far.link.trySend(frame, frame.length, null, 0, 0)) {
                Thread.onSpinWait();
            }
            peer.reset();
            assertTrue(far.awaitClosed());
            assertTrue(far.cause.getMessage().matches("(link lost|peer closed the link): peer=127\\.0\\.0\\.1:.+"), far.cause.getMessage());
            assertTrue(far.link.trySend(frame, frame.length, null, 0, 0));
        }
    }

    @Test
    void shouldDeliverFramesOfAClosedPeerThoughThisSideStillSends() throws Exception {
        for (int round = 0; round < 20; round++) {
            Recorder receiver = new Recorder();
            try (Pair pair = Pair.to(receiver); RawPeer peer = RawPeer.accepted(pair.listener.address())) {
                Link link = receiver.link;
                byte[] frames = new byte[5 * 2_000];
                for (int i = 0; i < frames.length; i += 5) {
                    frames[i] = 1;
                }
                peer.send(frames);
                peer.end();
                while (receiver.closings.get() == 0) {
                    Recorder.send(link, "are you there?");
                }
                assertEquals(2_000, receiver.frames.size());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {WireFormat.MAX_FRAME + 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -1})
    void shouldDropAPeerThatStatesATooLongFrameWithoutAllocating(final int length) throws Exception {
        try (Pair pair = Pair.to(far); RawPeer peer = RawPeer.accepted(pair.listener.address())) {
            long before = DirectMemory.inUse();
            peer.sendLength(length);
            assertTrue(far.awaitClosed());
            assertTrue(far.cause.getMessage().contains("frame too long: bytes=" + Integer.toUnsignedLong(length) + ", max=131136"),
                far.cause.getMessage());
            assertTrue(DirectMemory.inUse() <= before, "grew by " + (DirectMemory.inUse() - before));
            assertTrue(peer.isDropped());
        }
    }

    @Test
    void shouldReportAPeerThatEndsWithinAFrame() throws Exception {
        try (Pair pair = Pair.to(far); RawPeer peer = RawPeer.accepted(pair.listener.address())) {
            peer.sendLength(100);
            peer.send((byte) 1);
            peer.end();
            assertTrue(far.awaitClosed());
            assertTrue(far.cause.getMessage().startsWith("peer closed the link"), far.cause.getMessage());
            assertTrue(far.frames.isEmpty());
        }
    }

    @Test
    void shouldServeManyLinksAndLeaveThemWhenTheListenerCloses() throws Exception {
        List<Recorder> recorders = new ArrayList<>();
        List<Link> links = new ArrayList<>();
        Recorder echo = new Recorder() {
            @Override
            void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                assertTrue(from.trySend(NONE, 0, memory, offset, bytes));
            }
        };
        try (Pair pair = Pair.of((link, hello) -> echo)) {
            for (int i = 0; i < 200; i++) {
                recorders.add(new Recorder());
                links.add(pair.connect(recorders.get(i)));
            }
            pair.listener.close();
            pair.listener.close();
            for (int round = 0; round < 5; round++) {
                for (int i = 0; i < links.size(); i++) {
                    assertTrue(Recorder.send(links.get(i), round + " to " + i));
                }
                for (int i = 0; i < links.size(); i++) {
                    assertEquals(round + " to " + i, recorders.get(i).text());
                }
            }
            assertThrows(IOException.class, () -> pair.connect(near));
            try (MinaTransport again = new MinaTransport()) {
                assertEquals(pair.listener.address().getPort(),
                    again.listen(Pair.loopback(pair.listener.address().getPort()), (link, hello) -> far).address().getPort());
            }
        }
        for (Recorder recorder : recorders) {
            assertTrue(recorder.awaitClosed());
        }
    }

    static byte[] pattern(final int bytes, final int seed) {
        byte[] pattern = new byte[bytes];
        new Random(seed).nextBytes(pattern);
        return pattern;
    }
}
