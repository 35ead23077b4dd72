package tutti.runtime.process;

import java.util.Iterator;
import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers the JDBC drivers on the class path of a program. {@code java.sql.DriverManager} looks for drivers once in a JVM, and would find those of
 * the first rank alone.
 */
final class JdbcDrivers {
    private static final Logger LOG = LoggerFactory.getLogger(JdbcDrivers.class);
    private static final String DRIVER = "java.sql.Driver";

    private JdbcDrivers() {}

    /** Creates the drivers, which register themselves. Ignores errors, as {@code DriverManager} does. */
    static void register(final ClassLoader loader) {
        if (loader.getResource("META-INF/services/" + DRIVER) == null) {
            return;
        }
        try {
            final Iterator<?> drivers = ServiceLoader.load(Class.forName(DRIVER, false, loader), loader).iterator();
            while (drivers.hasNext()) {
                drivers.next();
            }
        } catch (final ClassNotFoundException e) {
            LOG.debug("drivers are not registered: this JVM has no module java.sql", e);
        } catch (final Throwable e) {
            LOG.debug("driver cannot be registered", e);
        }
    }
}
