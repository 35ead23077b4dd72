package tutti.runtime.program;

import static tutti.runtime.program.NativeInterface.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * A short-lived thread that stops another one.
 *
 * <p>Overview: its native method {@link #deliver} is bound to an upcall stub, so the call leads straight back into Java, to
 * {@link #atReferences}, with the two objects as JNI references. There the thread is suspended and its stack looked at, and only where the
 * {@link StopPoint} allows it the error is put on its way before the thread goes on. Whatever the suspended thread may hold must not
 * be needed meanwhile, so all that is called here was called once before with a thread that holds nothing.
 */
final class StopThread extends Thread {
    private final Jvmti jvmti;
    private final Thread target;
    private final Error error;
    private final StopPoint where;
    private JavaVm vm;
    /** Set by native code. */
    private Object trusted;
    private boolean delivered;
    private Throwable failure;

    StopThread(final Jvmti jvmti, final Thread target, final Error error, final StopPoint where) {
        super(RankGroup.root(), null, "tutti-stop", 0, false);
        this.jvmti = jvmti;
        this.target = target;
        this.error = error;
        this.where = where;
        setDaemon(true);
        setContextClassLoader(null);
        setPriority(MAX_PRIORITY);
    }

    /**
     * Binds the native method; before the first use, once. It takes a thread of this very class to do so.
     *
     * @return a lookup that may look at everything in the JDK
     */
    static MethodHandles.Lookup bind(final JavaVm vm) throws Throwable {
        final StopThread binder = new StopThread(null, null, null, StopPoint.NOWHERE);
        binder.vm = vm;
        binder.start();
        binder.joinUninterruptibly();
        if (binder.failure != null) {
            throw binder.failure;
        }
        return (MethodHandles.Lookup) binder.trusted;
    }

    @Override
    public void run() {
        try {
            if (vm == null) {
                deliver(target, error);
            } else {
                final NativeMethods natives = new NativeMethods(vm);
                natives.bind("deliver", MethodType.methodType(void.class, Thread.class, Error.class).descriptorString(), stub());
                natives.copyStaticField("java/lang/invoke/MethodHandles$Lookup", "IMPL_LOOKUP", "Ljava/lang/invoke/MethodHandles$Lookup;", "trusted");
            }
        } catch (final Throwable e) {
            failure = e;
        }
    }

    @SuppressWarnings("restricted")
    private static MemorySegment stub() throws ReflectiveOperationException {
        final MethodHandle method = MethodHandles.lookup().findStatic(StopThread.class, "atReferences",
            MethodType.methodType(void.class, long.class, long.class, long.class, long.class));
        return Linker.nativeLinker().upcallStub(method, FunctionDescriptor.ofVoid(POINTER, POINTER, POINTER, POINTER), Arena.global());
    }

    private native void deliver(Thread thread, Error thrown);

    /** What {@link #deliver} comes to; must not throw, or the JVM ends. */
    private static void atReferences(final long jni, final long self, final long thread, final long thrown) {
        final StopThread current = (StopThread) Thread.currentThread();
        try {
            if (current.jvmti.suspend(thread)) {
                current.whileSuspended(thread, thrown);
            }
        } catch (final Throwable e) {
            current.failure = e;
        }
    }

    private void whileSuspended(final long thread, final long thrown) throws Throwable {
        try {
            delivered = where.allows(target.getStackTrace(), target.getState()) && jvmti.stop(thread, thrown);
        } finally {
            jvmti.resume(thread);
        }
    }

    void joinUninterruptibly() {
        boolean interrupted = false;
        while (isAlive()) {
            try {
                join();
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isDelivered() {
        return delivered;
    }

    Throwable failure() {
        return failure;
    }
}
