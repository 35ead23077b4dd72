package tutti.runtime.transport.shm;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.liveness.LiveWait;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;

/**
 * The handshake of the side that connects: sends the hello, maps the memory that the peer offers, waits until the peer has accepted the link. It
 * waits as long as the peer's process keeps the connection open.
 *
 * <p><b>Threads.</b> The thread that connects.
 */
final class ConnectorHandshake {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectorHandshake.class);

    private final ShmFolder folder;
    private final int port;
    private final String peer;
    private final @Nullable ProcessMemory functions;

    ConnectorHandshake(final ShmFolder folder, final InetSocketAddress address, final @Nullable ProcessMemory functions) {
        this.folder = folder;
        this.port = address.getPort();
        this.peer = "port " + port;
        this.functions = functions;
    }

    /** Connects and does the handshake. The link must be added to an I/O thread. */
    ShmLink connect(final Hello hello, final LinkHandler handler) throws IOException {
        final Path file = folder.socket(port);
        final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        boolean done = false;
        try {
            try {
                ShmFolder.checkOwned(file);
                channel.connect(UnixDomainSocketAddress.of(file));
            } catch (final NoSuchFileException e) {
                throw new IOException("no socket: file=" + file, e);
            }
            channel.configureBlocking(false);
            final ShmLink link = shakeHands(channel, hello, handler);
            done = true;
            return link;
        } catch (RefusedException | InterruptedIOException e) {
            throw e;
        } catch (final ClosedByInterruptException e) {
            throw interrupted(e);
        } catch (final IOException e) {
            throw new IOException("no link over shared memory to " + peer + " of folder " + file.getParent() + ": " + e.getMessage(), e);
        } finally {
            if (!done) {
                channel.close();
            }
        }
    }

    private InterruptedIOException interrupted(final @Nullable Exception cause) {
        final InterruptedIOException e = new InterruptedIOException("interrupted while connecting to " + peer);
        e.initCause(cause);
        return e;
    }

    private ShmLink shakeHands(final SocketChannel channel, final Hello hello, final LinkHandler handler) throws IOException {
        final CmaEndpoint endpoint = functions == null ? null : new CmaEndpoint(functions);
        SharedRegion region = null;
        boolean done = false;
        boolean keepsEndpoint = false;
        try (Selector selector = Selector.open()) {
            channel.register(selector, SelectionKey.OP_READ);
            write(channel, HandshakeCodec.hello(hello, endpoint == null ? null : endpoint.identity()));
            final HandshakeCodec.Offer offer = readOffer(channel, selector);
            if (offer.failed()) {
                throw new IOException(offer.text());
            }
            region = SharedRegion.open(folder.region(port, offer.text()), offer.ringBytes());
            final boolean reaches = endpoint != null && offer.cma() != HandshakeCodec.NO_CMA && endpoint.probe(offer.identity(), peer);
            keepsEndpoint = reaches && offer.cma() == HandshakeCodec.REACHED;
            write(channel,
                ByteBuffer.wrap(new byte[] {(byte) (keepsEndpoint ? HandshakeCodec.REACHED : HandshakeCodec.NO_CMA)}));
            awaitAnswer(channel, selector);
            done = true;
            return new ShmLink(channel, region, SharedRegion.CONNECTOR, "process " + offer.identity().pid() + " at " + peer,
                keepsEndpoint ? endpoint : null, handler);
        } finally {
            if (endpoint != null && !(done && keepsEndpoint)) {
                endpoint.close();
            }
            if (region != null && !done) {
                region.close();
            }
        }
    }

    private HandshakeCodec.Offer readOffer(final SocketChannel channel, final Selector selector) throws IOException {
        final ByteBuffer header = read(channel, selector, HandshakeCodec.OFFER_HEADER);
        final ByteBuffer text = read(channel, selector, HandshakeCodec.offerText(header));
        return HandshakeCodec.readOffer(ByteBuffer.allocate(header.remaining() + text.remaining()).put(header).put(text).flip());
    }

    private void awaitAnswer(final SocketChannel channel, final Selector selector) throws IOException {
        final ByteBuffer header = read(channel, selector, HandshakeCodec.ANSWER_HEADER);
        final ByteBuffer text = read(channel, selector, HandshakeCodec.answerText(header));
        switch (header.get()) {
            case HandshakeCodec.ACCEPTED -> {}
            case HandshakeCodec.REFUSED -> throw new RefusedException(StandardCharsets.UTF_8.decode(text).toString());
            default -> throw new IOException("malformed answer");
        }
    }

    private static void write(final SocketChannel channel, final ByteBuffer message) throws IOException {
        channel.write(message);
        if (message.hasRemaining()) {
            throw new IOException("the buffer of the socket is too short: bytes left=" + message.remaining());
        }
    }

    /** Reads that many bytes and no more: what follows belongs to the link. */
    private ByteBuffer read(final SocketChannel channel, final Selector selector, final int bytes) throws IOException {
        final LiveWait wait = new LiveWait("the peer at " + peer + " does not answer the handshake, it is busy or stopped", () -> true, LOG::warn);
        final ByteBuffer into = ByteBuffer.allocate(bytes);
        while (into.hasRemaining()) {
            final int count = channel.read(into);
            if (count < 0) {
                throw new EOFException("the peer closed the connection in the handshake");
            }
            if (count == 0) {
                selector.select(LiveWait.PERIOD.toMillis());
                selector.selectedKeys().clear();
                if (Thread.currentThread().isInterrupted()) {
                    throw interrupted(null);
                }
                wait.goesOn();
            }
        }
        return into.flip();
    }
}
