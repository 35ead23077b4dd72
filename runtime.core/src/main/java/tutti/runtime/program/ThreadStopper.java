package tutti.runtime.program;

import java.lang.invoke.MethodHandles;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops threads that do not listen: has them throw an error wherever they are, by way of JVMTI, since {@code Thread.stop} is gone.
 *
 * <p>Needs a HotSpot JVM with native access enabled; elsewhere {@link #isAvailable} is false and nothing is stopped. Safe for any thread.
 */
final class ThreadStopper {
    private static final Logger LOG = LoggerFactory.getLogger(ThreadStopper.class);

    private ThreadStopper() { }

    /** Whether threads can be stopped in this JVM. */
    static boolean isAvailable() {
        return Holder.INSTANCE != null;
    }

    /**
     * Tries once to stop a thread.
     *
     * @param target the thread, platform or virtual and mounted
     * @param error  that it will throw
     * @param where  what the thread's stack must look like
     * @return whether the error is on its way; false when the thread is elsewhere just now, has ended, or cannot be stopped
     */
    static boolean stop(final Thread target, final Error error, final StopPoint where) {
        if (!isAvailable()) {
            return false;
        }
        final StopThread stopping = new StopThread(Holder.INSTANCE.jvmti(), target, error, where);
        stopping.start();
        stopping.joinUninterruptibly();
        if (stopping.failure() != null) {
            LOG.error("thread could not be stopped: thread={}", target.getName(), stopping.failure());
        }
        return stopping.isDelivered();
    }

    /** All virtual threads of the JVM, as far as they can be found. */
    static Stream<Thread> virtualThreads() {
        return isAvailable() ? Holder.INSTANCE.internals().virtualThreads() : Stream.empty();
    }

    /** The executor that a thread works for and that would replace the thread, or null. */
    static ExecutorService executorOf(final Thread thread) {
        return isAvailable() ? Holder.INSTANCE.internals().executorOf(thread) : null;
    }

    /** The two ways into the JVM; made when first needed. */
    private record Holder(Jvmti jvmti, JdkInternals internals) {
        static final Holder INSTANCE = open();

        private static Holder open() {
            try {
                final JavaVm vm = new JavaVm();
                final Jvmti jvmti = new Jvmti(vm);
                final MethodHandles.Lookup trusted = StopThread.bind(vm);
                warmUp(jvmti);
                return new Holder(jvmti, new JdkInternals(trusted));
            } catch (final Throwable e) {
                LOG.warn("threads that do not end by themselves cannot be stopped in this JVM", e);
                return null;
            }
        }

        /** Loads and links all that is used while a thread is suspended, at the example of a thread that is left alone. */
        private static void warmUp(final Jvmti jvmti) {
            final CountDownLatch done = new CountDownLatch(1);
            final Thread example = Thread.ofPlatform().group(RankGroup.root()).daemon().unstarted(() -> await(done));
            example.start();
            StopPoint.IN_JDK.allows(example.getStackTrace(), example.getState());
            final StopThread stopping = new StopThread(jvmti, example, RankExit.INSTANCE, StopPoint.NOWHERE);
            stopping.start();
            stopping.joinUninterruptibly();
            done.countDown();
        }

        private static void await(final CountDownLatch done) {
            try {
                done.await();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
