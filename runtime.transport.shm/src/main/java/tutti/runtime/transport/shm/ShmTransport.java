package tutti.runtime.transport.shm;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/**
 * Transport over shared memory, between processes of one user on one host. The port of an address is part of the name of a socket in
 * {@code /dev/shm}; its host has no meaning. Linux only: see {@link #reach}.
 *
 * <p>All links share one I/O thread, a daemon. It starts when the first listener or link is opened, and ends with the last. There are no heartbeats:
 * the system tells the end of the peer's process.
 *
 * <p><b>Threads.</b> Safe for any thread. The lock of this object guards the I/O thread and the end; it is not held while anything waits.
 */
@Component(service = Transport.class, property = Transport.SCHEME + "=shm")
public final class ShmTransport implements Transport, AutoCloseable {
    private static final int ATTEMPTS = 100;
    private static final int FIRST_PORT = 1_024;
    private static final int PORTS = 1 << 16;
    private static final long CLOSE_MILLIS = 1_000;

    private final ShmSettings settings;
    private final ShmFolder folder;
    private final Set<ShmListener> listeners = ConcurrentHashMap.newKeySet();
    private final Set<ShmLink> links = ConcurrentHashMap.newKeySet();
    private @Nullable ProcessMemory functions;
    private boolean functionsSought;
    private @Nullable IoLoop loop;
    private boolean closed;

    /** Creates a transport in {@code /dev/shm}. */
    @Activate
    public ShmTransport() {
        this(ShmSettings.DEFAULT);
    }

    ShmTransport(final ShmSettings settings) {
        this.settings = settings;
        this.folder = new ShmFolder(settings.folder());
    }

    @Override
    public String reach() throws IOException {
        return folder.reach();
    }

    @Override
    public boolean isWithinHost() {
        return true;
    }

    @Override
    public void removeRemains() {
        folder.removeRemains();
    }

    @Override
    public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) throws IOException {
        Objects.requireNonNull(acceptor, "acceptor");
        folder.reach();
        folder.removeRemains();
        final ProcessMemory of = functions();
        for (int attempt = 1;; attempt++) {
            final int port = address.getPort() != 0 ? address.getPort() : ThreadLocalRandom.current().nextInt(FIRST_PORT, PORTS);
            try {
                final ShmListener listener = ShmListener.open(folder, port, acceptor, settings, of, this::opened, listeners);
                listeners.add(listener);
                add(listener);
                return listener;
            } catch (final BindException e) {
                if (address.getPort() != 0 || attempt == ATTEMPTS) {
                    throw new IOException("cannot listen: file=" + folder.socket(port) + ", reason=" + e.getMessage(), e);
                }
            }
        }
    }

    @Override
    public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit) throws IOException {
        Objects.requireNonNull(handler, "handler");
        folder.reach();
        synchronized (this) {
            checkOpen();
        }
        final ShmLink link = new ConnectorHandshake(folder, address, functions()).connect(hello, handler);
        boolean added = false;
        try {
            opened(link);
            add(link);
            added = true;
            return link;
        } finally {
            if (!added) {
                links.remove(link);
                link.discard();
            }
        }
    }

    /** Notes a link, until it is closed. */
    private void opened(final ShmLink link) {
        links.add(link);
        link.onEnd(links);
    }

    private synchronized @Nullable ProcessMemory functions() {
        if (!functionsSought) {
            functionsSought = true;
            functions = settings.cma() ? ProcessMemory.find() : null;
        }
        return functions;
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw new IOException("transport is closed");
        }
    }

    private synchronized void add(final IoLoop.Member member) throws IOException {
        boolean added = false;
        try {
            checkOpen();
            if (loop == null || !loop.add(member)) {
                loop = IoLoop.start(member);
            }
            added = true;
        } finally {
            if (!added && member instanceof ShmListener listener) {
                listener.close();
            }
        }
    }

    /**
     * Closes all listeners and links, and waits until the thread has ended. It does not wait when called from a handler. Idempotent.
     */
    @Deactivate
    @Override
    public void close() {
        final IoLoop last;
        synchronized (this) {
            closed = true;
            last = loop;
        }
        for (final ShmListener listener : List.copyOf(listeners)) {
            listener.close();
        }
        final List<ShmLink> open = List.copyOf(links);
        open.forEach(ShmLink::close);
        if (last == null || last.isCurrent()) {
            return;
        }
        final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS);
        try {
            for (final ShmLink link : open) {
                link.awaitEnd(deadline - System.nanoTime());
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        last.join(CLOSE_MILLIS);
    }
}
