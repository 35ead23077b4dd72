package tutti.coll.tck;

import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/** Logger of a module in proofs, where no job sets its level: logs nothing. */
enum SilentLogger implements System.Logger {
    /** The logger. */
    INSTANCE;

    @Override
    public String getName() {
        return "coll";
    }

    @Override
    public boolean isLoggable(final Level level) {
        return false;
    }

    @Override
    public void log(final Level level, final @Nullable ResourceBundle bundle, final @Nullable String message, final @Nullable Throwable thrown) {
        // nobody reads it
    }

    @Override
    public void log(final Level level, final @Nullable ResourceBundle bundle, final @Nullable String format, final @Nullable Object... arguments) {
        // nobody reads it
    }
}
