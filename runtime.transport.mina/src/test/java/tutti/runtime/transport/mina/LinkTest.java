package tutti.runtime.transport.mina;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkRecorder;

@Timeout(120)
class LinkTest {
    private static final byte[] NONE = new byte[0];

    private final LinkRecorder near = new LinkRecorder();
    private final LinkRecorder far = new LinkRecorder();

    @AfterEach
    void shouldHaveKeptTheContract() {
        assertEquals(0, near.breaches.get());
        assertEquals(0, far.breaches.get());
        assertTrue(near.closings.get() <= 1 && far.closings.get() <= 1);
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
    void shouldLeaveALinkToTheThreadThatPollsIt() throws Exception {
        try (Pair pair = Pair.to(far)) {
            Link link = pair.connect(near);
            far.wakeUpNeeded = false;
            int inARow = 0;
            for (int i = 0; inARow < 100; i++) {
                assertTrue(i < 1_000_000, "the I/O thread still reads");
                assertTrue(LinkRecorder.send(link, "x"));
                while (far.frames.isEmpty()) {
                    far.link.poll();
                }
                far.frames.clear();
                inARow = far.thread == Thread.currentThread() ? inARow + 1 : 0;
            }
        }
    }

    @Test
    void shouldSendMoreThanTheChannelAcceptsWhileOnlyThePollingThreadWrites() throws Exception {
        try (Pair pair = Pair.to(far)) {
            Link link = pair.connect(near);
            near.wakeUpNeeded = false;
            byte[] frame = new byte[40_000];
            for (int i = 0; i < 1_250; i++) {
                while (!link.trySend(frame, frame.length, null, 0, 0)) {
                    while (!near.writable.tryAcquire()) {
                        link.poll();
                    }
                }
            }
            for (int i = 0; i < 1_250; i++) {
                byte[] received = far.frames.poll();
                while (received == null) {
                    link.poll();
                    received = far.frames.poll();
                }
                assertEquals(frame.length, received.length);
            }
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
            assertTrue(LinkRecorder.send(far.link, "into the void"));
        }
    }

    @Test
    void shouldReportAPeerThatWasKilledWhileThisSideSends() throws Exception {
        try (Pair pair = Pair.to(far)) {
            RawPeer peer = RawPeer.accepted(pair.listener.address());
            byte[] frame = new byte[40_000];
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
            LinkRecorder receiver = new LinkRecorder();
            try (Pair pair = Pair.to(receiver); RawPeer peer = RawPeer.accepted(pair.listener.address())) {
                Link link = receiver.link;
                byte[] frames = new byte[5 * 2_000];
                for (int i = 0; i < frames.length; i += 5) {
                    frames[i] = 1;
                }
                peer.send(frames);
                peer.end();
                while (receiver.closings.get() == 0) {
                    LinkRecorder.send(link, "are you there?");
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
            assertTrue(far.cause.getMessage().contains("frame too long: bytes=" + Integer.toUnsignedLong(length) + ", max=" + WireFormat.MAX_FRAME),
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
        List<LinkRecorder> recorders = new ArrayList<>();
        List<Link> links = new ArrayList<>();
        LinkRecorder echo = new LinkRecorder() {
            @Override
            protected void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                assertTrue(from.trySend(NONE, 0, memory, offset, bytes));
            }
        };
        try (Pair pair = Pair.of((link, hello) -> echo)) {
            for (int i = 0; i < 200; i++) {
                recorders.add(new LinkRecorder());
                links.add(pair.connect(recorders.get(i)));
            }
            pair.listener.close();
            pair.listener.close();
            for (int round = 0; round < 5; round++) {
                for (int i = 0; i < links.size(); i++) {
                    assertTrue(LinkRecorder.send(links.get(i), round + " to " + i));
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
        for (LinkRecorder recorder : recorders) {
            assertTrue(recorder.awaitClosed());
        }
    }

    static byte[] pattern(final int bytes, final int seed) {
        byte[] pattern = new byte[bytes];
        new Random(seed).nextBytes(pattern);
        return pattern;
    }
}
