package tutti.runtime.process;

import java.io.Serial;

/** Thrown in a call that would have ended the JVM, whose caller may not do that. */
final class ExitRefusedException extends SecurityException {
    @Serial
    private static final long serialVersionUID = 1L;

    ExitRefusedException(final String message) {
        super(message);
    }
}
