package tutti.daemon.part;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

/** Transport that listens, but has no links. */
public final class TestTransport implements Transport {
    private final AtomicInteger ports = new AtomicInteger(40_000);
    private final Set<InetSocketAddress> listening = ConcurrentHashMap.newKeySet();
    private volatile String reach = "";
    private volatile Throwable failure;
    private volatile RuntimeException failureOfClose;

    /** Publishes the transport in a registry, with its properties. */
    public TestTransport publish(final TransportRegistry registry, final Map<String, ?> properties) {
        registry.addTransport(this, properties);
        return this;
    }

    /** Publishes the transport in a registry, with a scheme. */
    public TestTransport publish(final TransportRegistry registry, final String scheme) {
        return publish(registry, Map.of(SCHEME, scheme));
    }

    /** Sets where its peers must be: on this host. */
    public TestTransport reaching(final String where) {
        reach = where;
        return this;
    }

    /** Lets all further attempts to listen fail: with an IOException, a RuntimeException or an Error. */
    public void failToListen(final Throwable why) {
        failure = why;
    }

    /** Lets all further attempts to close a listener fail. */
    public void failToClose(final RuntimeException why) {
        failureOfClose = why;
    }

    /** Returns the addresses of the open listeners. */
    public Set<InetSocketAddress> listening() {
        return listening;
    }

    @Override
    public String reach() {
        return reach;
    }

    @Override
    public boolean isWithinHost() {
        return !reach.isEmpty();
    }

    @Override
    public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) throws IOException {
        switch (failure) {
            case null -> {}
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Throwable e -> throw (Error) e;
        }
        final InetSocketAddress bound = new InetSocketAddress(address.getAddress(), ports.getAndIncrement());
        listening.add(bound);
        return new Listener() {
            @Override
            public InetSocketAddress address() {
                return bound;
            }

            @Override
            public void close() {
                listening.remove(bound);
                if (failureOfClose != null) {
                    throw failureOfClose;
                }
            }
        };
    }

    @Override
    public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit) throws IOException {
        throw new IOException("no links");
    }
}
