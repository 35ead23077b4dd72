package tutti.runtime.program;

import static tutti.runtime.program.NativeInterface.INT;
import static tutti.runtime.program.NativeInterface.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;

/**
 * Binds a native method to an upcall stub, which is how Java code gets references to objects that native functions understand, and reads
 * a static field of the JDK. Runs as a thread of its own, as the current thread is the one object that can be found from nothing.
 *
 * <p>Overview: the JVM drops the local references that a downcall returned as soon as the thread has run any native method, of which the JDK
 * has many in unexpected places. The arguments of a native method, on the other hand, are good references until it returns. So only this
 * class handles results of downcalls: each is made a global reference by the very next downcall, with nothing but linked method handles on
 * plain numbers in between.
 */
final class NativeMethods extends Thread {
    private static final int FIND_CLASS = 6;
    private static final int EXCEPTION_CLEAR = 17;
    private static final int NEW_GLOBAL_REF = 21;
    private static final int GET_OBJECT_CLASS = 31;
    private static final int GET_FIELD_ID = 94;
    private static final int GET_OBJECT_FIELD = 95;
    private static final int SET_OBJECT_FIELD = 104;
    private static final int GET_STATIC_FIELD_ID = 144;
    private static final int GET_STATIC_OBJECT_FIELD = 145;
    private static final int GET_STATIC_METHOD_ID = 113;
    private static final int CALL_STATIC_OBJECT_METHOD_A = 116;
    private static final int REGISTER_NATIVES = 215;
    private static final long NULL = 0;

    private final JavaVm vm;
    private final MemorySegment stub;
    private final String method;
    private final String signature;
    /** Read by native code: the class that has the native method. */
    private final Object owner;
    /** Written by native code. */
    private Object found;
    private Throwable failure;

    private NativeInterface env;
    private long jni;
    private MethodHandle findClass;
    private MethodHandle newGlobalRef;
    private MethodHandle classOf;
    private MethodHandle getField;

    private NativeMethods(final JavaVm vm, final Class<?> owner, final String method, final String signature, final MemorySegment stub) {
        super(RankGroup.root(), null, "tutti-native", 0, false);
        this.vm = vm;
        this.owner = owner;
        this.method = method;
        this.signature = signature;
        this.stub = stub;
        setDaemon(true);
        setContextClassLoader(null);
    }

    /**
     * Binds a static native method.
     *
     * @param owner     has the method
     * @param signature of the method, as a descriptor
     * @param stub      what a call of it comes to
     * @return a lookup that may look at everything in the JDK
     */
    static Lookup bind(final JavaVm vm, final Class<?> owner, final String method, final String signature, final MemorySegment stub)
            throws Throwable {
        final NativeMethods binder = new NativeMethods(vm, owner, method, signature, stub);
        binder.start();
        binder.join();
        if (binder.failure != null) {
            throw binder.failure;
        }
        return (Lookup) binder.found;
    }

    @Override
    public void run() {
        try {
            env = vm.env(JavaVm.JNI);
            jni = env.address();
            findClass = env.toPointer(FIND_CLASS, POINTER);
            newGlobalRef = env.toPointer(NEW_GLOBAL_REF, POINTER);
            classOf = env.toPointer(GET_OBJECT_CLASS, POINTER);
            getField = env.toPointer(GET_OBJECT_FIELD, POINTER, POINTER);
            // links what has to be quick later
            global(NULL);
            final long thread = currentThreadReference();
            final long threadClass = global((long) classOf.invokeExact(jni, thread));
            register(global((long) getField.invokeExact(jni, thread, id(GET_FIELD_ID, threadClass, "owner", "Ljava/lang/Object;"))));
            copyLookup(thread, id(GET_FIELD_ID, threadClass, "found", "Ljava/lang/Object;"));
        } catch (final Throwable e) {
            failure = e;
        }
    }

    private long currentThreadReference() throws Throwable {
        final MethodHandle call = env.toPointer(CALL_STATIC_OBJECT_METHOD_A, POINTER, POINTER, POINTER);
        final long type = findClass("java/lang/Thread");
        final long id = id(GET_STATIC_METHOD_ID, type, "currentThread", "()Ljava/lang/Thread;");
        return global((long) call.invokeExact(jni, type, id, NULL));
    }

    private void register(final long type) throws Throwable {
        final MethodHandle register = env.toInt(REGISTER_NATIVES, POINTER, POINTER, INT);
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment entry = arena.allocate(POINTER, 3);
            entry.setAtIndex(POINTER, 0, arena.allocateFrom(method).address());
            entry.setAtIndex(POINTER, 1, arena.allocateFrom(signature).address());
            entry.setAtIndex(POINTER, 2, stub.address());
            JavaVm.check("RegisterNatives", (int) register.invokeExact(jni, type, entry.address(), 1));
        }
    }

    private void copyLookup(final long thread, final long into) throws Throwable {
        final MethodHandle get = env.toPointer(GET_STATIC_OBJECT_FIELD, POINTER, POINTER);
        final MethodHandle set = env.toNothing(SET_OBJECT_FIELD, POINTER, POINTER, POINTER);
        final long type = findClass("java/lang/invoke/MethodHandles$Lookup");
        final long from = id(GET_STATIC_FIELD_ID, type, "IMPL_LOOKUP", "Ljava/lang/invoke/MethodHandles$Lookup;");
        final long value = global((long) get.invokeExact(jni, type, from));
        set.invokeExact(jni, thread, into, value);
    }

    private long findClass(final String name) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            final long text = arena.allocateFrom(name).address();
            return checked(name, global((long) findClass.invokeExact(jni, text)));
        }
    }

    private long id(final int function, final long type, final String name, final String descriptor) throws Throwable {
        final MethodHandle find = env.toPointer(function, POINTER, POINTER, POINTER);
        try (Arena arena = Arena.ofConfined()) {
            return checked(name, (long) find.invokeExact(jni, type, arena.allocateFrom(name).address(), arena.allocateFrom(descriptor).address()));
        }
    }

    /** Where the JVM found nothing it has left an exception, too, which must not come up later. */
    private long checked(final String name, final long result) throws Throwable {
        if (result == NULL) {
            env.toNothing(EXCEPTION_CLEAR).invokeExact(jni);
            throw new IllegalStateException("the JVM does not have it: name=" + name);
        }
        return result;
    }

    /** A reference that stays good; never let go of, as a JVM has but a handful. */
    private long global(final long local) throws Throwable {
        return (long) newGlobalRef.invokeExact(jni, local);
    }
}
