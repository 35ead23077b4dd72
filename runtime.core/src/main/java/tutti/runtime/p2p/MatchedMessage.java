package tutti.runtime.p2p;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.match.IncomingMessage;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;

/** A message that a matched probe returned: only the one receive that is given this object receives it. */
public final class MatchedMessage {
    private final PointToPoint messages;
    private final Status status;
    private final @Nullable IncomingMessage message;

    /** Creates a matched message; {@code message} is null for the one from PROC_NULL. */
    MatchedMessage(final PointToPoint messages, final Status status, final @Nullable IncomingMessage message) {
        this.messages = messages;
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

    /** Receives the message; once. */
    public Status recv(final @Nullable Object buffer, final long count, final Datatype type) {
        return irecv(buffer, count, type).waitFor();
    }

    /** Starts to receive the message; once. */
    public Request irecv(final @Nullable Object buffer, final long count, final Datatype type) {
        return messages.irecv(this, buffer, count, type);
    }

    IncomingMessage message() {
        return Objects.requireNonNull(message);
    }
}
