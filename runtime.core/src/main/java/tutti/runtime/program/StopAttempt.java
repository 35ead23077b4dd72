package tutti.runtime.program;

import static tutti.runtime.program.NativeInterface.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One attempt to stop a thread, made on the thread that asks for it.
 *
 * <p>Overview: the native method {@link #call} is bound to an upcall stub, so the call leads straight back into Java, to
 * {@link #atReferences}, with the two objects as JNI references. There the thread is suspended and its stack looked at, and only where the
 * {@link StopPoint} allows it the error is put on its way before the thread goes on. Whatever the suspended thread may hold must not
 * be needed meanwhile, so all that is called here was called once before with a thread that holds nothing. Should it be needed all the
 * same (the stack of a virtual thread that is about to be unmounted is one such case), a watchdog resumes the thread after a while.
 */
final class StopAttempt {
    private static final ThreadLocal<Action> CURRENT = new ThreadLocal<>();
    private static final long WATCH_MILLIS = 500;

    private final Jvmti jvmti;
    private final Thread target;
    private final Error error;
    private final StopPoint where;
    /** True while the thread is suspended; whoever makes it false resumes the thread. */
    private final AtomicBoolean suspended = new AtomicBoolean();

    StopAttempt(final Jvmti jvmti, final Thread target, final Error error, final StopPoint where) {
        this.jvmti = jvmti;
        this.target = target;
        this.error = error;
        this.where = where;
    }

    /**
     * Binds the native method; before the first attempt, once.
     *
     * @return a lookup that may look at everything in the JDK
     */
    @SuppressWarnings("restricted")
    static Lookup bind(final JavaVm vm) throws Throwable {
        final MethodHandle method = MethodHandles.lookup().findStatic(StopAttempt.class, "atReferences",
            MethodType.methodType(void.class, long.class, long.class, long.class, long.class));
        final MemorySegment stub = Linker.nativeLinker().upcallStub(method, FunctionDescriptor.ofVoid(POINTER, POINTER, POINTER, POINTER),
            Arena.global());
        final String signature = MethodType.methodType(void.class, Thread.class, Error.class).descriptorString();
        return NativeMethods.bind(vm, StopAttempt.class, "call", signature, stub);
    }

    /** Makes the attempt. */
    void make(final ScheduledExecutorService watchdog) throws Throwable {
        // scheduled before anything is suspended, as scheduling takes a lock
        final Future<?> watch = watchdog.scheduleWithFixedDelay(this::giveUp, WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
        try {
            withReferences(this::stop);
        } finally {
            watch.cancel(false);
        }
    }

    private void stop(final long thread, final long thrown) throws Throwable {
        if (jvmti.suspend(thread)) {
            suspended.set(true);
            try {
                if (where.allows(target.getStackTrace(), target.getState()) && suspended.get()) {
                    jvmti.stop(thread, thrown);
                }
            } finally {
                resume(thread);
            }
        }
    }

    private void giveUp() {
        if (suspended.get()) {
            try {
                withReferences((thread, thrown) -> resume(thread));
            } catch (final Throwable e) {
                throw new IllegalStateException("thread could not be resumed: thread=" + target.getName(), e);
            }
        }
    }

    private void resume(final long thread) throws Throwable {
        if (suspended.compareAndSet(true, false)) {
            jvmti.resume(thread);
        }
    }

    private void withReferences(final Body body) throws Throwable {
        final Action action = new Action(body);
        CURRENT.set(action);
        try {
            call(target, error);
        } finally {
            CURRENT.remove();
        }
        if (action.failure != null) {
            throw action.failure;
        }
    }

    private static native void call(Thread thread, Error thrown);

    /** What {@link #call} comes to; must not throw, or the JVM ends. */
    private static void atReferences(final long jni, final long type, final long thread, final long thrown) {
        final Action action = CURRENT.get();
        try {
            action.body.run(thread, thrown);
        } catch (final Throwable e) {
            action.failure = e;
        }
    }

    /** Works on JNI references. */
    @FunctionalInterface
    private interface Body {
        void run(long thread, long thrown) throws Throwable;
    }

    /** What a native call is to do, and how it failed. */
    private static final class Action {
        private final Body body;
        private Throwable failure;

        Action(final Body body) {
            this.body = body;
        }
    }
}
