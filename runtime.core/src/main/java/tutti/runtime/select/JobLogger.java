package tutti.runtime.select;

import java.text.MessageFormat;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;
import tutti.runtime.module.LogLevels;

/**
 * A logger of a job: prints to the error output of the rank whose thread logs, with its name, the level and the place in front of each line. What
 * another thread logs is in the error output of the JVM. Immutable; safe for any thread.
 *
 * @param name  the name, for example {@code coll.ring}
 * @param least the least severe level that is printed
 * @param place the communicator and the rank
 */
record JobLogger(String name, System.Logger.Level least, String place) implements System.Logger {

    @Override
    public String getName() {
        return name;
    }

    @Override
    public boolean isLoggable(final Level level) {
        return level != Level.OFF && level.getSeverity() >= least.getSeverity();
    }

    @Override
    public void log(final Level level, final @Nullable ResourceBundle bundle, final @Nullable String message, final @Nullable Throwable thrown) {
        if (isLoggable(level)) {
            print(level, localized(bundle, message));
            if (thrown != null) {
                thrown.printStackTrace(System.err);
            }
        }
    }

    @Override
    public void log(final Level level, final @Nullable ResourceBundle bundle, final @Nullable String format, final @Nullable Object... arguments) {
        if (isLoggable(level)) {
            final String text = localized(bundle, format);
            print(level, arguments == null || arguments.length == 0 ? text : MessageFormat.format(text, arguments));
        }
    }

    private static String localized(final @Nullable ResourceBundle bundle, final @Nullable String message) {
        return message == null ? "null" : bundle != null && bundle.containsKey(message) ? bundle.getString(message) : message;
    }

    private void print(final Level level, final String text) {
        final String start = name + " " + LogLevels.name(level) + " " + place + ": ";
        System.err.println(start + String.join(System.lineSeparator() + start, text.split("\\R")));
    }
}
