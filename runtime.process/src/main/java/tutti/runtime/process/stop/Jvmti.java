package tutti.runtime.process.stop;

import static tutti.runtime.process.stop.NativeInterface.INT;
import static tutti.runtime.process.stop.NativeInterface.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;
import java.util.Map;

/**
 * The functions of JVMTI that are needed to stop a thread and to redefine a class. Objects are passed as JNI references. Indexes and bits are
 * those of {@code jvmti.h}, whose table only grows at its end. Safe for any thread.
 */
final class Jvmti {
    private static final int SUSPEND_THREAD = 4;
    private static final int RESUME_THREAD = 5;
    private static final int STOP_THREAD = 6;
    private static final int REDEFINE_CLASSES = 86;
    private static final int ADD_CAPABILITIES = 141;
    /** The bits of can_redefine_classes, can_signal_thread, can_suspend, can_redefine_any_class and can_support_virtual_threads. */
    private static final int[] CAPABILITIES = {9, 10, 20, 21, 44};
    private static final int CAPABILITIES_BYTES = 16;
    /** The struct jvmtiClassDefinition: a class, the length of its file, and the address of the file. */
    private static final StructLayout DEFINITION = MemoryLayout.structLayout(POINTER, INT, MemoryLayout.paddingLayout(Integer.BYTES), POINTER);
    private static final long LENGTH = POINTER.byteSize();
    private static final long BYTES = 2 * POINTER.byteSize();

    private final long self;
    private final MethodHandle suspend;
    private final MethodHandle resume;
    private final MethodHandle stop;
    private final MethodHandle redefine;

    /**
     * Creates a JVMTI environment with the capabilities.
     *
     * @throws Throwable when the JVM does not have them
     */
    Jvmti(final JavaVm vm) throws Throwable {
        final NativeInterface jvmti = vm.env(JavaVm.JVMTI);
        self = jvmti.address();
        suspend = jvmti.toInt(SUSPEND_THREAD, POINTER);
        resume = jvmti.toInt(RESUME_THREAD, POINTER);
        stop = jvmti.toInt(STOP_THREAD, POINTER, POINTER);
        redefine = jvmti.toInt(REDEFINE_CLASSES, INT, POINTER);
        try (Arena arena = Arena.ofConfined()) {
            JavaVm.check("AddCapabilities", (int) jvmti.toInt(ADD_CAPABILITIES, POINTER).invokeExact(self, capabilities(arena)));
        }
    }

    private static long capabilities(final Arena arena) {
        final MemorySegment bits = arena.allocate(CAPABILITIES_BYTES, Integer.BYTES);
        for (final int bit : CAPABILITIES) {
            final int position = bit % Integer.SIZE;
            final int mask = 1 << (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? position : Integer.SIZE - 1 - position);
            bits.setAtIndex(INT, bit / Integer.SIZE, bits.getAtIndex(INT, bit / Integer.SIZE) | mask);
        }
        return bits.address();
    }

    /** Suspends a thread; returns false when that fails, for example because the thread has ended. */
    boolean suspend(final long thread) throws Throwable {
        return (int) suspend.invokeExact(self, thread) == 0;
    }

    /** Resumes a suspended thread. */
    void resume(final long thread) throws Throwable {
        JavaVm.check("ResumeThread", (int) resume.invokeExact(self, thread));
    }

    /** Makes a thread throw an error as soon as it runs Java code; returns false when that fails. */
    boolean stop(final long thread, final long error) throws Throwable {
        return (int) stop.invokeExact(self, thread, error) == 0;
    }

    /**
     * Replaces the code of classes, all of them or none.
     *
     * @param classes the references to the classes, and the new class files in the same order
     */
    void redefine(final Map<Long, byte[]> classes) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment definitions = arena.allocate(DEFINITION, classes.size());
            long at = 0;
            for (final Map.Entry<Long, byte[]> definition : classes.entrySet()) {
                definitions.set(POINTER, at, definition.getKey());
                definitions.set(INT, at + LENGTH, definition.getValue().length);
                definitions.set(POINTER, at + BYTES, arena.allocateFrom(ValueLayout.JAVA_BYTE, definition.getValue()).address());
                at += DEFINITION.byteSize();
            }
            JavaVm.check("RedefineClasses", (int) redefine.invokeExact(self, classes.size(), definitions.address()));
        }
    }
}
