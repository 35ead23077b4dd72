package tutti.runtime.process;

/** Thrown when a program cannot be started. The message is complete without a stack trace. */
final class ProgramException extends Exception {
    private static final long serialVersionUID = 1L;

    ProgramException(final String message) {
        super(message);
    }
}
