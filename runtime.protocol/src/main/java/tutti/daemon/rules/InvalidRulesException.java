package tutti.daemon.rules;

/** Thrown when a file is not a valid rule table. The message names in one line the file, rule and field, and what is allowed. */
public final class InvalidRulesException extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidRulesException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
