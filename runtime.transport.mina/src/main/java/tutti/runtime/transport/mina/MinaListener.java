package tutti.runtime.transport.mina;

import java.net.InetSocketAddress;
import java.util.Set;
import tutti.runtime.transport.Listener;

/** Open listener; it is removed from its transport's set when it is closed. */
record MinaListener(MinaAcceptor acceptor, InetSocketAddress address, Set<MinaListener> open) implements Listener {

    @Override
    public void close() {
        if (open.remove(this)) {
            acceptor.close();
        }
    }

    @Override
    public boolean equals(final Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override
    public String toString() {
        return "listener at " + WireFormat.hostAndPort(address);
    }
}
