package tutti.daemon.rules;

import org.jspecify.annotations.Nullable;

/** Thrown when a file is not a valid rule table. The message names in one line the file, rule and field, and what is allowed. */
public final class InvalidRulesException extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidRulesException(final String message, final @Nullable Throwable cause) {
        super(message, cause);
    }
}
