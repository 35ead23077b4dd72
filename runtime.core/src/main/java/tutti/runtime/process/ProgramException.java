package tutti.runtime.process;

/** The program cannot be started; the message says all, without a stack. */
final class ProgramException extends Exception {
    private static final long serialVersionUID = 1L;

    ProgramException(final String message) {
        super(message);
    }
}
