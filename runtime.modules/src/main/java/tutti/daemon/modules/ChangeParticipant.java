package tutti.daemon.modules;

import java.io.IOException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Transport;

/**
 * Node of a change, and the coordinator's lead of the change there.
 *
 * @param node   name of the node
 * @param target carries out the steps
 * @param lead   the lead, which ends with the change
 */
record ChangeParticipant(String node, ChangeTarget target, Lead lead) implements AutoCloseable {

    /** Lead of a change on one node. */
    @FunctionalInterface
    interface Lead {
        /** Ends the lead after the steps that were taken. Does not block. */
        void end();
    }

    /** Returns the coordinator's own node. */
    static ChangeParticipant here(final String node, final ModuleStore store) {
        final LocalChange change = new LocalChange(store);
        return new ChangeParticipant(node, change, change::close);
    }

    /** Opens a link to another node, where {@link LocalChange} is the other end. */
    static ChangeParticipant link(final NodeInfo self, final NodeInfo node, final Transport transport) throws IOException {
        final ControlChannel channel = ControlChannel.open();
        try {
            channel.attach(transport.connect(node.address().socketAddress(), new Hello(Protocol.CHANGE,
                MessageCodec.write(new NodeHello(Protocol.VERSION, self, null))), channel, Protocol.LINK_LIMIT));
        } catch (final IOException e) {
            throw new IOException("node " + node.name() + " cannot be reached: " + Protocol.oneLine(e), e);
        }
        return new ChangeParticipant(node.name(), channel.conversation().peer(ChangeTarget.class), channel::close);
    }

    @Override
    public void close() {
        lead.end();
    }
}
