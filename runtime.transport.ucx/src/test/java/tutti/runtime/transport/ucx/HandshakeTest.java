package tutti.runtime.transport.ucx;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.LinkRecorder;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusedException;

/** The handshake of a link over its socket, and the threads of a transport. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HandshakeTest {
    private static final byte[] ADDRESS = new byte[40];

    private final LinkRecorder near = new LinkRecorder();
    private final LinkRecorder far = new LinkRecorder();
    private final UcxTransport transport = new UcxTransport();
    private Ucp.Version version;
    private Listener listener;

    @BeforeEach
    void listen() throws IOException {
        Libucp.assume();
        version = Ucp.load();
        listener = transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (link, hello) -> {
            far.link = link;
            return far;
        });
    }

    @AfterEach
    void close() {
        transport.close();
    }

    private ByteBuffer hello() {
        return Handshake.hello(version, 1, UcxPair.HELLO, ADDRESS);
    }

    /** Sends bytes, and returns what is answered until the connection ends. */
    private byte[] answer(final byte[] bytes) throws IOException {
        try (Socket socket = new Socket(listener.address().getAddress(), listener.address().getPort())) {
            socket.getOutputStream().write(bytes);
            return socket.getInputStream().readAllBytes();
        }
    }

    private String refusal(final ByteBuffer hello) throws IOException {
        final byte[] bytes = answer(hello.array());
        assertEquals(Handshake.REFUSED, Handshake.answerHeader(bytes).octet());
        return new String(bytes, Handshake.HEADER, bytes.length - Handshake.HEADER, StandardCharsets.UTF_8);
    }

    @Test
    void shouldDropOtherProtocolsAndGarbageWithoutAnAnswer() throws Exception {
        assertEquals(0, answer("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)).length);
        assertEquals(0, answer(new byte[1]).length);
        // purpose, payload and address: none or too long
        assertEquals(0, answer(hello().put(7, (byte) 0).array()).length);
        assertEquals(0, answer(hello().put(7, (byte) 33).array()).length);
        assertEquals(0, answer(hello().putInt(8, Hello.MAX_PAYLOAD + 1).array()).length);
        assertEquals(0, answer(hello().putInt(8, -1).array()).length);
        assertEquals(0, answer(hello().putInt(12, Handshake.MAX_ADDRESS + 1).array()).length);
        assertEquals(0, answer(hello().putInt(12, 0).array()).length);
        assertEquals(0, answer(hello().put(Handshake.HEADER, (byte) 7).array()).length);
        assertLinks();
    }

    private void assertLinks() throws Exception {
        near.link = transport.connect(listener.address(), UcxPair.HELLO, near, UcxPair.LIMIT);
        assertTrue(LinkRecorder.send(near.link, "served"));
        assertEquals("served", far.text());
    }

    @Test
    void shouldRefuseOtherReleasesAndSayWhich() throws Exception {
        assertTrue(refusal(hello().put(4, (byte) 9)).contains("9 and 1"));
        final String ucx = refusal(hello().put(6, (byte) 99));
        assertTrue(ucx.contains("1.99 and " + version), ucx);
        assertLinks();
    }

    @Test
    void shouldReadAHelloThatArrivesInPieces() throws Exception {
        final byte[] address;
        try (UcxContext context = UcxContext.open(false)) {
            final Worker worker = new Worker(context);
            address = worker.address();
            final ByteBuffer hello = Handshake.hello(version, 1, new Hello("piece", new byte[] {1, 2, 3}), address);
            try (Socket socket = new Socket(listener.address().getAddress(), listener.address().getPort())) {
                socket.setTcpNoDelay(true);
                for (final byte each : hello.array()) {
                    socket.getOutputStream().write(each);
                }
                final Handshake.Header header = Handshake.answerHeader(socket.getInputStream().readNBytes(Handshake.HEADER));
                assertEquals(Handshake.ACCEPTED, header.octet());
                assertEquals(header.address(), socket.getInputStream().readNBytes(header.address()).length);
            }
            assertTrue(far.awaitClosed());
            worker.destroy();
        }
    }

    @Test
    void shouldCloseTheLinkOfAPeerThatSendsMoreThanItsHello() throws Exception {
        try (UcxContext context = UcxContext.open(false)) {
            final Worker worker = new Worker(context);
            final byte[] hello = Handshake.hello(version, 1, UcxPair.HELLO, worker.address()).array();
            try (Socket socket = new Socket(listener.address().getAddress(), listener.address().getPort())) {
                socket.getOutputStream().write(hello);
                socket.getInputStream().readNBytes(Handshake.HEADER);
                socket.getOutputStream().write(1);
                assertTrue(far.awaitClosed());
            }
            worker.destroy();
        }
    }

    @Test
    void shouldReportWhatIsNoListener() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            final Thread text = Thread.ofPlatform().start(() -> {
                try (Socket socket = other.accept()) {
                    socket.getOutputStream().write("220 mail\r\n".getBytes(StandardCharsets.US_ASCII));
                    socket.getInputStream().readAllBytes();
                } catch (final IOException e) {
                    // the other side ends it
                }
            });
            final InetSocketAddress address = new InetSocketAddress(other.getInetAddress(), other.getLocalPort());
            final String message =
                assertThrows(IOException.class, () -> transport.connect(address, UcxPair.HELLO, near, UcxPair.LIMIT)).getMessage();
            assertTrue(message.contains(UcxTransport.text(address)) && message.contains("another protocol"), message);
            text.join();
        }
        final InetSocketAddress closed = listener.address();
        listener.close();
        final String message = assertThrows(IOException.class, () -> transport.connect(closed, UcxPair.HELLO, near, UcxPair.LIMIT)).getMessage();
        assertTrue(message.contains(UcxTransport.text(closed)), message);
        assertThrows(IOException.class, () -> transport.connect(InetSocketAddress.createUnresolved("nowhere.invalid", 1), UcxPair.HELLO, near,
            Duration.ofSeconds(1)));
    }

    @Test
    void shouldSayThatAnAddressCannotBeBound() {
        final String message = assertThrows(IOException.class, () -> transport.listen(listener.address(), (link, hello) -> far)).getMessage();
        assertTrue(message.contains(UcxTransport.text(listener.address())), message);
    }

    @Test
    void shouldRefuseTlsAndSayWhatToChoose() throws Exception {
        final SSLContext context = SSLContext.getDefault();
        final String message = assertThrows(UnsupportedOperationException.class, () -> transport.secured(context)).getMessage();
        assertTrue(message.contains("tcp"), message);
        assertEquals("", transport.reach());
    }

    @Test
    void shouldHaveThreadsOnlyWhileThereAreListenersOrLinks() throws Exception {
        assertLinks();
        assertTrue(transport.thread().current() != null);
        near.link.close();
        assertTrue(far.awaitClosed());
        await().until(() -> transport.thread().current() == null);
        listener.close();
        await().until(() -> transport.sockets().current() == null);
        transport.close();
        assertThrows(IOException.class, () -> transport.listen(listener.address(), (link, hello) -> far));
        assertThrows(IOException.class, transport::reach);
    }

    @Test
    void shouldServeAgainAfterItsThreadsHaveEnded() throws Exception {
        for (int i = 0; i < 5; i++) {
            try (Listener again = transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (link, hello) -> {
                if (hello.payload().length > 0) {
                    throw new RefusedException("no");
                }
                return far;
            })) {
                final LinkRecorder own = new LinkRecorder();
                own.link = transport.connect(again.address(), UcxPair.HELLO, own, UcxPair.LIMIT);
                assertTrue(LinkRecorder.send(own.link, "round " + i));
                assertEquals("round " + i, far.text());
                own.link.close();
                assertTrue(own.awaitClosed());
                assertThrows(RefusedException.class, () -> transport.connect(again.address(), new Hello("x", new byte[1]), own, UcxPair.LIMIT));
            }
        }
    }
}
