package tutti.daemon.channel;

import java.io.IOException;
import tutti.daemon.node.ExitStatus;

/** Failure of a call of a {@link Conversation} at the other end: the exit status of a command that meets it, and one line for its user. */
public final class CallFailedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int status;

    /**
     * Creates a failure.
     *
     * @param status exit status, see {@link ExitStatus}
     */
    public CallFailedException(final int status, final String text) {
        super(text);
        this.status = status;
    }

    /** Creates a failure with a cause, which stays on this side. */
    public CallFailedException(final int status, final String text, final Throwable cause) {
        super(text, cause);
        this.status = status;
    }

    /** Returns the exit status. */
    public int status() {
        return status;
    }
}
