package tutti.daemon.control;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;

/** Control channels of commands and coordinators that this node serves. They end with the node, although the transport goes on. Thread-safe. */
final class ServedChannels {
    private final Set<ControlChannel> open = ConcurrentHashMap.newKeySet();

    /** Serves a link that was accepted; returns its handler. */
    LinkHandler serve(final Link link, final Function<ControlChannel, ChannelReceiver> receiver) {
        final ControlChannel channel = ControlChannel.open(receiver).attach(link);
        open.add(channel);
        return new Served(channel);
    }

    /** Closes all channels when what was posted to them is sent. */
    void close() {
        open.forEach(ControlChannel::close);
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
