package tutti.runtime.process;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.stream.Stream;

/** What the JDK knows of its threads and does not tell: which virtual threads there are, and for which executor a thread works. */
final class JdkInternals {
    private final MethodHandle rootContainer;
    private final MethodHandle threads;
    private final MethodHandle children;
    private final MethodHandle holder;
    private final MethodHandle task;
    private final MethodHandle pool;
    private final Class<?> worker;

    /**
     * Finds all of it.
     *
     * @param trusted may look at everything in the JDK
     * @throws ReflectiveOperationException where the JDK is built in another way
     */
    JdkInternals(final Lookup trusted) throws ReflectiveOperationException {
        final Class<?> container = trusted.findClass("jdk.internal.vm.ThreadContainer");
        rootContainer = trusted.findStatic(trusted.findClass("jdk.internal.vm.ThreadContainers"), "root", MethodType.methodType(container));
        threads = trusted.findVirtual(container, "threads", MethodType.methodType(Stream.class));
        children = trusted.findVirtual(container, "children", MethodType.methodType(Stream.class));
        final Class<?> fields = trusted.findClass("java.lang.Thread$FieldHolder");
        holder = trusted.findGetter(Thread.class, "holder", fields);
        task = trusted.findGetter(fields, "task", Runnable.class);
        worker = trusted.findClass("java.util.concurrent.ThreadPoolExecutor$Worker");
        pool = trusted.findGetter(worker, "this$0", ThreadPoolExecutor.class);
    }

    /** All virtual threads that are alive. */
    Stream<Thread> virtualThreads() {
        try {
            return in(rootContainer.invoke()).filter(Thread::isVirtual);
        } catch (final Throwable e) {
            throw new IllegalStateException("virtual threads cannot be listed", e);
        }
    }

    private Stream<Thread> in(final Object container) {
        try {
            final Stream<Thread> own = ((Stream<?>) threads.invoke(container)).map(Thread.class::cast);
            return Stream.concat(own, ((Stream<?>) children.invoke(container)).flatMap(this::in));
        } catch (final Throwable e) {
            throw new IllegalStateException("virtual threads cannot be listed", e);
        }
    }

    /** The executor that replaces the thread when it ends, or null. Never one that the JVM has in common. */
    ExecutorService executorOf(final Thread thread) {
        if (thread instanceof ForkJoinWorkerThread member) {
            return member.getPool() == ForkJoinPool.commonPool() ? null : member.getPool();
        }
        try {
            final Object fields = holder.invoke(thread);
            final Object runs = fields == null ? null : task.invoke(fields);
            return worker.isInstance(runs) ? (ExecutorService) pool.invoke(runs) : null;
        } catch (final Throwable e) {
            throw new IllegalStateException("executor of a thread cannot be found: thread=" + thread.getName(), e);
        }
    }
}
