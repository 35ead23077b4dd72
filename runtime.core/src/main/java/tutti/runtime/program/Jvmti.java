package tutti.runtime.program;

import static tutti.runtime.program.NativeInterface.ADDRESS;
import static tutti.runtime.program.NativeInterface.INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * The few functions of JVMTI and JNI that stopping a thread takes, called in the JVM's own library.
 *
 * <p>Indexes and bits are those of {@code jni.h} and {@code jvmti.h}; both tables only ever grow at their ends. Safe for any thread; objects
 * are local references of the thread that asked for them, valid until it calls {@link #popFrame}.
 */
final class Jvmti {
    static final int OK = 0;

    private static final int JNI_VERSION = 0x0015_0000;
    private static final int JVMTI_VERSION = 0x3015_0000;

    private static final int GET_ENV = 6;
    private static final int PUSH_LOCAL_FRAME = 19;
    private static final int POP_LOCAL_FRAME = 20;
    private static final int GET_OBJECT_CLASS = 31;
    private static final int GET_FIELD_ID = 94;
    private static final int GET_OBJECT_FIELD = 95;

    private static final int SUSPEND_THREAD = 4;
    private static final int RESUME_THREAD = 5;
    private static final int STOP_THREAD = 6;
    private static final int GET_CURRENT_THREAD = 17;
    private static final int ADD_CAPABILITIES = 141;

    /** can_signal_thread, can_suspend, can_support_virtual_threads. */
    private static final int[] CAPABILITIES = {10, 20, 44};
    private static final int CAPABILITIES_BYTES = 16;

    private final NativeInterface vm;
    private final NativeInterface tool;
    private final MethodHandle getEnv;
    private final MethodHandle suspend;
    private final MethodHandle resume;
    private final MethodHandle stop;
    private final MethodHandle currentThread;
    private final MethodHandle pushFrame;
    private final MethodHandle popFrame;
    private final MethodHandle classOf;
    private final MethodHandle fieldId;
    private final MethodHandle objectField;

    /** Fails in whichever way this JVM does not offer it: the library or a capability is missing, or native access is denied. */
    Jvmti() throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            vm = NativeInterface.at(createdVm(arena), GET_ENV + 1);
            getEnv = vm.toInt(GET_ENV, ADDRESS, INT);
            tool = NativeInterface.at(env(arena, JVMTI_VERSION), ADD_CAPABILITIES + 1);
            check("AddCapabilities", (int) tool.toInt(ADD_CAPABILITIES, ADDRESS).invokeExact(tool.self(), capabilities(arena)));
            suspend = tool.toInt(SUSPEND_THREAD, ADDRESS);
            resume = tool.toInt(RESUME_THREAD, ADDRESS);
            stop = tool.toInt(STOP_THREAD, ADDRESS, ADDRESS);
            currentThread = tool.toInt(GET_CURRENT_THREAD, ADDRESS);
            final NativeInterface jni = NativeInterface.at(env(arena, JNI_VERSION), GET_OBJECT_FIELD + 1);
            pushFrame = jni.toInt(PUSH_LOCAL_FRAME, INT);
            popFrame = jni.toAddress(POP_LOCAL_FRAME, ADDRESS);
            classOf = jni.toAddress(GET_OBJECT_CLASS, ADDRESS);
            fieldId = jni.toAddress(GET_FIELD_ID, ADDRESS, ADDRESS, ADDRESS);
            objectField = jni.toAddress(GET_OBJECT_FIELD, ADDRESS, ADDRESS);
        }
    }

    @SuppressWarnings("restricted")
    private static MemorySegment createdVm(final Arena arena) throws Throwable {
        final SymbolLookup library = SymbolLookup.libraryLookup(libraryPath(), Arena.global());
        final MethodHandle created = Linker.nativeLinker().downcallHandle(library.findOrThrow("JNI_GetCreatedJavaVMs"),
            FunctionDescriptor.of(INT, ADDRESS, INT, ADDRESS));
        final MemorySegment found = arena.allocate(ADDRESS);
        final MemorySegment count = arena.allocate(INT);
        check("JNI_GetCreatedJavaVMs", (int) created.invokeExact(found, 1, count));
        return found.get(ADDRESS, 0);
    }

    private static Path libraryPath() {
        final Path home = Path.of(System.getProperty("java.home"));
        final String file = System.mapLibraryName("jvm");
        return file.endsWith(".dll") ? home.resolve("bin", "server", file) : home.resolve("lib", "server", file);
    }

    private static MemorySegment capabilities(final Arena arena) {
        final MemorySegment bits = arena.allocate(CAPABILITIES_BYTES, Integer.BYTES);
        for (final int bit : CAPABILITIES) {
            final int place = bit % Integer.SIZE;
            final int mask = 1 << (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? place : Integer.SIZE - 1 - place);
            bits.setAtIndex(INT, bit / Integer.SIZE, bits.getAtIndex(INT, bit / Integer.SIZE) | mask);
        }
        return bits;
    }

    private static void check(final String function, final int result) {
        if (result != OK) {
            throw new IllegalStateException("the JVM refuses: function=" + function + ", result=" + result);
        }
    }

    private MemorySegment env(final Arena arena, final int version) throws Throwable {
        final MemorySegment found = arena.allocate(ADDRESS);
        check("GetEnv", (int) getEnv.invokeExact(vm.self(), found, version));
        return found.get(ADDRESS, 0);
    }

    /** The JNI interface of the current thread. */
    MemorySegment jni(final Arena arena) throws Throwable {
        return env(arena, JNI_VERSION);
    }

    /** Makes room for local references of the current thread. */
    void pushFrame(final MemorySegment jni, final int references) throws Throwable {
        check("PushLocalFrame", (int) pushFrame.invokeExact(jni, references));
    }

    /** Lets go of the local references made since {@link #pushFrame}. */
    void popFrame(final MemorySegment jni) throws Throwable {
        final MemorySegment none = (MemorySegment) popFrame.invokeExact(jni, MemorySegment.NULL);
        assert none.address() == 0 : none;
    }

    /** The current thread as an object. */
    MemorySegment currentThread(final Arena arena) throws Throwable {
        final MemorySegment found = arena.allocate(ADDRESS);
        check("GetCurrentThread", (int) currentThread.invokeExact(tool.self(), found));
        return found.get(ADDRESS, 0);
    }

    /** What a field of an object's own class refers to. */
    MemorySegment field(final Arena arena, final MemorySegment jni, final MemorySegment object, final String name, final Class<?> type)
            throws Throwable {
        final MemorySegment owner = (MemorySegment) classOf.invokeExact(jni, object);
        final MemorySegment signature = arena.allocateFrom(type.descriptorString());
        final MemorySegment id = (MemorySegment) fieldId.invokeExact(jni, owner, arena.allocateFrom(name), signature);
        if (id.address() == 0) {
            throw new IllegalStateException("no such field: name=" + name);
        }
        return (MemorySegment) objectField.invokeExact(jni, object, id);
    }

    /** Holds a thread where it is; {@link #OK} or the error's number, for a thread that has ended for one. */
    int suspend(final MemorySegment thread) throws Throwable {
        return (int) suspend.invokeExact(tool.self(), thread);
    }

    /** Lets a thread go on. */
    int resume(final MemorySegment thread) throws Throwable {
        return (int) resume.invokeExact(tool.self(), thread);
    }

    /** Has a thread throw {@code error} as soon as it runs Java code. */
    int stop(final MemorySegment thread, final MemorySegment error) throws Throwable {
        return (int) stop.invokeExact(tool.self(), thread, error);
    }
}
