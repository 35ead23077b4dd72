package tutti.daemon.rules;

/** A file is no table of rules; the message says in one line which file, rule and field, and what is allowed. */
public final class InvalidRulesException extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidRulesException(final String message, final Throwable cause) {
        super(message, cause);
    }
}
