package tutti.cli;

/** Failure that ends a command with an exit status and one or a few lines for the user. */
final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    CommandFailure(final int status, final String message) {
        super(message);
        this.status = status;
    }

    CommandFailure(final int status, final String message, final Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    int status() {
        return status;
    }
}
