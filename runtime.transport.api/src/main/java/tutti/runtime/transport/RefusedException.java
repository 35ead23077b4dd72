package tutti.runtime.transport;

import java.io.IOException;

/** Thrown when the peer refuses a link. The message is the peer's reason. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception with a reason, of which at most 200 characters are sent to the peer. */
    public RefusedException(final String reason) {
        super(reason);
    }
}
