package tutti.daemon.node;

import java.net.InetSocketAddress;

/**
 * Address as users write it, {@code HOST:PORT}.
 *
 * @param host name or number; an IPv6 number is in brackets in the text form
 * @param port 0 to 65535; 0 means any free port in an address to listen on
 */
public record HostPort(String host, int port) {

    /** Checks host and port. */
    public HostPort {
        if (host == null || host.isBlank()) {
            throw new IllegalArgumentException("host missing, expected HOST:PORT");
        }
        if (port < 0 || port > 65_535) {
            // Remedy: another port.
            throw new IllegalArgumentException("port out of range: port=" + port + ", range=0..65535");
        }
    }

    /**
     * Parses {@code HOST:PORT} or {@code [IPV6]:PORT}.
     *
     * @throws IllegalArgumentException when the text is not an address; the message is one line
     */
    public static HostPort parse(final String text) {
        final int colon = text.lastIndexOf(':');
        if (colon <= 0 || colon == text.length() - 1) {
            throw new IllegalArgumentException("not an address: '" + text + "', expected HOST:PORT");
        }
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw new IllegalArgumentException("not an address: '" + text + "', expected HOST:PORT or [IPV6]:PORT");
        }
        final int port;
        try {
            port = Integer.parseInt(text.substring(colon + 1));
        } catch (final NumberFormatException e) {
            throw new IllegalArgumentException("not a port: '" + text.substring(colon + 1) + "' in '" + text + "', expected HOST:PORT", e);
        }
        return new HostPort(host, port);
    }

    /** Resolves the host; the result may be unresolved. */
    public InetSocketAddress socketAddress() {
        return new InetSocketAddress(host, port);
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
