package tutti.runtime.transport.mina;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.LinkRecorder;
import tutti.runtime.transport.RefusedException;

@Timeout(120)
class HandshakeTest {
    private final LinkRecorder near = new LinkRecorder();
    private final LinkRecorder far = new LinkRecorder();

    @Test
    void shouldRefusePurposeThatIsNotAscii() throws Exception {
        try (Pair pair = Pair.to(far)) {
            assertThrows(IllegalArgumentException.class,
                () -> pair.near.connect(pair.listener.address(), new Hello("zweck\u00fc", new byte[0]), near, Pair.LIMIT));
        }
    }

    @Test
    void shouldCutAReasonTo200Characters() throws Exception {
        try (Pair pair = Pair.of((link, hello) -> {
            throw new RefusedException("\u20ac".repeat(300));
        })) {
            assertEquals("\u20ac".repeat(200), assertThrows(RefusedException.class, () -> pair.connect(near)).getMessage());
        }
    }

    @Test
    void shouldNameTheAddressWhenNothingListens() throws Exception {
        InetSocketAddress address;
        try (ServerSocket server = new ServerSocket(0, 1, Pair.loopback(0).getAddress())) {
            address = (InetSocketAddress) server.getLocalSocketAddress();
        }
        try (MinaTransport transport = new MinaTransport()) {
            IOException e = assertThrows(IOException.class,
                () -> transport.connect(Pair.loopback(address.getPort()), new Hello("test", new byte[0]), near, Pair.LIMIT));
            String expected = "no Tutti daemon answers at " + WireFormat.hostAndPort(Pair.loopback(address.getPort())) + ": ";
            assertTrue(e.getMessage().startsWith(expected), e.getMessage());
        }
    }

    @Test
    void shouldNameAnUnknownHost() {
        try (MinaTransport transport = new MinaTransport()) {
            InetSocketAddress nowhere = InetSocketAddress.createUnresolved("no.such.host.invalid", 7);
            IOException e = assertThrows(IOException.class, () -> transport.connect(nowhere, new Hello("test", new byte[0]), near, Pair.LIMIT));
            assertEquals("unknown host: address=no.such.host.invalid:7", e.getMessage());
            assertTrue(assertThrows(IOException.class, () -> transport.listen(nowhere, (link, hello) -> far)).getMessage()
                .contains("no.such.host.invalid:7"));
        }
    }

    @Test
    void shouldReportAPeerThatIsNotATuttiDaemon() throws Exception {
        assertEquals("it uses another protocol", connectTo("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(), "is not a Tutti daemon"));
        assertEquals("it uses another protocol", connectTo(new byte[] {'S'}, "is not a Tutti daemon"));
    }

    @Test
    void shouldReportADaemonOfAnotherVersion() throws Exception {
        byte[] answer = HandshakeCodec.answer(WireFormat.ACCEPTED, "");
        answer[4] = 9;
        assertEquals("protocol version differs: peer=9, here=1", connectTo(answer, "runs another release"));
    }

    @Test
    void shouldCheckTheLengthOfAReason() throws Exception {
        byte[] answer = HandshakeCodec.answer(WireFormat.REFUSED, "");
        answer[11] = 0x7F;
        assertEquals("malformed answer: reasonBytes=2130706432, max=800", connectTo(answer, "is not a Tutti daemon"));
    }

    @Test
    void shouldReportAPeerThatClosesInTheHandshake() throws Exception {
        connectTo(new byte[0], "closed the connection in the handshake");
    }

    /** Connects to a server that sends {@code answer} and then closes; returns the message of the cause. */
    private String connectTo(final byte[] answer, final String expected) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, Pair.loopback(0).getAddress()); MinaTransport transport = new MinaTransport()) {
            Thread answering = Thread.ofVirtual().start(() -> {
                try (Socket socket = server.accept()) {
                    socket.getInputStream().readNBytes(WireFormat.HANDSHAKE_HEADER + 4);
                    socket.getOutputStream().write(answer);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            IOException e = assertThrows(IOException.class, () -> transport.connect((InetSocketAddress) server.getLocalSocketAddress(),
                new Hello("test", new byte[0]), near, Pair.LIMIT));
            assertTrue(e.getMessage().contains(expected) && e.getMessage().contains(":" + server.getLocalPort()), e.getMessage());
            answering.join();
            return e.getCause().getMessage();
        }
    }

    @Tag("nightly")
    @Execution(ExecutionMode.CONCURRENT)
    @Test
    void shouldWaitForASilentServerAsLongAsItsConnectionIsOpenAndSaySo() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(Connector.class);
        ListAppender<ILoggingEvent> log = warnings(logger);
        try (ServerSocket server = new ServerSocket(0, 1, Pair.loopback(0).getAddress()); MinaTransport transport = new MinaTransport()) {
            FutureTask<IOException> connecting = new FutureTask<>(() -> assertThrows(IOException.class,
                () -> transport.connect((InetSocketAddress) server.getLocalSocketAddress(), new Hello("test", new byte[0]), near,
                    Duration.ofMillis(200))));
            Thread.ofVirtual().start(connecting);
            try (Socket accepted = server.accept()) {
                accepted.getInputStream().readNBytes(WireFormat.HANDSHAKE_HEADER + 4);
                await().atMost(Pair.LIMIT).until(() -> !log.list.isEmpty());
                assertFalse(connecting.isDone());
            }
            assertTrue(connecting.get().getMessage().contains("closed the connection in the handshake"), connecting.get().getMessage());
            String line = "the peer at localhost:\\d+ does not answer the handshake, it is busy or stopped, or no Tutti daemon: 1\\d s";
            assertTrue(log.list.getFirst().getFormattedMessage().matches(line), log.list::toString);
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
        }
    }

    @Test
    void shouldEndAConnectThatIsInterrupted() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, Pair.loopback(0).getAddress()); MinaTransport transport = new MinaTransport()) {
            BlockingQueue<Object> outcome = new ArrayBlockingQueue<>(1);
            Thread caller = Thread.ofPlatform().start(() -> {
                try {
                    outcome.add(transport.connect((InetSocketAddress) server.getLocalSocketAddress(), new Hello("test", new byte[0]), near,
                        Duration.ofMinutes(5)));
                } catch (IOException e) {
                    outcome.add(e);
                }
            });
            server.accept().getInputStream().readNBytes(WireFormat.HANDSHAKE_HEADER + 4);
            caller.interrupt();
            IOException e = assertInstanceOf(IOException.class, outcome.take());
            assertTrue(e.getMessage().startsWith("interrupted while connecting to "), e.getMessage());
        }
    }

    @Test
    void shouldNameTheAddressThatIsInUse() throws Exception {
        try (Pair pair = Pair.to(far)) {
            IOException e = assertThrows(IOException.class, () -> pair.near.listen(pair.listener.address(), (link, hello) -> far));
            assertEquals("cannot listen: address=" + WireFormat.hostAndPort(pair.listener.address()) + ", reason=Address already in use",
                e.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\n\r\n", "x", "SSH-2.0-x\r\n"})
    void shouldDropGarbageAtOnceWithoutAskingTheAcceptor(final String garbage) throws Exception {
        assertDropped(garbage.getBytes());
    }

    @Test
    void shouldDropMalformedHellos() throws Exception {
        byte[] hello = HandshakeCodec.hello(new Hello("test", new byte[0]));
        byte[] long2GiB = hello.clone();
        long2GiB[11] = 0x7F;
        assertDropped(long2GiB);
        byte[] long4GiB = hello.clone();
        long4GiB[8] = long4GiB[9] = long4GiB[10] = long4GiB[11] = -1;
        assertDropped(long4GiB);
        byte[] noPurpose = hello.clone();
        noPurpose[6] = 0;
        assertDropped(noPurpose);
        byte[] longPurpose = hello.clone();
        longPurpose[6] = 33;
        assertDropped(longPurpose);
        byte[] reserved = hello.clone();
        reserved[7] = 1;
        assertDropped(reserved);
        byte[] control = hello.clone();
        control[WireFormat.HANDSHAKE_HEADER] = 7;
        assertDropped(control);
    }

    private void assertDropped(final byte[] bytes) throws Exception {
        AtomicInteger asked = new AtomicInteger();
        TransportSettings patient = new TransportSettings(2_000, 10_000, 30_000, 4, 1_000);
        try (Pair pair = Pair.of(patient, counting(asked)); RawPeer peer = new RawPeer(pair.listener.address())) {
            peer.send(bytes);
            assertTrue(peer.isDropped());
        }
        assertEquals(0, asked.get());
    }

    private LinkAcceptor counting(final AtomicInteger asked) {
        return (link, hello) -> {
            asked.incrementAndGet();
            return far;
        };
    }

    @Test
    void shouldRefuseAnotherVersionWithoutAskingTheAcceptor() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        byte[] hello = HandshakeCodec.hello(new Hello("test", new byte[0]));
        hello[4] = 2;
        try (Pair pair = Pair.of(counting(asked)); RawPeer peer = new RawPeer(pair.listener.address())) {
            peer.send(hello);
            String answer = new String(peer.socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(answer.endsWith("protocol version differs: peer=2, here=1"), answer);
        }
        assertEquals(0, asked.get());
    }

    @Test
    void shouldAcceptAHelloThatArrivesByteByByte() throws Exception {
        try (Pair pair = Pair.to(far); RawPeer peer = new RawPeer(pair.listener.address())) {
            peer.socket.setTcpNoDelay(true);
            for (byte b : HandshakeCodec.hello(new Hello("test", new byte[300]))) {
                peer.send(b);
            }
            peer.send((byte) 1, (byte) 0, (byte) 0, (byte) 0, (byte) 'x');
            assertEquals("x", far.text());
        }
    }

    @Test
    void shouldDropHalfOpenHandshakesAfterTheDeadline() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (Pair pair = Pair.of(Pair.QUICK, counting(asked)); RawPeer silent = new RawPeer(pair.listener.address());
             RawPeer half = new RawPeer(pair.listener.address())) {
            half.send(WireFormat.MAGIC);
            assertTrue(silent.isDropped());
            assertTrue(half.isDropped());
        }
        assertEquals(0, asked.get());
    }

    @Test
    void shouldAdmitAnHonestPeerWhenManyHoldTheirConnectionsOpen() throws Exception {
        TransportSettings few = new TransportSettings(2_000, 10_000, 30_000, 4, 1_000);
        RawPeer[] idle = new RawPeer[20];
        try (Pair pair = Pair.of(few, far)) {
            for (int i = 0; i < idle.length; i++) {
                idle[i] = new RawPeer(pair.listener.address());
            }
            assertTrue(LinkRecorder.send(pair.connect(near), "in"));
            assertEquals("in", far.text());
            assertTrue(((MinaListener) pair.listener).acceptor().unfinishedHandshakes() <= 4);
            assertTrue(idle[0].isDropped());
            for (RawPeer peer : idle) {
                peer.close();
            }
        }
    }

    private static ListAppender<ILoggingEvent> warnings(final Logger of) {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        of.setLevel(Level.WARN);
        of.addAppender(log);
        return log;
    }

    @Test
    void shouldNameTheLimitOnceForManyConnectionsThatItDrops() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(HandshakeLimit.class);
        ListAppender<ILoggingEvent> log = warnings(logger);
        List<RawPeer> idle = new ArrayList<>();
        try (Pair pair = Pair.of(new TransportSettings(2_000, 10_000, 30_000, 2, 1_000), far)) {
            for (int i = 0; i < 10; i++) {
                idle.add(new RawPeer(pair.listener.address()));
            }
            for (RawPeer peer : idle.subList(0, 6)) {
                assertTrue(peer.isDropped());
            }
            List<String> lines = List.copyOf(log.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
            assertEquals(1, lines.size(), lines.toString());
            String line = "connections dropped that sent no hello while others waited: connections=1, last=127\\.0\\.0\\.1:\\d+, handshakes=2, "
                + "limit=tutti\\.tcp\\.handshakes";
            assertTrue(lines.getFirst().matches(line), lines.getFirst());
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
            for (RawPeer peer : idle) {
                peer.close();
            }
        }
    }

    @Test
    void shouldNameTheLimitOnceForManyConnectionsWithoutAHelloInTime() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(HandshakeServer.class);
        ListAppender<ILoggingEvent> log = warnings(logger);
        try (Pair pair = Pair.of(Pair.QUICK, far); RawPeer one = new RawPeer(pair.listener.address());
             RawPeer other = new RawPeer(pair.listener.address())) {
            assertTrue(one.isDropped());
            assertTrue(other.isDropped());
            List<String> lines = List.copyOf(log.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
            assertEquals(1, lines.size(), lines.toString());
            String line = "connections dropped that sent no hello in time: connections=1, last=127\\.0\\.0\\.1:\\d+, millis=300, "
                + "limit=tutti\\.tcp\\.hello";
            assertTrue(lines.getFirst().matches(line), lines.getFirst());
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
        }
    }

    @Test
    void shouldReadItsLimitsFromPropertiesAndIgnoreThoseThatAreNotValid() {
        assertEquals(new TransportSettings(2_000, 10_000, 700, 3, 1_000),
            TransportSettings.read(Map.of("tutti.tcp.handshakes", "3", "tutti.tcp.hello", " 700 ")::get));
        Logger logger = (Logger) LoggerFactory.getLogger(TransportSettings.class);
        ListAppender<ILoggingEvent> log = warnings(logger);
        try {
            assertEquals(TransportSettings.DEFAULT, TransportSettings.read(Map.of("tutti.tcp.handshakes", "0", "tutti.tcp.hello", "soon")::get));
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
        }
        assertEquals(2, log.list.size(), log.list::toString);
        assertTrue(log.list.stream().allMatch(e -> e.getFormattedMessage().matches("bad value: .*: expected a number from 1 to \\d+; used instead: "
            + "\\d+")), log.list::toString);
        assertEquals(TransportSettings.DEFAULT, TransportSettings.read(Map.<String, String>of()::get));
    }

    @Test
    void shouldRefuseALinkAndLogItWhenTheAcceptorFails() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(HandshakeServer.class);
        ListAppender<ILoggingEvent> log = warnings(logger);
        try (Pair pair = Pair.of((link, hello) -> {
            throw new IllegalStateException("broken");
        })) {
            assertThrows(RefusedException.class, () -> pair.connect(new LinkRecorder()));
            assertTrue(log.list.getFirst().getFormattedMessage().matches("acceptor failed: peer=127\\.0\\.0\\.1:\\d+, purpose=test"),
                log.list::toString);
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
        }
    }

    @Test
    void shouldLogThatAHandlerFailsWhenItsLinkIsClosed() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(MinaLink.class);
        ListAppender<ILoggingEvent> log = warnings(logger);
        try (Pair pair = Pair.of((link, hello) -> new LinkRecorder() {
            @Override
            public void closed(final Link closed, final Throwable cause) {
                throw new IllegalStateException("broken");
            }
        })) {
            pair.connect(new LinkRecorder()).close();
            await().atMost(Pair.LIMIT).until(() -> !log.list.isEmpty());
            assertTrue(log.list.getFirst().getFormattedMessage().matches("handler failed in closed: peer=127\\.0\\.0\\.1:\\d+"), log.list::toString);
        } finally {
            logger.detachAppender(log);
            logger.setLevel(null);
        }
    }

    @Test
    void shouldNotDropHonestPeersWhoseHellosWaitForABusyThread() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        LinkRecorder blocking = new LinkRecorder() {
            @Override
            public void frame(final Link link, final MemorySegment memory, final long offset, final int bytes) {
                busy.countDown();
                try {
                    released.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        AtomicInteger accepted = new AtomicInteger();
        LinkAcceptor acceptor = (link, hello) -> accepted.getAndIncrement() == 0 ? blocking : new LinkRecorder();
        try (Pair pair = Pair.of(new TransportSettings(2_000, 10_000, 30_000, 2, 1_000), acceptor)) {
            assertTrue(LinkRecorder.send(pair.connect(near), "blocks"));
            busy.await();
            List<FutureTask<Link>> callers = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                FutureTask<Link> caller = new FutureTask<>(() -> pair.connect(new LinkRecorder()));
                callers.add(caller);
                Thread.ofVirtual().start(caller);
            }
            // longer than a connection has when others wait
            assertFalse(far.closed.await(600, TimeUnit.MILLISECONDS));
            released.countDown();
            for (FutureTask<Link> caller : callers) {
                caller.get();
            }
        }
    }

    @Test
    void shouldServeABurstOfHonestPeersThatIsLargerThanTheBound() throws Exception {
        try (Pair pair = Pair.of(new TransportSettings(2_000, 10_000, 30_000, 2, 1_000), (link, hello) -> new LinkRecorder())) {
            Thread[] callers = new Thread[40];
            AtomicInteger welcome = new AtomicInteger();
            for (int i = 0; i < callers.length; i++) {
                callers[i] = Thread.ofVirtual().start(() -> {
                    try {
                        pair.connect(new LinkRecorder());
                        welcome.incrementAndGet();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
            }
            for (Thread caller : callers) {
                caller.join();
            }
            assertEquals(callers.length, welcome.get());
        }
    }

    @Test
    void shouldDeliverFramesThatArrivedWithTheHello() throws Exception {
        byte[] hello = HandshakeCodec.hello(new Hello("test", new byte[3]));
        byte[] both = Arrays.copyOf(hello, hello.length + 6);
        both[hello.length] = 2;
        both[hello.length + 4] = 'h';
        both[hello.length + 5] = 'i';
        BlockingQueue<Boolean> before = new ArrayBlockingQueue<>(1);
        LinkHandler handler = far;
        try (Pair pair = Pair.of((link, h) -> {
            before.add(far.frames.isEmpty());
            return handler;
        }); RawPeer peer = new RawPeer(pair.listener.address())) {
            peer.send(both);
            assertEquals("hi", far.text());
            assertTrue(before.take());
            assertFalse(peer.socket.isClosed());
        }
    }
}
