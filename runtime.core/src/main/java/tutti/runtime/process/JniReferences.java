package tutti.runtime.process;

import static tutti.runtime.process.NativeInterface.INT;
import static tutti.runtime.process.NativeInterface.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;

/**
 * Makes JNI references to Java objects, for native functions to work on.
 *
 * <p>Overview: objects go through an array that native code has a global reference to: Java puts an object in, a downcall takes it out. That
 * gives a local reference, and the JVM drops those as soon as the thread has run any native method, of which the JDK has many in
 * unexpected places. So the very next downcall makes a global reference of it, with nothing in between but method handles on plain numbers
 * that are linked and customised. Whether the JVM keeps local references for so long is tried out once, as two of them then differ.
 * Arguments of native methods bound to upcall stubs are no way around this: ZGC does not keep them good below the frames of an upcall.
 *
 * <p>Safe for any thread.
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
    /** Above the number of calls after which the JDK customises a method handle. */
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
        deleteGlobalRef = env.toNothing(DELETE_GLOBAL_REF, POINTER);
        arrayElement = env.toPointer(GET_OBJECT_ARRAY_ELEMENT, POINTER, INT);
    }

    /** Fails where the JVM does not do as expected. */
    static JniReferences open(final JavaVm vm) throws Throwable {
        final Opener opener = new Opener(vm, new Object[1]);
        opener.start();
        opener.join();
        if (opener.failure != null) {
            throw opener.failure;
        }
        return opener.opened;
    }

    /** A reference to an object, good on all threads until it is released. */
    long refer(final Object object) throws Throwable {
        final long jni = vm.env(JavaVm.JNI).address();
        synchronized (exchange) {
            exchange[0] = object;
            final long reference = global(jni, (long) arrayElement.invokeExact(jni, exchangeReference, 0));
            exchange[0] = null;
            return reference;
        }
    }

    /** Lets go of a reference. */
    void release(final long reference) throws Throwable {
        deleteGlobalRef.invokeExact(vm.env(JavaVm.JNI).address(), reference);
    }

    private long global(final long jni, final long local) throws Throwable {
        return (long) newGlobalRef.invokeExact(jni, local);
    }

    /** A lookup that may look at everything in the JDK. */
    Lookup trustedLookup() throws Throwable {
        final NativeInterface env = vm.env(JavaVm.JNI);
        final long jni = env.address();
        final MethodHandle get = env.toPointer(GET_STATIC_OBJECT_FIELD, POINTER, POINTER);
        final MethodHandle set = env.toNothing(SET_OBJECT_ARRAY_ELEMENT, POINTER, INT, POINTER);
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

    /** Where the JVM found nothing it has left an exception as well, which must not come up later. */
    private static long checked(final NativeInterface env, final String name, final long result) throws Throwable {
        if (result == NULL) {
            env.toNothing(EXCEPTION_CLEAR).invokeExact(env.address());
            throw new IllegalStateException("the JVM does not have it: name=" + name);
        }
        return result;
    }

    /** Finds the array by way of the current thread, the one object that native code finds from nothing, which has the array in a field. */
    private static final class Opener extends Thread {
        private final JavaVm vm;
        private final Object[] exchange;
        private JniReferences opened;
        private Throwable failure;

        Opener(final JavaVm vm, final Object[] exchange) {
            super(RankGroup.root(), null, "tutti-jni", 0, false);
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

        /** Two local references made one after the other are in two places, unless the first was dropped in between. */
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
