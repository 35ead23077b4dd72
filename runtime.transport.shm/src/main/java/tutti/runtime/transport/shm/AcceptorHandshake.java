package tutti.runtime.transport.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;

/**
 * The handshake of an accepted connection: reads the hello, offers memory, waits until the peer has mapped it, asks the acceptor.
 *
 * <p>The memory's file is deleted as soon as both sides have it mapped, or the handshake fails. A peer that dawdles or speaks nonsense is dropped.
 *
 * <p><b>Threads.</b> The I/O thread only.
 */
final class AcceptorHandshake implements IoLoop.Member {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptorHandshake.class);

    private final ShmListener listener;
    private final SocketChannel channel;
    private final ShmSettings settings;
    private final @Nullable ProcessMemory functions;
    private final ByteBuffer input = ByteBuffer.allocate(HandshakeCodec.MAX_HELLO + 1);
    private long deadline;
    private @Nullable IoLoop loop;
    private @Nullable SelectionKey key;
    private @Nullable Hello hello;
    private @Nullable Path file;
    private @Nullable SharedRegion region;
    private @Nullable CmaEndpoint endpoint;
    private boolean ended;
    private long pid;

    AcceptorHandshake(final ShmListener listener, final SocketChannel channel, final ShmSettings settings, final @Nullable ProcessMemory functions) {
        this.listener = listener;
        this.channel = channel;
        this.settings = settings;
        this.functions = functions;
        restart();
    }

    private void restart() {
        deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.handshakeMillis());
    }

    @Override
    public void register(final IoLoop of, final Selector selector) throws IOException {
        loop = of;
        key = channel.register(selector, SelectionKey.OP_READ, this);
    }

    @Override
    public boolean hasLimit() {
        return true;
    }

    @Override
    public void tick(final long now) {
        if (!ended && now - deadline > 0) {
            listener.late();
            drop();
        }
    }

    @Override
    public void ready() {
        if (ended) {
            return;
        }
        try {
            final int count = channel.read(input);
            input.flip();
            if (count < 0) {
                throw new IOException("peer closed the connection");
            } else if (hello != null) {
                if (input.hasRemaining()) {
                    decide(hello, input.get());
                }
            } else {
                final HandshakeCodec.Greeting greeting = HandshakeCodec.readHello(input);
                if (greeting != null) {
                    hello = greeting.hello();
                    input.position(input.limit());
                    offer(greeting);
                }
            }
            input.compact();
        } catch (final IOException e) {
            LOG.debug("connection dropped: port={}, reason={}", listener.port(), e.getMessage());
            drop();
        }
    }

    private void offer(final HandshakeCodec.Greeting greeting) throws IOException {
        pid = greeting.identity().pid();
        final String name = ShmFolder.newRegion(listener.port());
        final Path newFile = listener.folder().region(listener.port(), name);
        try {
            region = SharedRegion.create(newFile, settings);
        } catch (final IOException e) {
            final long bytes = SharedRegion.fileBytes(settings.ringBytes());
            // Cause: the file system in memory is full. Remedy: enlarge it, for docker by --shm-size, or use transport tcp.
            LOG.warn("no room for the memory of a link: folder={}, bytes={}, reason={}", settings.folder(), bytes, e.getMessage());
            send(HandshakeCodec.offer(new HandshakeCodec.Offer(true, HandshakeCodec.NO_CMA, CmaEndpoint.Identity.NONE, 0,
                "no room for the memory of a link: folder=" + settings.folder() + ", bytes=" + bytes + ", reason=" + e.getMessage())));
            drop();
            return;
        }
        file = newFile;
        int cma = HandshakeCodec.NO_CMA;
        CmaEndpoint.Identity identity = CmaEndpoint.Identity.NONE;
        if (functions != null) {
            final CmaEndpoint own = new CmaEndpoint(functions);
            endpoint = own;
            identity = own.identity();
            cma = greeting.cma() && own.probe(greeting.identity(), peer()) ? HandshakeCodec.REACHED : HandshakeCodec.HAS_CMA;
        }
        send(HandshakeCodec.offer(new HandshakeCodec.Offer(false, cma, identity, settings.ringBytes(), name)));
        restart();
    }

    private String peer() {
        return "process " + pid + " at port " + listener.port();
    }

    private void decide(final Hello from, final int cma) throws IOException {
        deleteFile();
        final IoLoop of = Objects.requireNonNull(loop, "loop");
        final SelectionKey registered = Objects.requireNonNull(key, "key");
        final CmaEndpoint own = endpoint;
        if (own != null && cma != HandshakeCodec.REACHED) {
            endpoint = null;
            own.close();
        }
        final ShmLink link =
            new ShmLink(channel, Objects.requireNonNull(region, "region"), SharedRegion.ACCEPTOR, peer(), endpoint, null);
        region = null; // from now on the link closes these
        endpoint = null;
        final LinkHandler handler;
        try {
            handler = listener.acceptor().accept(link, from);
            if (handler == null) {
                throw new IllegalStateException("the acceptor returned no handler: purpose=" + from.purpose());
            }
        } catch (final RefusedException e) {
            refuse(link, String.valueOf(e.getMessage()));
            return;
        } catch (final Throwable e) { // no failure may end the thread that serves the other links
            // Cause: an internal error, whose stack follows. Remedy: report it.
            LOG.warn("acceptor failed: peer={}, purpose={}", peer(), from.purpose(), e);
            refuse(link, "the acceptor failed: " + e);
            return;
        }
        ended = true;
        listener.left(this);
        of.unlimited();
        registered.attach(link);
        link.continueOn(of, registered);
        link.accept(handler); // before the answer, so that the link is open here when the peer receives it
        listener.opened(link);
        try {
            send(HandshakeCodec.answer(HandshakeCodec.ACCEPTED, ""));
            of.serve(link);
        } catch (final IOException e) {
            link.fail(e);
        }
    }

    private void refuse(final ShmLink link, final String reason) throws IOException {
        try {
            send(HandshakeCodec.answer(HandshakeCodec.REFUSED, reason));
        } finally {
            drop();
            link.discard();
        }
    }

    /** Sends a message, which fits into the empty buffer of the socket. */
    private void send(final ByteBuffer message) throws IOException {
        channel.write(message);
        if (message.hasRemaining()) {
            throw new IOException("peer does not read");
        }
    }

    @Override
    public void fail(final Throwable cause) {
        LOG.debug("connection dropped: port={}", listener.port(), cause);
        drop();
    }

    private void deleteFile() {
        final Path last = file;
        if (last == null) {
            return;
        }
        file = null;
        try {
            Files.deleteIfExists(last);
        } catch (final IOException e) {
            LOG.debug("file cannot be deleted: file={}", last, e);
        }
    }

    /** Closes the connection without an answer. Idempotent. */
    void drop() {
        if (ended) {
            return;
        }
        ended = true;
        deleteFile();
        if (key != null) {
            key.cancel();
        }
        try {
            channel.close();
        } catch (final IOException e) {
            LOG.debug("socket cannot be closed: port={}", listener.port(), e);
        }
        if (region != null) {
            region.close();
        }
        if (endpoint != null) {
            endpoint.close();
        }
        listener.left(this);
        if (loop != null) {
            loop.unlimited();
            loop.removed();
        }
    }
}
