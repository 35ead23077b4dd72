package tutti.runtime.program;

import static tutti.runtime.program.NativeInterface.INT;
import static tutti.runtime.program.NativeInterface.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Binds a native method to an upcall stub, which is how Java code gets references to objects that native functions understand, and reads
 * a static field of the JDK.
 *
 * <p>Overview: the JVM drops the local references that a downcall returned as soon as the thread has run any native method, of which the JDK
 * has many in unexpected places. The arguments of a native method, on the other hand, are good references until it returns. So only this
 * class handles results of downcalls: each is made a global reference by the very next downcall, with nothing but linked method handles on
 * plain numbers in between.
 */
final class NativeMethods {
    private static final int FIND_CLASS = 6;
    private static final int EXCEPTION_CLEAR = 17;
    private static final int NEW_GLOBAL_REF = 21;
    private static final int GET_OBJECT_CLASS = 31;
    private static final int GET_FIELD_ID = 94;
    private static final int SET_OBJECT_FIELD = 104;
    private static final int GET_STATIC_FIELD_ID = 144;
    private static final int GET_STATIC_OBJECT_FIELD = 145;
    private static final int GET_STATIC_METHOD_ID = 113;
    private static final int CALL_STATIC_OBJECT_METHOD_A = 116;
    private static final int REGISTER_NATIVES = 215;
    private static final long NULL = 0;

    private final NativeInterface env;
    private final long jni;
    private final MethodHandle findClass;
    private final MethodHandle newGlobalRef;
    private final MethodHandle classOf;
    private final long thread;
    private final long threadClass;

    /** For the current thread alone. */
    NativeMethods(final JavaVm vm) throws Throwable {
        env = vm.env(JavaVm.JNI);
        jni = env.address();
        findClass = env.toPointer(FIND_CLASS, POINTER);
        newGlobalRef = env.toPointer(NEW_GLOBAL_REF, POINTER);
        classOf = env.toPointer(GET_OBJECT_CLASS, POINTER);
        // links what has to be quick later
        global(NULL);
        thread = currentThread();
        threadClass = global((long) classOf.invokeExact(jni, thread));
    }

    private long currentThread() throws Throwable {
        final MethodHandle call = env.toPointer(CALL_STATIC_OBJECT_METHOD_A, POINTER, POINTER, POINTER);
        final long type = findClass("java/lang/Thread");
        final long method = id(GET_STATIC_METHOD_ID, type, "currentThread", "()Ljava/lang/Thread;");
        return global((long) call.invokeExact(jni, type, method, NULL));
    }

    /** Binds a native method of the current thread's own class. */
    void bind(final String method, final String signature, final MemorySegment stub) throws Throwable {
        final MethodHandle register = env.toInt(REGISTER_NATIVES, POINTER, POINTER, INT);
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment entry = arena.allocate(POINTER, 3);
            entry.setAtIndex(POINTER, 0, arena.allocateFrom(method).address());
            entry.setAtIndex(POINTER, 1, arena.allocateFrom(signature).address());
            entry.setAtIndex(POINTER, 2, stub.address());
            JavaVm.check("RegisterNatives", (int) register.invokeExact(jni, threadClass, entry.address(), 1));
        }
    }

    /** Copies a static field of a class of the JDK to a field of type Object of the current thread's own class. */
    void copyStaticField(final String type, final String field, final String signature, final String into) throws Throwable {
        final MethodHandle get = env.toPointer(GET_STATIC_OBJECT_FIELD, POINTER, POINTER);
        final MethodHandle set = env.toNothing(SET_OBJECT_FIELD, POINTER, POINTER, POINTER);
        final long owner = findClass(type);
        final long from = id(GET_STATIC_FIELD_ID, owner, field, signature);
        final long to = id(GET_FIELD_ID, threadClass, into, "Ljava/lang/Object;");
        final long value = global((long) get.invokeExact(jni, owner, from));
        set.invokeExact(jni, thread, to, value);
    }

    private long findClass(final String name) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            final long text = arena.allocateFrom(name).address();
            return checked(name, global((long) findClass.invokeExact(jni, text)));
        }
    }

    private long id(final int function, final long owner, final String name, final String signature) throws Throwable {
        final MethodHandle find = env.toPointer(function, POINTER, POINTER, POINTER);
        try (Arena arena = Arena.ofConfined()) {
            return checked(name, (long) find.invokeExact(jni, owner, arena.allocateFrom(name).address(), arena.allocateFrom(signature).address()));
        }
    }

    /** Where the JVM found nothing it has left an exception, too, which must not come up later. */
    private long checked(final String name, final long found) throws Throwable {
        if (found == NULL) {
            env.toNothing(EXCEPTION_CLEAR).invokeExact(jni);
            throw new IllegalStateException("the JVM does not have it: name=" + name);
        }
        return found;
    }

    /** A reference that stays good; never let go of, as a JVM has but a handful. */
    private long global(final long local) throws Throwable {
        return (long) newGlobalRef.invokeExact(jni, local);
    }
}
