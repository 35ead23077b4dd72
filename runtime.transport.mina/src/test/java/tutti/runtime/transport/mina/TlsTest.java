package tutti.runtime.transport.mina;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkRecorder;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.TestCertificates;

/** Tests of links over TLS beside the contract of transports: certificates that are not accepted, and peers that do not follow the protocol. */
@Timeout(120)
class TlsTest {
    private static final Hello HELLO = new Hello("test", new byte[0]);
    private static SSLContext a;
    private static SSLContext b;
    private static SSLContext expired;
    private static SSLContext stranger;
    private final BlockingQueue<Link> accepted = new ArrayBlockingQueue<>(10);
    private final LinkRecorder near = new LinkRecorder();
    private final LinkRecorder far = new LinkRecorder();
    private final MinaTransport client = new MinaTransport();
    /** It waits for slow peers in a handshake, and when it closes, so that they get its alert. */
    private final MinaTransport server = new MinaTransport(new TransportSettings(100, 60_000, 60_000, 4, 60_000));
    private InetSocketAddress address;

    @BeforeAll
    static void makeCertificates() {
        final TestCertificates authority = new TestCertificates();
        a = authority.valid("a");
        b = authority.valid("b");
        expired = authority.expired("c");
        stranger = new TestCertificates().valid("a");
    }

    @BeforeEach
    void listen() throws IOException {
        address = listen(server, a);
    }

    private InetSocketAddress listen(final MinaTransport transport, final SSLContext context) throws IOException {
        return transport.secured(context).listen(Pair.loopback(0), (link, hello) -> {
            if (link.peerCertificate() == null) {
                throw new RefusedException("no certificate");
            }
            accepted.add(link);
            return far;
        }).address();
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private Link connect(final SSLContext context) throws IOException {
        return client.secured(context).connect(address, HELLO, near, Pair.LIMIT);
    }

    private String subject(final Link link) {
        return link.peerCertificate().getSubjectX500Principal().getName();
    }

    @Test
    void shouldShowEachSideTheCertificateOfTheOther() throws Exception {
        final Link link = connect(b);
        assertEquals("CN=a", subject(link));
        assertEquals("CN=b", subject(accepted.take()));
        assertTrue(LinkRecorder.send(link, "x"));
        assertEquals("x", far.text());
    }

    @Test
    void shouldHaveNoCertificateWithoutTls() throws Exception {
        try (Pair pair = Pair.to(far)) {
            assertNull(pair.connect(near).peerCertificate());
        }
    }

    @Test
    void shouldRefuseCertificatesThatAreExpiredOrOfAnotherAuthority() throws IOException {
        assertEquals("the certificate is not accepted: certificate_unknown",
            assertThrows(RefusedException.class, () -> connect(expired)).getMessage());
        assertTrue(assertThrows(IOException.class, () -> connect(stranger)).getMessage()
            .startsWith("the certificate of the peer at " + WireFormat.hostAndPort(address) + " is not accepted: "));
        address = listen(server, expired);
        assertTrue(assertThrows(IOException.class, () -> connect(b)).getMessage().contains(" is not accepted: NotAfter: "));
        assertTrue(accepted.isEmpty());
    }

    @Test
    void shouldLetTheAcceptorRefuseAPeerWithoutTls() {
        assertEquals("no certificate", assertThrows(RefusedException.class, () -> client.connect(address, HELLO, near, Pair.LIMIT)).getMessage());
    }

    @Test
    void shouldSayThatAListenerHasNoTls() throws IOException {
        address = server.listen(Pair.loopback(0), (link, hello) -> far).address();
        assertEquals("this node has no certificate, its peer has one: give both certificates of one authority, or neither",
            assertThrows(RefusedException.class, () -> connect(b)).getMessage());
    }

    @Test
    void shouldTakeNoAnswerWithoutTls() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, Pair.loopback(0).getAddress())) {
            final Thread answering = Thread.ofPlatform().start(() -> {
                try (Socket socket = listener.accept()) {
                    socket.getOutputStream().write(HandshakeCodec.answer(WireFormat.ACCEPTED, ""));
                    socket.getInputStream().transferTo(OutputStream.nullOutputStream());
                } catch (final IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            address = (InetSocketAddress) listener.getLocalSocketAddress();
            assertThrows(RefusedException.class, () -> connect(b));
            answering.join();
        }
    }

    @Tag("nightly")
    @Test
    void shouldDropGarbageAndTruncatedHandshakes() throws Exception {
        try (MinaTransport impatient = new MinaTransport(new TransportSettings(100, 60_000, 4_000, 4, 60_000))) {
            address = listen(impatient, a);
            final Random random = new Random(46);
            for (int i = 0; i < 10; i++) {
                final byte[] garbage = new byte[1 + random.nextInt(2_000)];
                random.nextBytes(garbage);
                garbage[0] = 22;
                if (i % 2 == 0 && garbage.length > 10) {
                    garbage[1] = 3;
                    garbage[3] = 0;
                }
                try (RawPeer peer = new RawPeer(address)) {
                    peer.send(garbage);
                    assertTrue(peer.isDropped());
                }
            }
            try (RawPeer silent = new RawPeer(address); RawPeer half = new RawPeer(address)) {
                half.send((byte) 22, (byte) 3);
                assertTrue(silent.isDropped());
                assertTrue(half.isDropped());
            }
            assertEquals("CN=a", subject(connect(b)));
        }
    }

    @Test
    void shouldWaitForASilentServerAsLongAsTheConnectionIsOpen() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, Pair.loopback(0).getAddress())) {
            final FutureTask<IOException> connecting = new FutureTask<>(() -> assertThrows(IOException.class,
                () -> client.secured(a).connect((InetSocketAddress) silent.getLocalSocketAddress(), HELLO, near, Duration.ofMillis(200))));
            Thread.ofVirtual().start(connecting);
            try (Socket accepted = silent.accept()) {
                assertThrows(TimeoutException.class, () -> connecting.get(300, TimeUnit.MILLISECONDS));
                accepted.setSoLinger(true, 0);
            }
            assertTrue(connecting.get().getMessage().contains("closed the connection in the handshake"), connecting.get().getMessage());
        }
    }

    @Test
    void shouldEndTheLinkWhenTheOtherSideCloses() throws Exception {
        final Link link = connect(b);
        accepted.take().close();
        assertTrue(near.closed.await(60, TimeUnit.SECONDS));
        assertInstanceOf(IOException.class, near.cause);
        link.close();
    }
}
