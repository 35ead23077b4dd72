package tutti.daemon.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.daemon.health.LinkQuality;
import tutti.daemon.node.NodeInfo;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests what is measured of a link, over loopback. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LinkProbeTest {
    private final MinaTransport transport = new MinaTransport();

    @AfterEach
    void close() {
        transport.close();
    }

    private LinkQuality measure(final LinkHandler peer) throws Exception {
        try (Listener listener = transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (link, hello) -> peer)) {
            return LinkProbe.measure(transport, node(1), node(listener.address().getPort()));
        }
    }

    private static NodeInfo node(final int port) {
        return new NodeInfo("b", "1", "127.0.0.1", port, 1, "25", 2, 0);
    }

    @Test
    void shouldMeasureWhatALinkCarries() throws Exception {
        final LinkQuality link = measure(LinkProbe.responder());
        assertEquals("b", link.to());
        assertTrue(link.isMeasured());
        assertTrue(link.roundTripMicros() < 1_000_000, link.toString());
        assertTrue(link.bytesPerSecond() > 1_000_000, link.toString());
        assertEquals(link.bytesPerSecond() < LinkSpeed.SLOW_BELOW ? LinkSpeed.SLOW : LinkSpeed.FAST, link.speed());
    }

    @Test
    void shouldTakeALinkForSlowWhoseSampleIsLate() throws Exception {
        final LinkQuality link = measure(new LinkHandler() {
            private final LinkHandler responder = LinkProbe.responder();

            @Override
            public void frame(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                if (bytes == 1) {
                    responder.frame(from, memory, offset, bytes);
                }
            }

            @Override
            public void writable(final Link from) {
                // nothing waits
            }

            @Override
            public void closed(final Link from, final Throwable cause) {
                // nothing is kept
            }
        });
        assertTrue(link.bytesPerSecond() < 10_000_000, link.toString());
        assertEquals(LinkSpeed.SLOW, link.speed());
    }

    @Test
    void shouldFailWhereNobodyListens() {
        assertThrows(IOException.class, () -> LinkProbe.measure(transport, node(1), node(1)));
    }

    @Test
    void shouldTakeLinksOnOneMachineForFast() {
        assertEquals(LinkSpeed.FAST, LinkQuality.onOneMachine("b").speed());
    }
}
