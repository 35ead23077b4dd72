package tutti.runtime.process;

import static tutti.runtime.process.NativeInterface.INT;
import static tutti.runtime.process.NativeInterface.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;

/**
 * The functions of JVMTI that stopping a thread takes. Threads and errors are JNI references. Indexes and bits are those of
 * {@code jvmti.h}, whose table only grows at its end. Safe for any thread.
 */
final class Jvmti {
    private static final int SUSPEND_THREAD = 4;
    private static final int RESUME_THREAD = 5;
    private static final int STOP_THREAD = 6;
    private static final int ADD_CAPABILITIES = 141;
    /** can_signal_thread, can_suspend, can_support_virtual_threads. */
    private static final int[] CAPABILITIES = {10, 20, 44};
    private static final int CAPABILITIES_BYTES = 16;

    private final long self;
    private final MethodHandle suspend;
    private final MethodHandle resume;
    private final MethodHandle stop;

    /** Fails when the JVM does not have the capabilities. */
    Jvmti(final JavaVm vm) throws Throwable {
        final NativeInterface jvmti = vm.env(JavaVm.JVMTI);
        self = jvmti.address();
        suspend = jvmti.toInt(SUSPEND_THREAD, POINTER);
        resume = jvmti.toInt(RESUME_THREAD, POINTER);
        stop = jvmti.toInt(STOP_THREAD, POINTER, POINTER);
        try (Arena arena = Arena.ofConfined()) {
            JavaVm.check("AddCapabilities", (int) jvmti.toInt(ADD_CAPABILITIES, POINTER).invokeExact(self, capabilities(arena)));
        }
    }

    private static long capabilities(final Arena arena) {
        final MemorySegment bits = arena.allocate(CAPABILITIES_BYTES, Integer.BYTES);
        for (final int bit : CAPABILITIES) {
            final int place = bit % Integer.SIZE;
            final int mask = 1 << (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? place : Integer.SIZE - 1 - place);
            bits.setAtIndex(INT, bit / Integer.SIZE, bits.getAtIndex(INT, bit / Integer.SIZE) | mask);
        }
        return bits.address();
    }

    /** Holds a thread where it is; false when it cannot, for it has ended for one. */
    boolean suspend(final long thread) throws Throwable {
        return (int) suspend.invokeExact(self, thread) == 0;
    }

    /** Lets a suspended thread go on. */
    void resume(final long thread) throws Throwable {
        JavaVm.check("ResumeThread", (int) resume.invokeExact(self, thread));
    }

    /** Has a thread throw an error as soon as it runs Java code; false when it cannot. */
    boolean stop(final long thread, final long error) throws Throwable {
        return (int) stop.invokeExact(self, thread, error) == 0;
    }
}
