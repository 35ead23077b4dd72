package tutti.runtime.process;

import java.io.InputStream;
import java.io.PrintStream;
import java.lang.Thread.UncaughtExceptionHandler;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * The state that all programs of the JVM share, as it was before ranks ran: standard streams, default handler, properties, locales and time
 * zone; in a guarded JVM also {@link JdkDefaults}.
 *
 * <p>Direct calls that replace streams and handler concern the rank alone. Calls by reflection, and calls that change the rest, concern the JVM: the
 * JDK itself reads it, so that a rank cannot have its own.
 */
final class JvmState {
    private final PrintStream out;
    private final PrintStream err;
    private final InputStream in;
    private final @Nullable UncaughtExceptionHandler handler;
    private final Properties properties;
    private final Map<Object, Object> entries;
    private final Locale locale;
    private final Locale display;
    private final Locale format;
    private final TimeZone zone;
    /** Null where this JVM is not guarded. */
    private final @Nullable JdkDefaults defaults;

    /** Reads the current state. */
    JvmState() {
        out = System.out;
        err = System.err;
        in = System.in;
        handler = Thread.getDefaultUncaughtExceptionHandler();
        properties = System.getProperties();
        entries = new HashMap<>(properties);
        locale = Locale.getDefault();
        display = Locale.getDefault(Locale.Category.DISPLAY);
        format = Locale.getDefault(Locale.Category.FORMAT);
        zone = TimeZone.getDefault();
        defaults = JvmGuard.isInPlace() ? JdkDefaults.read() : null;
    }

    /** Restores what other ranks need and have no reason to change: streams, the handler, and properties that are missing. */
    void repair() {
        if (System.out != out) {
            System.setOut(out);
        }
        if (System.err != err) {
            System.setErr(err);
        }
        if (System.in != in) {
            System.setIn(in);
        }
        if (Thread.getDefaultUncaughtExceptionHandler() != handler) {
            Thread.setDefaultUncaughtExceptionHandler(handler);
        }
        if (System.getProperties() != properties) {
            System.setProperties(properties);
        }
        entries.forEach(properties::putIfAbsent);
        if (defaults != null) {
            defaults.repair();
        }
    }

    /** Restores everything. Properties that were added are removed. */
    void restore() {
        repair();
        properties.keySet().retainAll(entries.keySet());
        properties.putAll(entries);
        Locale.setDefault(locale);
        Locale.setDefault(Locale.Category.DISPLAY, display);
        Locale.setDefault(Locale.Category.FORMAT, format);
        TimeZone.setDefault(zone);
        if (defaults != null) {
            defaults.restore();
        }
    }
}
