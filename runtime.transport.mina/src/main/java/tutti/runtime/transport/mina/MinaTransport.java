package tutti.runtime.transport.mina;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.event.Level;
import tutti.runtime.liveness.PeerLifeline;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/**
 * Transport over TCP, with Apache MINA.
 *
 * <p>All links share one I/O thread, and each listener has one accept thread; connections are made on the calling thread. Threads are daemons.
 * They start when they are needed and end when they are not, at the latest in {@link #close}. In a container it is a component; on a class path it is
 * created with {@code new} and closed by its user.
 *
 * <p>In a container that is all of its process, framework property {@link #END}, links that were accepted and are open when the framework stops are
 * closed by the end of the process. So a peer that waits for the end of such a link knows that the process has ended.
 *
 * <p><b>Threads.</b> The lock of this object guards the I/O thread and the end. It is held while a listener opens or a connected link is registered,
 * but not while a connection is made, nor while {@link #close} waits.
 */
@Component(service = Transport.class, property = Transport.SCHEME + "=tcp")
public final class MinaTransport implements Transport, AutoCloseable {
    /** Framework property: {@code process} when the process ends with its framework. */
    static final String END = "tutti.tcp.end";
    private static final long CLOSE_MILLIS = 1_000;

    private final TransportSettings settings;
    private final BooleanSupplier processEnds;
    private final IoThreadFactory threads = new IoThreadFactory("tutti-io");
    private final Set<MinaListener> listeners = ConcurrentHashMap.newKeySet();
    private @Nullable Running running;
    private boolean closed;

    /** The I/O thread's loop, and the service of the links that this side connects. */
    private record Running(LinkProcessor processor, ConnectorService connectorService) {}

    /** Creates a transport with the default settings: heartbeats after 2 s, silence 10 s, hello 120 s, 512 unfinished handshakes per listener. */
    public MinaTransport() {
        this(TransportSettings.DEFAULT);
    }

    /** Creates the transport of a container, whose framework properties set its limits. */
    @Activate
    public MinaTransport(final BundleContext context) {
        this(TransportSettings.read(context::getProperty), () -> "process".equals(context.getProperty(END))
            && context.getBundle(Constants.SYSTEM_BUNDLE_ID).getState() == Bundle.STOPPING);
    }

    MinaTransport(final TransportSettings settings) {
        this(settings, () -> false);
    }

    /**
     * Creates a transport.
     *
     * @param processEnds whether the process ends soon after the transport is closed
     */
    MinaTransport(final TransportSettings settings, final BooleanSupplier processEnds) {
        this.settings = settings;
        this.processEnds = processEnds;
    }

    @Override
    public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) throws IOException {
        return listen(address, acceptor, null);
    }

    private Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor, final @Nullable SSLContext tls) throws IOException {
        Objects.requireNonNull(acceptor, "acceptor");
        synchronized (this) {
            IoThreadFactory acceptThreads = new IoThreadFactory("tutti-accept-" + address.getPort());
            MinaAcceptor open = new MinaAcceptor(running().processor, acceptThreads, settings, acceptor, tls);
            open.open(address);
            MinaListener listener = new MinaListener(open, open.getLocalAddress(), listeners);
            listeners.add(listener);
            return listener;
        }
    }

    @Override
    public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit) throws IOException {
        return connect(address, hello, handler, limit, null);
    }

    private Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit,
        final @Nullable SSLContext tls) throws IOException {
        Objects.requireNonNull(handler, "handler");
        synchronized (this) {
            running();
        }
        boolean looks = hello.purpose().equals(PacketLook.PURPOSE);
        PacketLook packets =
            looks ? null : new PacketLook((question, answers) -> connect(address, question, answers, PeerLifeline.HOST_LIMIT, tls));
        Connector connector = new Connector(address, limit, tls, looks ? Level.DEBUG : Level.WARN);
        SocketChannel channel = connector.open(hello);
        boolean started = false;
        try {
            synchronized (this) {
                Running now = running();
                MinaLink link = MinaLink.connected(now.processor, now.connectorService, channel, WireFormat.hostAndPort(address), settings, handler,
                    connector.tls(), packets);
                now.processor.expect(link);
                try {
                    now.connectorService.start(link.session());
                    started = true;
                } finally {
                    if (!started) {
                        now.processor.cancelExpected(link);
                    }
                }
                return link;
            }
        } finally {
            if (!started) {
                connector.releaseTls();
                channel.close();
            }
        }
    }

    @Override
    public Transport secured(final SSLContext context) {
        return new Secured(this, Objects.requireNonNull(context, "context"));
    }

    /** The same transport over TLS. */
    private record Secured(MinaTransport transport, SSLContext context) implements Transport {
        @Override
        public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) throws IOException {
            return transport.listen(address, acceptor, context);
        }

        @Override
        public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit) throws IOException {
            return transport.connect(address, hello, handler, limit, context);
        }
    }

    /**
     * Closes all listeners and links, the latter as {@link Link#close} does, and waits until the threads have ended. It does not wait when
     * called from a handler. Idempotent.
     */
    @Deactivate
    @Override
    public void close() {
        Running last;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            last = running;
        }
        if (last == null) {
            return;
        }
        if (threads.ownsCurrent()) {
            new IoThreadFactory("tutti-close").execute(() -> close(last));
        } else {
            close(last);
        }
    }

    private void close(final Running last) {
        for (MinaListener listener : List.copyOf(listeners)) {
            listener.close();
        }
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.flushMillis() + 2 * settings.tickMillis());
        List<MinaLink> links = last.processor.links();
        boolean processEndsNow = processEnds.getAsBoolean();
        for (MinaLink link : links) {
            if (processEndsNow && link.isAccepted()) {
                link.leaveToProcess();
            } else {
                link.close();
            }
        }
        try {
            for (MinaLink link : links) {
                link.awaitEnd(deadline - System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the remaining links are closed without their last bytes
        }
        last.connectorService.dispose();
        IoThreadFactory closer = new IoThreadFactory("tutti-close");
        closer.execute(last.processor::dispose); // dispose waits for ever if a handler blocks; this thread does not
        closer.join(CLOSE_MILLIS);
        threads.join(CLOSE_MILLIS);
    }

    /** Returns the I/O thread's loop and the service, which are created at first use. Called under the lock. */
    private Running running() throws IOException {
        if (closed) {
            throw new IOException("transport is closed");
        }
        Running now = running;
        if (now == null) {
            now = new Running(new LinkProcessor(threads, settings), new ConnectorService(threads));
            running = now;
        }
        return now;
    }
}
