package tutti.runtime.process.stop;

import static tutti.runtime.process.stop.NativeInterface.INT;
import static tutti.runtime.process.stop.NativeInterface.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;

/**
 * Creates JNI references to Java objects, as arguments of native functions.
 *
 * <p>Objects are passed through an array to which native code has a global reference: Java stores an object in the array, and a downcall
 * reads it. The result is a local reference. The JVM drops local references as soon as the thread has run any native method, and the JDK
 * calls native methods in unexpected places. Therefore the next downcall turns the local reference into a global one. Between the two
 * downcalls, only method handles on plain numbers run, which are already linked and customised.
 *
 * <p>A test at the start checks that the JVM keeps local references that long: two of them must differ. Arguments of native methods that are
 * bound to upcall stubs are no alternative, because ZGC does not keep them valid below the frames of an upcall.
 *
 * <p>Safe for any thread.
 *
 * <p><b>Threads.</b> The lock of the exchange array is held while an object passes through it, for two downcalls.
 */
final class JniReferences {
    private static final int FIND_CLASS = 6;
    private static final int EXCEPTION_CLEAR = 17;
    private static final int NEW_GLOBAL_REF = 21;
    private static final int DELETE_GLOBAL_REF = 22;
    private static final int GET_OBJECT_CLASS = 31;
    private static final int GET_FIELD_ID = 94;
    private static final int GET_OBJECT_FIELD = 95;
    private static final int GET_STATIC_METHOD_ID = 113;
    private static final int CALL_STATIC_OBJECT_METHOD_A = 116;
    private static final int GET_STATIC_FIELD_ID = 144;
    private static final int GET_STATIC_OBJECT_FIELD = 145;
    private static final int GET_OBJECT_ARRAY_ELEMENT = 173;
    private static final int SET_OBJECT_ARRAY_ELEMENT = 174;
    private static final long NULL = 0;
    /** The number of warm-up calls, above the number after which the JDK customises a method handle. */
    private static final int WARM_UP_CALLS = 300;

    private final JavaVm vm;
    private final MethodHandle newGlobalRef;
    private final MethodHandle deleteGlobalRef;
    private final MethodHandle arrayElement;
    private final Object[] exchange;
    private long exchangeReference;

    private JniReferences(final JavaVm vm, final Object[] exchange) throws Throwable {
        this.vm = vm;
        this.exchange = exchange;
        final NativeInterface env = vm.env(JavaVm.JNI);
        newGlobalRef = env.toPointer(NEW_GLOBAL_REF, POINTER);
        deleteGlobalRef = env.toVoid(DELETE_GLOBAL_REF, POINTER);
        arrayElement = env.toPointer(GET_OBJECT_ARRAY_ELEMENT, POINTER, INT);
    }

    /**
     * Prepares the creation of references.
     *
     * @throws Throwable when the JVM does not behave as expected
     */
    static JniReferences open(final JavaVm vm) throws Throwable {
        final Opener opener = new Opener(vm, new Object[1]);
        opener.start();
        opener.join();
        if (opener.failure != null) {
            throw opener.failure;
        }
        return opener.opened;
    }

    /** Creates a global reference to an object, valid on all threads until it is released. */
    long newReference(final Object object) throws Throwable {
        final long jni = vm.env(JavaVm.JNI).address();
        synchronized (exchange) {
            exchange[0] = object;
            final long reference = global(jni, (long) arrayElement.invokeExact(jni, exchangeReference, 0));
            exchange[0] = null;
            return reference;
        }
    }

    /** Deletes a reference. */
    void release(final long reference) throws Throwable {
        deleteGlobalRef.invokeExact(vm.env(JavaVm.JNI).address(), reference);
    }

    private long global(final long jni, final long local) throws Throwable {
        return (long) newGlobalRef.invokeExact(jni, local);
    }

    /** Returns a lookup with access to all members of the JDK. */
    Lookup trustedLookup() throws Throwable {
        final NativeInterface env = vm.env(JavaVm.JNI);
        final long jni = env.address();
        final MethodHandle get = env.toPointer(GET_STATIC_OBJECT_FIELD, POINTER, POINTER);
        final MethodHandle set = env.toVoid(SET_OBJECT_ARRAY_ELEMENT, POINTER, INT, POINTER);
        final long type = findClass(env, Lookup.class.getName().replace('.', '/'));
        final long field = id(env, GET_STATIC_FIELD_ID, type, "IMPL_LOOKUP", Lookup.class.descriptorString());
        synchronized (exchange) {
            final long value = global(jni, (long) get.invokeExact(jni, type, field));
            set.invokeExact(jni, exchangeReference, 0, value);
            release(value);
            release(type);
            final Lookup found = (Lookup) exchange[0];
            exchange[0] = null;
            return found;
        }
    }

    private long findClass(final NativeInterface env, final String name) throws Throwable {
        final MethodHandle find = env.toPointer(FIND_CLASS, POINTER);
        final long jni = env.address();
        try (Arena arena = Arena.ofConfined()) {
            final long text = arena.allocateFrom(name).address();
            return checked(env, name, global(jni, (long) find.invokeExact(jni, text)));
        }
    }

    private static long id(final NativeInterface env, final int function, final long type, final String name, final String descriptor)
        throws Throwable {
        final MethodHandle find = env.toPointer(function, POINTER, POINTER, POINTER);
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment text = arena.allocateFrom(name);
            return checked(env, name, (long) find.invokeExact(env.address(), type, text.address(), arena.allocateFrom(descriptor).address()));
        }
    }

    /** Checks that the JVM found something. If not, clears the exception that the JVM left pending, so that it is not thrown later. */
    private static long checked(final NativeInterface env, final String name, final long result) throws Throwable {
        if (result == NULL) {
            env.toVoid(EXCEPTION_CLEAR).invokeExact(env.address());
            throw new IllegalStateException("JVM lacks a class or member: name=" + name);
        }
        return result;
    }

    /**
     * A thread that obtains the reference to the array. The current thread is the only object that native code finds without a reference, and
     * this thread has the array in a field.
     */
    private static final class Opener extends Thread {
        private final JavaVm vm;
        private final Object[] exchange;
        private JniReferences opened;
        private Throwable failure;

        Opener(final JavaVm vm, final Object[] exchange) {
            super(ThreadGroups.root(), null, "tutti-jni", 0, false);
            this.vm = vm;
            this.exchange = exchange;
            setDaemon(true);
            setContextClassLoader(null);
        }

        @Override
        public void run() {
            try {
                final JniReferences references = new JniReferences(vm, exchange);
                final NativeInterface env = vm.env(JavaVm.JNI);
                for (int i = 0; i < WARM_UP_CALLS; i++) {
                    references.global(env.address(), NULL);
                }
                findExchange(references, env);
                check(references, env.address());
                opened = references;
            } catch (final Throwable e) {
                failure = e;
            }
        }

        private static void findExchange(final JniReferences references, final NativeInterface env) throws Throwable {
            final MethodHandle call = env.toPointer(CALL_STATIC_OBJECT_METHOD_A, POINTER, POINTER, POINTER);
            final MethodHandle classOf = env.toPointer(GET_OBJECT_CLASS, POINTER);
            final MethodHandle field = env.toPointer(GET_OBJECT_FIELD, POINTER, POINTER);
            final long jni = env.address();
            final long type = references.findClass(env, "java/lang/Thread");
            final long currentThread = id(env, GET_STATIC_METHOD_ID, type, "currentThread", "()Ljava/lang/Thread;");
            final long thread = references.global(jni, (long) call.invokeExact(jni, type, currentThread, NULL));
            final long threadType = references.global(jni, (long) classOf.invokeExact(jni, thread));
            final long id = id(env, GET_FIELD_ID, threadType, "exchange", Object[].class.descriptorString());
            references.exchangeReference = references.global(jni, (long) field.invokeExact(jni, thread, id));
            references.release(threadType);
            references.release(thread);
            references.release(type);
        }

        /** Checks that two local references that are created one after the other differ; they are equal when the first was dropped in between. */
        private static void check(final JniReferences references, final long jni) throws Throwable {
            final MethodHandle element = references.arrayElement;
            references.exchange[0] = references;
            long first = NULL;
            long second = NULL;
            for (int i = 0; i < WARM_UP_CALLS; i++) {
                first = (long) element.invokeExact(jni, references.exchangeReference, 0);
                second = (long) element.invokeExact(jni, references.exchangeReference, 0);
            }
            references.exchange[0] = null;
            if (first == second) {
                throw new IllegalStateException("the JVM drops local references at once");
            }
        }
    }
}
