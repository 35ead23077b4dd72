package tutti.runtime.program;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import org.slf4j.LoggerFactory;

/**
 * Stops threads that do not listen: has them throw an error wherever they are, by way of JVMTI, since {@code Thread.stop} is gone.
 *
 * <p>Overview: the thread is suspended, its stack is looked at, and only where {@link StopPoint} allows it the error is put on its way before
 * the thread goes on. All of that is done by a short-lived thread of its own, whose fields carry the two objects: native code finds
 * them by way of the current thread, and no table of references is needed. Nothing that the suspended thread may hold is needed
 * meanwhile: what is called was called once before.
 *
 * <p>Needs a HotSpot JVM with native access enabled; elsewhere {@link #isAvailable} is false and nothing is stopped. Safe for any thread.
 */
final class ThreadStopper {
    private ThreadStopper() { }

    /** Whether threads can be stopped in this JVM. */
    static boolean isAvailable() {
        return Holder.JVMTI != null;
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
        final Delivery delivery = new Delivery(Holder.JVMTI, target, error, where);
        delivery.start();
        boolean interrupted = false;
        while (delivery.isAlive()) {
            try {
                delivery.join();
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return delivery.delivered;
    }

    private static final class Holder {
        static final Jvmti JVMTI = open();

        private static Jvmti open() {
            try {
                final Jvmti jvmti = new Jvmti();
                warmUp(jvmti);
                return jvmti;
            } catch (final Throwable e) {
                LoggerFactory.getLogger(ThreadStopper.class).warn("threads that do not end by themselves cannot be stopped in this JVM", e);
                return null;
            }
        }

        /** Loads and links all that is used while a thread is suspended, at the example of a thread that is left alone. */
        private static void warmUp(final Jvmti jvmti) throws InterruptedException {
            final Thread example = new Thread(RankGroup.root(), Holder::pause, "tutti-stop-example");
            example.setDaemon(true);
            example.start();
            StopPoint.IN_JDK.allows(Thread.currentThread().getStackTrace(), example.getState());
            final Delivery delivery = new Delivery(jvmti, example, RankExit.INSTANCE, StopPoint.NOWHERE);
            delivery.start();
            delivery.join();
            example.interrupt();
        }

        private static void pause() {
            try {
                new CountDownLatch(1).await();
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Stops one thread. The names of the fields {@code target} and {@code error} are looked up by native code. */
    private static final class Delivery extends Thread {
        private static final int REFERENCES = 8;

        private final Jvmti jvmti;
        private final StopPoint where;
        private final Thread target;
        private final Error error;
        private boolean delivered;

        Delivery(final Jvmti jvmti, final Thread target, final Error error, final StopPoint where) {
            super(RankGroup.root(), null, "tutti-stop-" + target.getName(), 0, false);
            this.jvmti = jvmti;
            this.where = where;
            this.target = target;
            this.error = error;
            setDaemon(true);
            setContextClassLoader(null);
            setPriority(MAX_PRIORITY);
        }

        @Override
        public void run() {
            try (Arena arena = Arena.ofConfined()) {
                final MemorySegment jni = jvmti.jni(arena);
                jvmti.pushFrame(jni, REFERENCES);
                try {
                    final MemorySegment self = jvmti.currentThread(arena);
                    deliver(jvmti.field(arena, jni, self, "target", Thread.class), jvmti.field(arena, jni, self, "error", Error.class));
                } finally {
                    jvmti.popFrame(jni);
                }
            } catch (final Throwable e) {
                LoggerFactory.getLogger(ThreadStopper.class).error("thread could not be stopped: thread={}", target.getName(), e);
            }
        }

        private void deliver(final MemorySegment thread, final MemorySegment thrown) throws Throwable {
            if (jvmti.suspend(thread) != Jvmti.OK) {
                return;
            }
            try {
                delivered = where.allows(target.getStackTrace(), target.getState()) && jvmti.stop(thread, thrown) == Jvmti.OK;
            } finally {
                jvmti.resume(thread);
            }
        }
    }
}
