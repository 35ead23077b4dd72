package tutti.runtime.process.snapshot;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.RankLoader;

/**
 * Tells objects and threads of programs from those of the JDK, of bundles and of the JVM's class path. A program may create class loaders of its
 * own, with any parent, so that every other loader is one of a program.
 */
final class Origin {
    /** The task of a platform thread. */
    private static final JdkField HOLDER = new JdkField("java.lang.Thread", "holder");
    private static final JdkField TASK = new JdkField("java.lang.Thread$FieldHolder", "task");
    static final List<JdkField> FIELDS = List.of(HOLDER, TASK);
    /** Implemented by the class loaders of bundles. */
    private static final String BUNDLE = "org.osgi.framework.BundleReference";

    private Origin() {}

    /** Returns whether the object is of a class of a program. */
    static boolean isProgram(final Object object) {
        return isProgram(object.getClass().getClassLoader());
    }

    /** Returns whether the loader is that of a rank, or that of other classes of a program. */
    static boolean isProgram(final @Nullable ClassLoader loader) {
        if (loader == null || loader == ClassLoader.getPlatformClassLoader() || loader == ClassLoader.getSystemClassLoader()) {
            return false;
        }
        return RankLoader.isOfRank(loader) || loader != Origin.class.getClassLoader() && !isOfBundle(loader.getClass());
    }

    private static boolean isOfBundle(final Class<?> loader) {
        for (Class<?> type = loader; type != null; type = type.getSuperclass()) {
            if (Stream.of(type.getInterfaces()).anyMatch(i -> i.getName().equals(BUNDLE) && !isProgram(i.getClassLoader()))) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the thread belongs to a rank by its group or context class loader, or runs code of a program by its class or task. */
    static boolean isProgram(final Thread thread) {
        final Object task = task(thread);
        return RankLoader.isOfRank(thread) || isProgram(thread.getContextClassLoader()) || isProgram((Object) thread)
            || task != null && isProgram(task);
    }

    private static @Nullable Object task(final Thread thread) {
        // a virtual thread has no holder
        final Object holder = HOLDER.get(thread);
        return holder == null ? null : TASK.get(holder);
    }

    /** Returns a text for the object: the text itself, or the name of its class. */
    static String text(final @Nullable Object object) {
        return object instanceof final String text ? text : object == null ? "null" : object.getClass().getName();
    }
}
