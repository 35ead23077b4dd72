package tutti.runtime.transport.shm;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkRecorder;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusedException;

/** Tests what a listener and a connecting side do with peers that do not follow the handshake. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HandshakeTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Hello HELLO = new Hello("test", new byte[0]);
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int PORT = 5_000;

    @TempDir
    private Path folder;
    private final LinkRecorder far = new LinkRecorder();
    private final AtomicInteger accepted = new AtomicInteger();
    private ShmTransport transport;

    @AfterEach
    void close() {
        if (transport != null) {
            transport.close();
        }
    }

    private Listener listen(final ShmSettings settings) throws IOException {
        transport = new ShmTransport(settings);
        return transport.listen(ANY, (link, hello) -> {
            accepted.incrementAndGet();
            far.link = link;
            return far;
        });
    }

    private SocketChannel raw(final Listener listener) throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(folder.resolve("tutti-" + listener.address().getPort())));
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }

    /** Reads until the peer closes the connection; returns the number of bytes. */
    private static int readAll(final SocketChannel channel) throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate(10_000);
        while (channel.read(bytes) >= 0) {
            assertTrue(bytes.hasRemaining());
        }
        return bytes.position();
    }

    private void assertStillServes(final Listener listener) throws Exception {
        final Link link = transport.connect(listener.address(), HELLO, new LinkRecorder(), LIMIT);
        assertTrue(LinkRecorder.send(link, "still there"));
        assertEquals("still there", far.text());
        assertEquals(1, accepted.get());
        await().untilAsserted(() -> assertEquals(List.of("tutti-" + listener.address().getPort()), files()));
    }

    private static ByteBuffer badHello(final int at, final int value) {
        return HandshakeCodec.hello(new Hello("p", new byte[5]), null).put(at, (byte) value);
    }

    @Test
    void shouldDropPeersThatSpeakNonsense() throws Exception {
        try (Listener listener = listen(ShmSettings.of(folder))) {
            final List<ByteBuffer> nonsense = List.of(ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)),
                ByteBuffer.allocate(8_000), badHello(4, 9), badHello(6, 0), badHello(6, 33), badHello(40, 0x80), badHello(42, 0x40),
                ByteBuffer.allocate(60).put(HandshakeCodec.hello(HELLO, null)).rewind());
            for (final ByteBuffer bytes : nonsense) {
                try (SocketChannel channel = raw(listener)) {
                    channel.write(bytes);
                    assertEquals(0, readAll(channel));
                } catch (final IOException e) {
                    assertTrue(e.getMessage().contains("reset") || e.getMessage().contains("Broken pipe"), e::toString);
                }
            }
            assertEquals(0, accepted.get());
            assertStillServes(listener);
        }
    }

    @Test
    void shouldDropPeersThatDawdleAndDeleteTheirMemory() throws Exception {
        try (Listener listener = listen(ShmSettings.of(folder).withHandshakes(5_000, 512));
             SocketChannel silent = raw(listener);
             SocketChannel halfway = raw(listener);
             SocketChannel unmapped = raw(listener)) {
            halfway.write(HandshakeCodec.hello(HELLO, null).limit(20));
            unmapped.write(HandshakeCodec.hello(HELLO, null));
            assertEquals(0, readAll(silent));
            assertEquals(0, readAll(halfway));
            assertTrue(readAll(unmapped) > HandshakeCodec.OFFER_HEADER);
            assertEquals(0, accepted.get());
            assertStillServes(listener);
        }
    }

    @Test
    void shouldDropTheOldestHandshakeWhenThereAreTooMany() throws Exception {
        try (Listener listener = listen(ShmSettings.of(folder).withHandshakes(60_000, 2));
             SocketChannel first = raw(listener);
             SocketChannel second = raw(listener);
             SocketChannel third = raw(listener)) {
            assertEquals(0, readAll(first));
            assertTrue(second.isOpen() && third.isOpen());
            assertStillServes(listener);
        }
    }

    @Test
    void shouldDropUnfinishedHandshakesAndTheirFilesWhenTheListenerCloses() throws Exception {
        final Listener listener = listen(ShmSettings.of(folder));
        try (SocketChannel peer = raw(listener)) {
            peer.write(HandshakeCodec.hello(HELLO, null));
            await().untilAsserted(() -> assertEquals(2, files().size()));
            listener.close();
            assertTrue(readAll(peer) > 0);
            assertEquals(List.of(), files());
        }
    }

    @Test
    void shouldTellThatThereIsNoRoomAndHowMuchIsNeeded() throws Exception {
        try (Listener listener = listen(ShmSettings.of(folder).withRoom(f -> 1_000_000))) {
            final IOException e = assertThrows(IOException.class, () -> transport.connect(listener.address(), HELLO, new LinkRecorder(), LIMIT));
            assertFalse(e instanceof RefusedException);
            assertTrue(e.getMessage().contains("no room for the memory of a link: folder=" + folder + ", bytes=1052672, reason=free bytes: 1000000"),
                e::toString);
            assertEquals(0, accepted.get());
            assertEquals(List.of("tutti-" + listener.address().getPort()), files());
        }
    }

    /** Runs a listener that answers a hello with an offer, and connects to it. */
    private IOException connectTo(final HandshakeCodec.Offer offer) throws Exception {
        transport = new ShmTransport(ShmSettings.of(folder));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(folder.resolve("tutti-" + PORT)));
            final Thread thread = Thread.ofPlatform().start(() -> {
                try (SocketChannel channel = server.accept()) {
                    channel.read(ByteBuffer.allocate(HandshakeCodec.MAX_HELLO));
                    channel.write(HandshakeCodec.offer(offer));
                    channel.read(ByteBuffer.allocate(1));
                } catch (final IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            final InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT);
            final IOException e = assertThrows(IOException.class, () -> transport.connect(address, HELLO, new LinkRecorder(), LIMIT));
            thread.join();
            return e;
        }
    }

    private static HandshakeCodec.Offer offer(final String name, final int ringBytes) {
        return new HandshakeCodec.Offer(false, HandshakeCodec.NO_CMA, CmaEndpoint.Identity.NONE, ringBytes, name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/etc/passwd", "../secret", "tutti-5000", "tutti-5001.0123456789abcdef", "tutti-5000.0123456789abcdef/..",
        "tutti-5000.0123456789ABCDEF", "tutti-5000.0123456789abcdef\n"})
    void shouldMapNoFileOfAnotherName(final String name) throws Exception {
        assertTrue(connectTo(offer(name, 512 << 10)).getMessage().contains("none of its files"));
    }

    @Test
    void shouldMapNoFileOfAnotherLengthOrKind() throws Exception {
        final String name = "tutti-5000.0123456789abcdef";
        Files.write(folder.resolve(name), new byte[100]);
        assertTrue(connectTo(offer(name, 512 << 10)).getMessage().contains("memory of unexpected length"));
        Files.delete(folder.resolve("tutti-5000"));
        Files.delete(folder.resolve(name));
        Files.createSymbolicLink(folder.resolve(name), Path.of("/dev/zero"));
        assertThrows(IOException.class, () -> {
            throw connectTo(offer(name, 512 << 10));
        });
        Files.delete(folder.resolve("tutti-5000"));
        assertTrue(connectTo(offer(name, 4_096)).getMessage().contains("malformed offer"));
    }

    @Test
    void shouldSayWhereNobodyListens() throws Exception {
        transport = new ShmTransport(ShmSettings.of(folder));
        final InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT);
        final String message = assertThrows(IOException.class, () -> transport.connect(address, HELLO, new LinkRecorder(), LIMIT)).getMessage();
        assertEquals("no link over shared memory to port 5000 of folder " + folder + ": no socket: file=" + folder + "/tutti-5000", message);
    }

    @Test
    void shouldEndAConnectThatIsInterrupted() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(folder.resolve("tutti-" + PORT)));
            transport = new ShmTransport(ShmSettings.of(folder));
            final AtomicReference<Exception> thrown = new AtomicReference<>();
            final CountDownLatch interrupted = new CountDownLatch(1);
            final Thread thread = Thread.ofPlatform().start(() -> {
                try {
                    transport.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT), HELLO, new LinkRecorder(), LIMIT);
                } catch (final IOException e) {
                    thrown.set(e);
                }
                if (Thread.interrupted()) {
                    interrupted.countDown();
                }
            });
            try (SocketChannel accepted = server.accept()) {
                assertTrue(accepted.read(ByteBuffer.allocate(HandshakeCodec.MAX_HELLO)) > 0);
                thread.interrupt();
                thread.join();
                assertEquals(InterruptedIOException.class, thrown.get().getClass());
                assertEquals(0, interrupted.getCount(), "the thread is still interrupted");
                assertEquals(0, readAll(accepted));
            }
        }
    }

    @Test
    void shouldListenAtAGivenPortOnce() throws Exception {
        final Listener listener = listen(ShmSettings.of(folder));
        final InetSocketAddress same = listener.address();
        assertEquals(ShmFolder.OWNER_ONLY, Files.getPosixFilePermissions(folder.resolve("tutti-" + same.getPort())));
        final String message = assertThrows(IOException.class, () -> transport.listen(same, (link, hello) -> far)).getMessage();
        assertTrue(message.startsWith("cannot listen: file=" + folder + "/tutti-" + same.getPort()), message);
        listener.close();
        transport.listen(same, (link, hello) -> far).close();
        assertEquals(List.of(), files());
    }
}
