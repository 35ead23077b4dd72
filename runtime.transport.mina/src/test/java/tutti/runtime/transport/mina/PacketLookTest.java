package tutti.runtime.transport.mina;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkRecorder;

/** Tests what a link finds out about a network that drops long packets. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class PacketLookTest {
    /** Short silence; a hello may take its time. */
    private static final TransportSettings IMPATIENT = new TransportSettings(100, 1_500, 60_000, 4, 500);
    private static final Duration LIMIT = Duration.ofMillis(500);

    private final LinkRecorder near = new LinkRecorder();
    private final LinkRecorder far = new LinkRecorder();

    private static PacketLook look(final MinaTransport transport, final InetSocketAddress address) {
        return new PacketLook((hello, handler) -> transport.connect(address, hello, handler, Pair.LIMIT));
    }

    @ParameterizedTest
    @EnumSource(names = {"LONG_TO", "LONG_FROM"})
    void shouldFindAHoleForLongPacketsInEachDirection(final LossyNetwork.Drop drop) throws Exception {
        try (Pair pair = Pair.to(far); LossyNetwork network = new LossyNetwork(pair.listener.address(), drop)) {
            assertTrue(look(pair.near, network.address()).isHole(LIMIT));
        }
    }

    @Test
    void shouldFindNoHoleWhereAllPacketsPassNorWhereNobodyListens() throws Exception {
        try (Pair pair = Pair.to(far)) {
            final PacketLook look = look(pair.near, pair.listener.address());
            assertFalse(look.isHole(LIMIT));
            pair.listener.close();
            assertFalse(look.isHole(LIMIT));
        }
        assertEquals(0, far.frames.size());
    }

    @ParameterizedTest
    @EnumSource(names = {"LONG_TO", "LONG_FROM"})
    void shouldCloseALinkOnWhichLongPacketsAreLostAndSayWhy(final LossyNetwork.Drop drop) throws Exception {
        try (Pair pair = Pair.of(IMPATIENT, far); LossyNetwork network = new LossyNetwork(pair.listener.address(), drop)) {
            final Link link = pair.near.connect(network.address(), new Hello("test", new byte[0]), near, Pair.LIMIT);
            assertTrue(LinkRecorder.send(drop == LossyNetwork.Drop.LONG_TO ? link : far.link, "long ".repeat(1_000)));
            assertTrue(near.awaitClosed());
            assertEquals("short packets pass to and from its host, and packets of full size do not: no bytes received for "
                + IMPATIENT.silenceMillis() + " ms: peer=" + WireFormat.hostAndPort(network.address()), near.cause.getMessage());
            assertTrue(far.awaitClosed());
        }
    }

    @Tag("nightly")
    @ParameterizedTest
    @EnumSource(names = {"FIRST", "ALL"})
    void shouldKeepALinkThatStandsStillAsLongAsNoNewOneShowsAHole(final LossyNetwork.Drop drop) throws Exception {
        try (Pair pair = Pair.of(IMPATIENT, far); LossyNetwork network = new LossyNetwork(pair.listener.address(), drop)) {
            final Link link = pair.near.connect(network.address(), new Hello("test", new byte[0]), near, Pair.LIMIT);
            assertTrue(LinkRecorder.send(link, "long ".repeat(1_000)));
            assertFalse(near.closed.await(4 * IMPATIENT.silenceMillis(), TimeUnit.MILLISECONDS));
        }
    }
}
