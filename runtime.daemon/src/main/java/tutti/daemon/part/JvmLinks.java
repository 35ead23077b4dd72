package tutti.daemon.part;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/**
 * Links of job JVMs to their node, over loopback, each with a secret: the first one of a JVM with that which it got when it started, that of a part
 * with one that it got over the first. Safe for any thread.
 */
final class JvmLinks {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SECRET_BYTES = 32;

    private final Transport transport;
    /** By the secrets that they show. */
    private final Map<String, Expected> expected = new ConcurrentHashMap<>();
    /** Null before the first JVM is started. Guarded by this object. */
    private @Nullable Listener listener;

    /**
     * A link that is expected.
     *
     * @param channel completed with its channel
     * @param server  serves the channel, and returns its listener
     */
    private record Expected(CompletableFuture<ControlChannel> channel, Function<ControlChannel, ControlChannel.CloseListener> server) {}

    /** Creates links that nobody expects. */
    JvmLinks(final Transport transport) {
        this.transport = transport;
    }

    /** Returns the port at which links are accepted; opens it when it is not. */
    synchronized int port() throws IOException {
        if (listener == null) {
            listener = transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), this::accept);
        }
        return listener.address().getPort();
    }

    private LinkHandler accept(final Link link, final Hello hello) throws RefusedException {
        final String shown = new String(hello.payload(), StandardCharsets.US_ASCII);
        // the lookup takes the same time whatever is shown, since secrets are compared as a whole
        final String known = hello.purpose().equals(Protocol.JVM) ? expected.keySet().stream().filter(s -> MessageDigest.isEqual(
            s.getBytes(StandardCharsets.US_ASCII), shown.getBytes(StandardCharsets.US_ASCII))).findAny().orElse(null) : null;
        final Expected by = known == null ? null : expected.remove(known);
        if (by == null) {
            // Cause: something connects as a job JVM and is none. Remedy: look who it is.
            throw new RefusedException("not a JVM that this node has started");
        }
        final ControlChannel channel = ControlChannel.open(by.server()).attach(link);
        by.channel().complete(channel);
        return channel;
    }

    /**
     * Expects a link; returns the secret that it must show.
     *
     * @param channel completed with its channel
     * @param server  serves the channel, and returns its listener
     */
    String expect(final CompletableFuture<ControlChannel> channel, final Function<ControlChannel, ControlChannel.CloseListener> server) {
        final byte[] bytes = new byte[SECRET_BYTES];
        RANDOM.nextBytes(bytes);
        final String secret = HexFormat.of().formatHex(bytes);
        expected.put(secret, new Expected(channel, server));
        return secret;
    }

    /** Expects a link no more. */
    void forget(final String secret) {
        expected.remove(secret);
    }

    /** Accepts no more links. */
    void close() {
        final Listener opened;
        synchronized (this) {
            opened = listener;
        }
        if (opened != null) {
            opened.close();
        }
    }
}
