package tutti.runtime.process.jdk;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens packages of the JDK to single modules, in a JVM that was started with {@link #OPTION}; other JVMs do not grant it. Safe for any thread.
 *
 * <p>{@code --add-opens} would open them to programs as well, for which a rank could not fail where {@code java} does.
 *
 * <p><b>Threads.</b> The class that holds the access is initialised once, by the first thread, while others wait.
 */
public final class JdkAccess {
    /** The option of the JVM that grants the access. */
    public static final String OPTION = "--add-exports=java.base/jdk.internal.access=ALL-UNNAMED";

    private static final Logger LOG = LoggerFactory.getLogger(JdkAccess.class);

    private JdkAccess() {}

    /** Returns whether packages can be opened in this JVM. */
    public static boolean isGranted() {
        return Holder.INSTANCE != null;
    }

    /** Opens a package of a module to another module, where the access is granted. */
    public static void open(final Module module, final String packageName, final Module to) throws ReflectiveOperationException {
        final Holder holder = Holder.INSTANCE;
        if (holder != null) {
            holder.opens.invoke(holder.access, module, packageName, to);
        }
    }

    /** Exports a package of a module to another module, where the access is granted. */
    public static void export(final Module module, final String packageName, final Module to) throws ReflectiveOperationException {
        final Holder holder = Holder.INSTANCE;
        if (holder != null) {
            holder.exports.invoke(holder.access, module, packageName, to);
        }
    }

    /** Returns a class of the boot loader whose members this bundle may use by reflection, where the access is granted. */
    public static Class<?> openClass(final String name) throws ReflectiveOperationException {
        final Class<?> found = Class.forName(name, false, null);
        open(found.getModule(), found.getPackageName(), JdkAccess.class.getModule());
        return found;
    }

    /** Holder of the interface by which modules of the JDK change {@code java.lang}, found at the first use. */
    private record Holder(Object access, Method opens, Method exports) {
        static final @Nullable Holder INSTANCE = find();

        private static @Nullable Holder find() {
            try {
                final Class<?> type = Class.forName("jdk.internal.access.JavaLangAccess", false, null);
                final Object found = Class.forName("jdk.internal.access.SharedSecrets", false, null).getMethod("getJavaLangAccess").invoke(null);
                return new Holder(found, type.getMethod("addOpens", Module.class, String.class, Module.class),
                    type.getMethod("addExports", Module.class, String.class, Module.class));
            } catch (final ReflectiveOperationException e) {
                LOG.debug("packages of the JDK cannot be opened: this JVM was started without {}", OPTION, e);
                return null;
            }
        }
    }
}
