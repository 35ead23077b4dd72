package tutti.runtime.process.jdk;

import java.lang.reflect.Method;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lists the virtual threads of the JVM, where it grants {@link JdkAccess}; elsewhere there seem to be none. Safe for any thread. */
public final class VirtualThreads {
    private static final Logger LOG = LoggerFactory.getLogger(VirtualThreads.class);

    private VirtualThreads() {}

    /** Returns all virtual threads that are alive and can be found. */
    public static Stream<Thread> all() {
        final Containers containers = Containers.INSTANCE;
        return containers == null ? Stream.empty() : containers.all();
    }

    /** The containers in which the JDK keeps all threads, found at the first use. */
    private record Containers(Object root, Method threads, Method children) {
        static final @Nullable Containers INSTANCE = JdkAccess.isGranted() ? find() : null;

        private static @Nullable Containers find() {
            try {
                final Class<?> type = JdkAccess.openClass("jdk.internal.vm.ThreadContainer");
                final Object root = JdkAccess.openClass("jdk.internal.vm.ThreadContainers").getMethod("root").invoke(null);
                return new Containers(root, type.getMethod("threads"), type.getMethod("children"));
            } catch (final ReflectiveOperationException e) {
                // Cause: the JDK is none that the runtime knows; a rank that has a JVM of its own finds its classes by its own loader alone; reports
                // of what ranks wait for leave virtual threads out. Remedy: JDK 25 of OpenJDK.
                LOG.warn("virtual threads cannot be listed: this JDK has other members", e);
                return null;
            }
        }

        Stream<Thread> all() {
            return in(root).filter(Thread::isVirtual);
        }

        private Stream<Thread> in(final Object container) {
            try {
                final Stream<Thread> own = ((Stream<?>) threads.invoke(container)).map(Thread.class::cast);
                return Stream.concat(own, ((Stream<?>) children.invoke(container)).flatMap(this::in));
            } catch (final ReflectiveOperationException e) {
                LOG.debug("virtual threads of a container cannot be listed", e);
                return Stream.empty();
            }
        }
    }
}
