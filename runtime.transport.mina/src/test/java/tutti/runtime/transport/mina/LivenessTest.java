package tutti.runtime.transport.mina;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkRecorder;

@Timeout(120)
class LivenessTest {
    /** Short silence; a hello may take its time. */
    private static final TransportSettings IMPATIENT = new TransportSettings(100, 1_500, 60_000, 4, 500);

    private final LinkRecorder near = new LinkRecorder();
    private final LinkRecorder far = new LinkRecorder();

    private final AtomicInteger looks = new AtomicInteger();

    /** Returns settings with hosts that answer a number of times, then no more. */
    private TransportSettings answering(final int times) {
        return new TransportSettings(IMPATIENT.heartbeatMillis(), IMPATIENT.silenceMillis(), IMPATIENT.handshakeMillis(), IMPATIENT.maxHandshakes(),
            IMPATIENT.flushMillis(), address -> new TransportSettings.HostLook() {
                @Override
                public boolean answers(final Duration limit) {
                    return looks.incrementAndGet() <= times;
                }

                @Override
                public void close() {
                    // there is nothing to close
                }
            });
    }

    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldCloseALinkWhosePeerFellSilentAndWhoseHostDoesNotAnswer() throws Exception {
        try (Pair pair = Pair.of(answering(0), far); RawPeer peer = RawPeer.accepted(pair.listener.address())) {
            long from = System.nanoTime();
            assertTrue(far.awaitClosed());
            assertTrue(System.nanoTime() - from > TimeUnit.MILLISECONDS.toNanos(IMPATIENT.silenceMillis() / 2 - IMPATIENT.heartbeatMillis()));
            assertTrue(far.cause.getMessage().matches("no bytes received for " + IMPATIENT.silenceMillis()
                + " ms, and its host does not answer: peer=127\\.0\\.0\\.1:\\d+"), far.cause.getMessage());
            assertTrue(peer.isDropped());
        }
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldKeepTheLinkOfASilentPeerAsLongAsItsHostAnswers() throws Exception {
        try (Pair pair = Pair.of(answering(4), far); RawPeer peer = RawPeer.accepted(pair.listener.address())) {
            assertTrue(far.awaitClosed());
            assertEquals(5, looks.get());
            assertTrue(peer.isDropped());
        }
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldKeepTheLinkOfAProcessThatIsStoppedAndUseItWhenItContinues() throws Exception {
        try (Pair pair = Pair.of(IMPATIENT, far); RawPeer peer = RawPeer.accepted(pair.listener.address())) {
            assertFalse(far.closed.await(3 * IMPATIENT.silenceMillis(), TimeUnit.MILLISECONDS));
            peer.send((byte) 1, (byte) 0, (byte) 0, (byte) 0, (byte) 'x');
            assertEquals("x", far.text());
        }
    }

    @Test
    void shouldSendEmptyFramesWhenIdle() throws Exception {
        try (Pair pair = Pair.of(IMPATIENT, far); RawPeer peer = RawPeer.accepted(pair.listener.address())) {
            assertArrayEquals(new byte[8], peer.read(8));
        }
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldKeepAnIdleLinkAliveAndDeliverNoHeartbeat() throws Exception {
        try (Pair pair = Pair.of(IMPATIENT, far)) {
            Link link = pair.connect(near);
            assertFalse(near.closed.await(3 * IMPATIENT.silenceMillis(), TimeUnit.MILLISECONDS));
            assertEquals(0, far.closings.get());
            assertTrue(LinkRecorder.send(link, "alive"));
            assertEquals("alive", far.text());
            assertTrue(far.frames.isEmpty() && near.frames.isEmpty());
        }
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldCountEmptyFramesAsReceivedData() throws Exception {
        try (Pair pair = Pair.of(IMPATIENT, far); RawPeer peer = RawPeer.accepted(pair.listener.address())) {
            for (int i = 0; i < 10; i++) {
                peer.sendLength(0);
                assertFalse(far.closed.await(IMPATIENT.silenceMillis() / 4, TimeUnit.MILLISECONDS));
            }
            assertTrue(far.frames.isEmpty());
        }
    }

    @Test
    void shouldRejectSettingsOutOfRange() {
        assertThrows(IllegalArgumentException.class, () -> new TransportSettings(100, 100, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new TransportSettings(100, 200, 1, 0, 1));
    }
}
