package tutti.runtime.process;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.process.jdk.JdkAccess;

/**
 * Finds the shutdown hooks that a program registered with the JVM itself: from classes of its own class loaders, which are not rewritten, or by
 * reflection. Where the JVM does not grant {@link JdkAccess} they run at the end of the JVM.
 *
 * <p><b>Threads.</b> Safe for any thread: the JDK's own lock is held while its table is changed.
 */
final class JvmShutdownHooks {
    private static final Logger LOG = LoggerFactory.getLogger(JvmShutdownHooks.class);
    private static final @Nullable Field TABLE = JdkAccess.isGranted() ? find() : null;

    private JvmShutdownHooks() {}

    private static @Nullable Field find() {
        try {
            final Field found = JdkAccess.openClass("java.lang.ApplicationShutdownHooks").getDeclaredField("hooks");
            found.setAccessible(true);
            return found;
        } catch (final ReflectiveOperationException | RuntimeException e) {
            // Cause: the JDK is none that the runtime knows; hooks that classes of own class loaders register run at the end of the JVM. Remedy: JDK
            // 25 of OpenJDK.
            LOG.warn("shutdown hooks of programs cannot be found: this JDK has other members", e);
            return null;
        }
    }

    /** Removes the hooks of a rank from the JVM's, and returns them. */
    static List<Thread> take(final RankProcess process) {
        final List<Thread> taken = new ArrayList<>();
        if (TABLE != null) {
            synchronized (TABLE.getDeclaringClass()) {
                try {
                    // null while the JVM ends
                    if (TABLE.get(null) instanceof final Map<?, ?> hooks) {
                        hooks.keySet().stream().map(Thread.class::cast).filter(h -> isOf(process, h)).forEach(taken::add);
                        taken.forEach(hooks::remove);
                    }
                } catch (final IllegalAccessException e) {
                    LOG.debug("shutdown hooks of a program cannot be read", e);
                }
            }
        }
        return taken;
    }

    /** Returns whether a hook is the program's. Classes of the JDK, as that of logging, register hooks of their own on threads of a rank. */
    private static boolean isOf(final RankProcess process, final Thread hook) {
        final RankLoader loader = CurrentRank.loaderOf(hook.getClass().getClassLoader());
        return loader != null && loader.process() == process || hook.getClass() == Thread.class && process.owns(hook);
    }
}
