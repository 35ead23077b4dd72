package tutti.runtime.transport;

import java.io.IOException;

/** The peer refused a link; the message is the peer's reason in words. */
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    /** With the reason that the other side is told, at most 200 characters of it. */
    public RefusedException(final String reason) {
        super(reason);
    }
}
