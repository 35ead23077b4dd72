package tutti.runtime.process.stop;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.stream.Stream;

/** Reads internal state of the JDK about threads: which virtual threads exist, and which executor a thread works for. */
final class JdkInternals {
    private final MethodHandle rootContainer;
    private final MethodHandle threads;
    private final MethodHandle children;
    private final MethodHandle holder;
    private final MethodHandle task;
    private final MethodHandle pool;
    private final Class<?> worker;

    /**
     * Looks up the internal members.
     *
     * @param trusted a lookup with access to all members of the JDK
     * @throws ReflectiveOperationException when this JDK has other members
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

    /** Returns all virtual threads that are alive. */
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

    /** Returns the executor that replaces the thread when it ends, or null. Never returns the common pool. */
    ExecutorService executorOf(final Thread thread) {
        if (thread instanceof ForkJoinWorkerThread member) {
            return member.getPool() == ForkJoinPool.commonPool() ? null : member.getPool();
        }
        try {
            final Object fields = holder.invoke(thread);
            final Object runnable = fields == null ? null : task.invoke(fields);
            return worker.isInstance(runnable) ? (ExecutorService) pool.invoke(runnable) : null;
        } catch (final Throwable e) {
            throw new IllegalStateException("executor of a thread cannot be found: thread=" + thread.getName(), e);
        }
    }
}
