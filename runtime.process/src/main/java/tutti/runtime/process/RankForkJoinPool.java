package tutti.runtime.process;

import java.lang.Thread.UncaughtExceptionHandler;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A pool that a program creates: the workers of its default factory have the context class loader of the thread that created the pool, in the place
 * of the JVM's, which knows no class of the program. Not for use in source code: {@code new ForkJoinPool} in the classes of a program is redirected
 * to this class when the classes are defined.
 */
public final class RankForkJoinPool extends ForkJoinPool {
    /** {@link ForkJoinPool#ForkJoinPool()}. */
    public RankForkJoinPool() {
        this(Runtime.getRuntime().availableProcessors());
    }

    /** {@link ForkJoinPool#ForkJoinPool(int)}. */
    public RankForkJoinPool(final int parallelism) {
        this(parallelism, defaultForkJoinWorkerThreadFactory, null, false);
    }

    /** {@link ForkJoinPool#ForkJoinPool(int, ForkJoinWorkerThreadFactory, UncaughtExceptionHandler, boolean)}. */
    public RankForkJoinPool(final int parallelism, final ForkJoinWorkerThreadFactory factory, final @Nullable UncaughtExceptionHandler handler,
        final boolean asyncMode) {
        super(parallelism, Workers.of(factory), handler, asyncMode);
    }

    /**
     * {@link ForkJoinPool#ForkJoinPool(int, ForkJoinWorkerThreadFactory, UncaughtExceptionHandler, boolean, int, int, int, Predicate, long,
     * TimeUnit)}.
     */
    public RankForkJoinPool(final int parallelism, final ForkJoinWorkerThreadFactory factory, final @Nullable UncaughtExceptionHandler handler,
        final boolean asyncMode, final int corePoolSize, final int maximumPoolSize, final int minimumRunnable,
        final @Nullable Predicate<? super ForkJoinPool> saturate, final long keepAliveTime, final TimeUnit unit) {
        super(parallelism, Workers.of(factory), handler, asyncMode, corePoolSize, maximumPoolSize, minimumRunnable, saturate, keepAliveTime, unit);
    }

    /** The default factory, whose workers get a context class loader. */
    private record Workers(@Nullable ClassLoader loader) implements ForkJoinWorkerThreadFactory {
        static ForkJoinWorkerThreadFactory of(final ForkJoinWorkerThreadFactory factory) {
            return factory == defaultForkJoinWorkerThreadFactory ? new Workers(Thread.currentThread().getContextClassLoader()) : factory;
        }

        @Override
        public ForkJoinWorkerThread newThread(final ForkJoinPool pool) {
            final ForkJoinWorkerThread worker = defaultForkJoinWorkerThreadFactory.newThread(pool);
            worker.setContextClassLoader(loader);
            return worker;
        }
    }
}
