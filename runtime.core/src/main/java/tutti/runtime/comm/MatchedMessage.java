package tutti.runtime.comm;

import tutti.runtime.match.IncomingMessage;
import tutti.runtime.request.Status;

/** A message that a probe took: it belongs to the one receive that gets this. */
public final class MatchedMessage {
    private final Communicator comm;
    private final Status status;
    private final IncomingMessage message;

    /** {@code message} is null for the one from the rank that does not exist. */
    MatchedMessage(final Communicator comm, final Status status, final IncomingMessage message) {
        this.comm = comm;
        this.status = status;
        this.message = message;
    }

    /** Where it came from, its tag and its bytes. */
    public Status status() {
        return status;
    }

    /** Whether it is the message from the rank that does not exist. */
    public boolean isNoProcess() {
        return message == null;
    }

    Communicator comm() {
        return comm;
    }

    IncomingMessage message() {
        return message;
    }
}
