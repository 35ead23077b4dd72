package tutti.runtime.transport.ucx;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/**
 * Transport over UCX, which uses the devices of a fabric: InfiniBand, RoCE and others, or TCP. UCX is a library of the system, which must be
 * installed; {@link #reach} says when it is not. Its settings are variables of the environment: {@code UCX_TLS} and {@code UCX_NET_DEVICES} for
 * example.
 *
 * <p>Links have access to the memory of the peer only over devices that transfer it without the peer's process: {@link Devices} says why.
 *
 * <p>Addresses are those of TCP, over which the handshake of a link goes; the socket then stays open to notice the end of the peer.
 *
 * <p><b>Threads.</b> One thread serves all links, and one their sockets. They are daemons, and run while there are links or listeners. The lock of
 * this object guards the context, which is opened at first use, and the end. It is not held while a connection is made, nor while {@link #close}
 * waits.
 */
@Component(service = Transport.class, property = Transport.SCHEME + "=ucx")
public final class UcxTransport implements Transport, AutoCloseable {
    /** Connections that wait to be accepted: those of the nodes of a large job. */
    private static final int BACKLOG = 512;
    private static final long FLUSH_MILLIS = 1_500;
    private static final long CLOSE_MILLIS = 1_000;

    private final boolean emulating;
    private final UcxThread thread = new UcxThread();
    private final SocketThread sockets = new SocketThread();
    private final Set<UcxListener> listeners = ConcurrentHashMap.newKeySet();
    private final Set<UcxLink> links = ConcurrentHashMap.newKeySet();
    private @Nullable UcxContext context;
    private boolean closed;

    /** Creates a transport, which opens nothing before it is used. */
    public UcxTransport() {
        this(false);
    }

    /**
     * Creates a transport for tests, which have no other devices than TCP.
     *
     * @param emulating whether links also have the access to memory that UCX emulates. UCX may abort the process that owns the memory when the link
     *                  ends during an access: a test awaits its accesses, or the owner is a process that the test stops before them and then kills
     */
    UcxTransport(final boolean emulating) {
        this.emulating = emulating;
    }

    /** Opens UCX, to find out whether it can be used in this process. */
    @Override
    public String reach() throws IOException {
        context();
        return "";
    }

    private synchronized UcxContext context() throws IOException {
        if (closed) {
            throw new IOException("transport is closed");
        }
        UcxContext now = context;
        if (now == null) {
            now = UcxContext.open(emulating);
            context = now;
        }
        return now;
    }

    /** Returns an address for messages: {@code host:port}. */
    static String text(final InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    UcxThread thread() {
        return thread;
    }

    SocketThread sockets() {
        return sockets;
    }

    /** Adds a link that is about to be started. */
    void add(final UcxLink link) {
        links.add(link);
        synchronized (this) {
            if (closed) {
                link.close();
            }
        }
    }

    /** Removes a link that has ended. */
    void remove(final UcxLink link) {
        links.remove(link);
    }

    /** Removes a listener that is closed. */
    void remove(final UcxListener listener) {
        listeners.remove(listener);
    }

    @Override
    public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) throws IOException {
        Objects.requireNonNull(acceptor, "acceptor");
        UcxContext with = context();
        ServerSocketChannel channel = ServerSocketChannel.open();
        boolean isOpen = false;
        try {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.bind(address, BACKLOG);
            channel.configureBlocking(false);
            UcxListener listener = new UcxListener(this, with, channel, acceptor);
            synchronized (this) {
                context(); // refuses when it is closed
                sockets.add(listener);
                listeners.add(listener);
            }
            isOpen = true;
            return listener;
        } catch (IOException e) {
            throw new IOException("cannot listen on " + text(address) + ": " + e.getMessage(), e);
        } finally {
            if (!isOpen) {
                channel.close();
            }
        }
    }

    @Override
    public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit) throws IOException {
        Objects.requireNonNull(handler, "handler");
        UcxContext with = context();
        UcxLink link = new UcxLink(with, thread, text(address), this::remove);
        Connector.Accepted accepted = null;
        boolean isStarted = false;
        try {
            accepted = new Connector(address, limit, with).connect(hello, link.token());
            accepted.channel().configureBlocking(false);
            PeerSocket socket = new PeerSocket(sockets, accepted.channel(), link);
            sockets.add(socket);
            add(link);
            link.start(accepted.worker(), handler, socket, accepted.token());
            isStarted = true;
            return link;
        } finally {
            if (!isStarted) {
                if (accepted != null) {
                    accepted.channel().close();
                    accepted.worker().destroy();
                }
                link.abandon(null, null);
            }
        }
    }

    /** Refuses: UCX does not encrypt what it sends. */
    @Override
    public Transport secured(final SSLContext context) {
        throw new UnsupportedOperationException("transport ucx has no TLS, since devices of a fabric send memory as it is: use it in a cluster that"
            + " does not demand TLS, on a fabric that nobody else can reach, or choose transport tcp");
    }

    /**
     * Closes all listeners and links, the latter as {@link Link#close} does, and waits until the threads have ended. It does not wait when
     * called from a handler. Idempotent.
     */
    @Deactivate
    @Override
    public void close() {
        UcxContext last;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            last = context;
        }
        if (last == null) {
            return;
        }
        Thread current = Thread.currentThread();
        if (current == thread.current() || current == sockets.current()) {
            Thread.ofPlatform().daemon().name("tutti-ucx-close").inheritInheritableThreadLocals(false).start(() -> close(last));
        } else {
            close(last);
        }
    }

    private void close(final UcxContext last) {
        List.copyOf(listeners).forEach(UcxListener::close);
        List<UcxLink> open = List.copyOf(links);
        open.forEach(UcxLink::close);
        try {
            await(open, FLUSH_MILLIS);
            open.forEach(link -> link.fail(null));
            await(open, CLOSE_MILLIS);
            join(thread.current());
            join(sockets.current());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the remaining links are closed without their last frames
            open.forEach(link -> link.fail(null));
        }
        last.close();
    }

    private static void await(final List<UcxLink> open, final long millis) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (UcxLink link : open) {
            link.awaitEnd(deadline - System.nanoTime());
        }
    }

    private static void join(final @Nullable Thread thread) throws InterruptedException {
        if (thread != null) {
            thread.join(CLOSE_MILLIS);
        }
    }
}
