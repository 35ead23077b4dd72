package tutti.runtime.process.snapshot;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The live threads, virtual ones included. Threads of the JDK and of bundles come and go, so that only new threads of a program are differences.
 *
 * @param containers lists virtual threads
 * @param before     the ids of the threads at the snapshot
 */
record LiveThreads(@Nullable Containers containers, Set<Long> before) implements Examined {
    static final String PACKAGE = "jdk.internal.vm";

    static LiveThreads now() {
        Origin.FIELDS.forEach(JdkField::open);
        final Containers containers = Containers.find();
        return new LiveThreads(containers, all(containers).map(Thread::threadId).collect(Collectors.toSet()));
    }

    @Override
    public List<String> differences() {
        return all(containers).filter(thread -> !before.contains(thread.threadId()) && Origin.isProgram(thread))
            .map(thread -> (thread.isVirtual() ? "virtual thread" : "thread") + " is alive: name=" + thread.getName() + ", class="
                + thread.getClass().getName() + ", state=" + thread.getState())
            .toList();
    }

    @Override
    public boolean mayGo() {
        return true;
    }

    private static Stream<Thread> all(final @Nullable Containers containers) {
        return Stream.concat(platform(), containers == null ? Stream.empty() : containers.virtual());
    }

    private static Stream<Thread> platform() {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        for (ThreadGroup parent = root.getParent(); parent != null; parent = root.getParent()) {
            root = parent;
        }
        Thread[] threads = new Thread[root.activeCount() + 16];
        int count = root.enumerate(threads);
        while (count == threads.length) {
            threads = new Thread[2 * threads.length];
            count = root.enumerate(threads);
        }
        return Arrays.stream(threads, 0, count);
    }

    /** The containers in which the JDK keeps virtual threads: methods of its internal package. */
    private record Containers(Object root, Method threads, Method children) {
        /** Returns the containers; null when this JDK does not have them. */
        static @Nullable Containers find() {
            try {
                // a bundle's class loader does not find them
                final Class<?> all = Class.forName(PACKAGE + ".ThreadContainers", true, ClassLoader.getPlatformClassLoader());
                final Class<?> container = Class.forName(PACKAGE + ".ThreadContainer", true, ClassLoader.getPlatformClassLoader());
                if (!Boolean.TRUE.equals(opened(all, "trackAllThreads").invoke(null))) {
                    throw new IllegalStateException("virtual threads are not listed: jdk.trackAllThreads=false");
                }
                return new Containers(opened(all, "root").invoke(null), opened(container, "threads"), opened(container, "children"));
            } catch (final ClassNotFoundException | NoSuchMethodException e) {
                return null;
            } catch (final IllegalAccessException | InvocationTargetException e) {
                throw new IllegalStateException("virtual threads cannot be listed", e);
            }
        }

        private static Method opened(final Class<?> owner, final String name) throws NoSuchMethodException {
            final Method method = owner.getDeclaredMethod(name);
            method.setAccessible(true);
            return method;
        }

        Stream<Thread> virtual() {
            return in(root).filter(Thread::isVirtual);
        }

        private Stream<Thread> in(final Object container) {
            return Stream.concat(list(threads, container).map(Thread.class::cast), list(children, container).flatMap(this::in));
        }

        private static Stream<?> list(final Method method, final Object container) {
            try {
                return (Stream<?>) method.invoke(container);
            } catch (final IllegalAccessException | InvocationTargetException e) {
                throw new IllegalStateException("virtual threads cannot be listed", e);
            }
        }
    }
}
