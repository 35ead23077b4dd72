package tutti.runtime.comm;

import tutti.runtime.match.IncomingMessage;
import tutti.runtime.request.Status;

/** A message that a matched probe returned: only the one receive that is given this object receives it. */
public final class MatchedMessage {
    private final Communicator comm;
    private final Status status;
    private final IncomingMessage message;

    /** Creates a matched message; {@code message} is null for the one from PROC_NULL. */
    MatchedMessage(final Communicator comm, final Status status, final IncomingMessage message) {
        this.comm = comm;
        this.status = status;
        this.message = message;
    }

    /** Returns its source, tag and bytes. */
    public Status status() {
        return status;
    }

    /** Returns whether it is the message from PROC_NULL. */
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
