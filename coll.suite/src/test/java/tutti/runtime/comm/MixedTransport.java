package tutti.runtime.comm;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;
import tutti.runtime.transport.mina.MinaTransport;
import tutti.runtime.transport.shm.ShmTransport;

/** Transport of a job whose first two nodes are linked by shared memory, and all others by TCP. The n-th listener is that of the n-th node. */
final class MixedTransport implements Transport, AutoCloseable {
    private final ShmTransport near = new ShmTransport();
    private final MinaTransport far = new MinaTransport();
    private final AtomicInteger listeners = new AtomicInteger();
    private final Set<Integer> nearPorts = ConcurrentHashMap.newKeySet();

    @Override
    public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) throws IOException {
        if (listeners.getAndIncrement() != 1) {
            return far.listen(address, acceptor);
        }
        // node 0 alone connects to node 1
        final Listener listener = near.listen(address, acceptor);
        nearPorts.add(listener.address().getPort());
        return listener;
    }

    @Override
    public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit) throws IOException {
        return (nearPorts.contains(address.getPort()) ? near : far).connect(address, hello, handler, limit);
    }

    @Override
    public void close() {
        near.close();
        far.close();
    }
}
