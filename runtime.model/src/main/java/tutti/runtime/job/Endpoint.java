package tutti.runtime.job;

import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * Where a node of a job listens on a transport.
 *
 * @param scheme scheme of the transport
 * @param reach  what nodes have in common that can be linked by it; empty when they may be anywhere
 * @param host   host of the listener
 * @param port   port of the listener
 */
public record Endpoint(String scheme, String reach, String host, int port) {
    /** Scheme of the transport that every node has. */
    public static final String TCP = "tcp";

    /** Checks that all is present. */
    public Endpoint {
        Objects.requireNonNull(scheme, "scheme");
        Objects.requireNonNull(reach, "reach");
        Objects.requireNonNull(host, "host");
    }

    /** Returns the endpoint of a listener of the transport that every node has. */
    public static Endpoint tcp(final String host, final int port) {
        return new Endpoint(TCP, "", host, port);
    }

    /** Returns whether a node with the other endpoint can be linked to this one. */
    public boolean isNear(final Endpoint other) {
        return scheme.equals(other.scheme) && reach.equals(other.reach);
    }

    /** Returns the address to connect to. */
    public InetSocketAddress address() {
        return new InetSocketAddress(host, port);
    }

    @Override
    public String toString() {
        return scheme + "://" + host + ":" + port;
    }
}
