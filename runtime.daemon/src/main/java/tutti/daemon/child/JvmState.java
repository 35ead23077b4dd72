package tutti.daemon.child;

import java.io.InputStream;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Properties;
import java.util.TimeZone;

/**
 * State of this JVM that all of its code shares: properties, standard streams, locales and time zone. A module that changes it when its bundle starts
 * would keep the JVM from running jobs. It is loaded from the class path, so it uses the JDK alone.
 *
 * @param properties a copy of the system properties
 * @param in         standard input
 * @param out        standard output
 * @param err        standard error
 * @param locale     default locale
 * @param display    that for texts
 * @param format     that for numbers
 * @param zone       time zone
 */
record JvmState(Properties properties, InputStream in, PrintStream out, PrintStream err, Locale locale, Locale display, Locale format,
    TimeZone zone) {
    /** Returns the state as it is. */
    static JvmState now() {
        return new JvmState((Properties) System.getProperties().clone(), System.in, System.out, System.err, Locale.getDefault(),
            Locale.getDefault(Locale.Category.DISPLAY), Locale.getDefault(Locale.Category.FORMAT), TimeZone.getDefault());
    }

    /** Makes the state of the JVM this one. */
    void restore() {
        System.setProperties((Properties) properties.clone());
        System.setIn(in);
        System.setOut(out);
        System.setErr(err);
        Locale.setDefault(locale);
        Locale.setDefault(Locale.Category.DISPLAY, display);
        Locale.setDefault(Locale.Category.FORMAT, format);
        TimeZone.setDefault(zone);
    }
}
