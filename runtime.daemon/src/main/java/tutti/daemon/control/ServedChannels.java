package tutti.daemon.control;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;

/** Control channels of commands and coordinators that this node serves. They end with the node, although the transport goes on. Thread-safe. */
final class ServedChannels {
    /** The name of the node that opened a channel; empty for a command. */
    private final Map<ControlChannel, String> open = new ConcurrentHashMap<>();

    /**
     * Serves a link that was accepted; returns its handler.
     *
     * @param node name of the node that opened the link; empty for a command
     */
    LinkHandler serve(final String node, final Link link, final Function<ControlChannel, ChannelReceiver> receiver) {
        final ControlChannel channel = ControlChannel.open(receiver).attach(link);
        open.put(channel, node);
        return new Served(channel);
    }

    /** Closes all channels when what was posted to them is sent. */
    void close() {
        open.keySet().forEach(ControlChannel::close);
    }

    /** Closes the channels that a node opened. */
    void close(final String node) {
        open.forEach((channel, opener) -> {
            if (opener.equals(node)) {
                channel.close();
            }
        });
    }

    private final class Served implements LinkHandler {
        private final ControlChannel channel;

        Served(final ControlChannel channel) {
            this.channel = channel;
        }

        @Override
        public void frame(final Link link, final MemorySegment memory, final long offset, final int bytes) {
            channel.frame(link, memory, offset, bytes);
        }

        @Override
        public void writable(final Link link) {
            channel.writable(link);
        }

        @Override
        public void closed(final Link link, final Throwable cause) {
            open.remove(channel);
            channel.closed(link, cause);
        }
    }
}
