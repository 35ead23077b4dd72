package tutti.daemon.cluster;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.settings.NodeLimits;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests which channels a lost node takes along, over real sockets. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ServedChannelsTest {
    private static NodeInfo node(final String name, final String incarnation, final long since) {
        return new NodeInfo(name, incarnation, "127.0.0.1", 1, 1, "25", 1, since);
    }

    /** Records which channels are closed. */
    private record Recorded(String name, Queue<String> closed) implements ControlChannel.CloseListener {
        @Override
        public void closed(final String reason) {
            closed.add(name);
        }
    }

    /** Peer that sends nothing. */
    private static final class Silent implements LinkHandler {
        @Override
        public void frame(final Link link, final java.lang.foreign.MemorySegment memory, final long offset, final int bytes) {
            // the test looks at the other end
        }

        @Override
        public void writable(final Link link) {
            // nothing is sent
        }

        @Override
        public void closed(final Link link, final Throwable cause) {
            // the test looks at the other end
        }
    }

    @Test
    void shouldCloseTheChannelsOfALostProcessAndNotThoseOfALaterOne() throws Exception {
        final ServedChannels served = new ServedChannels("a", NodeLimits.DEFAULT);
        final Queue<String> closed = new ConcurrentLinkedQueue<>();
        final List<NodeInfo> openers = List.of(node("b", "1", 1), node("b", "2", 2), node("c", "1", 1));
        try (MinaTransport transport = new MinaTransport()) {
            final Listener listener = transport.listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> {
                final String purpose = hello.purpose();
                return purpose.equals("command")
                    ? served.serve(ServedChannels.Kind.COMMAND, null, link, c -> new Recorded(purpose, closed), r -> true)
                    : served.serve(ServedChannels.Kind.JOB, openers.get(Integer.parseInt(purpose)), link, c -> new Recorded(purpose, closed),
                        r -> true);
            });
            for (final String purpose : List.of("0", "1", "2", "command")) {
                transport.connect(listener.address(), new Hello(purpose, new byte[0]), new Silent(), Duration.ofSeconds(60));
            }
            served.close(node("b", "renewed", 1));
            await().atMost(Duration.ofSeconds(60)).until(() -> closed.contains("0"));
            assertEquals(List.of("0"), List.copyOf(closed));
            served.close(false);
            await().atMost(Duration.ofSeconds(60)).until(() -> closed.size() == 4);
        }
    }
}
