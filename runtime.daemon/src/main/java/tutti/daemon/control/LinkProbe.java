package tutti.daemon.control;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.ClientHello;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Transport;

/**
 * Probe of the network to another node by a link of its own: the handshake of the link needs small packets alone; then both sides send a message
 * that fills packets of any size. A network whose packets may not be as long as its hosts believe passes the first and drops the second.
 */
final class LinkProbe implements ChannelReceiver {
    /** More than the longest packets, of 9,000 bytes, hold. */
    private static final int FULL = 16 << 10;
    private static final Duration LIMIT = Duration.ofSeconds(4);

    private final CompletableFuture<Void> answered = new CompletableFuture<>();

    private LinkProbe() {}

    /** Returns why packets do not pass to a node, in one line; null when they do. Blocks for 8 s at the most. */
    static @Nullable String failure(final Transport transport, final NodeInfo from, final NodeInfo to) {
        final LinkProbe probe = new LinkProbe();
        final ControlChannel channel = ControlChannel.open(c -> probe);
        final String pair = "from node " + from.name() + " to node " + to.name();
        try {
            channel.attach(transport.connect(to.address().socketAddress(), new Hello(Protocol.CLIENT, MessageCodec.write(new ClientHello(
                Protocol.VERSION))), channel, LIMIT));
        } catch (final IOException e) {
            return "no new link can be opened " + pair + ": " + Protocol.oneLine(e);
        }
        try {
            channel.post(new Message.Probe("x".repeat(FULL)));
            probe.answered.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            return null;
        } catch (final TimeoutException | ExecutionException e) {
            return "small packets pass " + pair + ", packets of full size do not: an interface or tunnel between them has a smaller MTU than theirs; "
                + "set the same MTU everywhere";
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return "the probe was interrupted";
        } finally {
            channel.close();
        }
    }

    @Override
    public void message(final Message message) {
        answered.complete(null);
    }

    @Override
    public void closed(final String reason) {
        answered.completeExceptionally(new IOException(reason));
    }
}
