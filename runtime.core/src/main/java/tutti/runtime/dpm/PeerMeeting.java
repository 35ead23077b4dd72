package tutti.runtime.dpm;

import java.util.concurrent.CompletableFuture;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.p2p.PointToPoint;
import tutti.runtime.p2p.SendMode;

/** A meeting of two ranks of a communicator, which exchange messages in it. For one thread. */
final class PeerMeeting implements Meeting {
    private final PointToPoint messages;
    private final int peer;
    private final int tag;

    /** Creates the meeting of this rank with another one, whose messages have a tag. */
    PeerMeeting(final CommContext comm, final int peer, final int tag) {
        this.messages = PointToPoint.internal(comm, ContextIds.LEADERS);
        this.peer = peer;
        this.tag = tag;
    }

    @Override
    public void send(final byte[] message) {
        messages.isend(SendMode.STANDARD, message, message.length, Datatype.BYTE, peer, tag);
    }

    /** Waits for the message; fails when the communicator does. */
    @Override
    public CompletableFuture<byte[]> receive() {
        final byte[] message = new byte[(int) messages.probe(peer, tag).bytes()];
        messages.recv(message, message.length, Datatype.BYTE, peer, tag);
        return CompletableFuture.completedFuture(message);
    }

    @Override
    public void close() {
        // the communicator remains
    }
}
