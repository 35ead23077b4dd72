package tutti.runtime.process;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.process.stop.JvmAccess;
import tutti.runtime.process.stop.SafeStopPoint;
import tutti.runtime.process.stop.ThreadStopper;

/**
 * Protects the JVM from the programs and modules that run in it: whichever way they call {@code exit} or {@code halt}, or raise a signal that ends a
 * process, the JVM goes on. See {@link ExitInterceptor} for what happens instead.
 *
 * <p>The methods of the JDK themselves are rewritten while the JVM runs, by JVMTI: no agent is needed, and archives of classes stay valid. This takes
 * about 100 ms, once. Where the JVM does not grant access, which is logged, calls by reflection end the JVM.
 *
 * <p><b>Threads.</b> Safe for any thread. The lock of the class guards the fields, and is held while the classes are rewritten.
 */
public final class JvmGuard {
    private static final Logger LOG = LoggerFactory.getLogger(JvmGuard.class);
    private static final String RUNTIME = "java/lang/Runtime";
    private static final String SHUTDOWN = "java/lang/Shutdown";
    private static final String SIGNAL = "jdk/internal/misc/Signal";
    private static final String THREAD = "java/lang/Thread";
    private static final String VIRTUAL_THREAD = "java/lang/VirtualThread";
    private static final String OF_INT = "(I)V";
    private static final String SUBMIT = "externalSubmitRunContinuationOrThrow";
    private static final String YIELD = "yieldContinuation";
    private static final int ORIGINALS = 6;
    private static final int END_ROUNDS = 40;
    private static final int END_TRIES = 60;
    private static final long END_MILLIS = 50;
    private static final List<String> REWRITTEN = List.of(RUNTIME, SIGNAL, THREAD, VIRTUAL_THREAD);

    private static final Redirections REDIRECTIONS = new Redirections(InterceptedCalls.NAME)
        .add(SHUTDOWN, "exit", OF_INT, Redirection.ofStatic("exit", OF_INT))
        .add(SHUTDOWN, "halt", OF_INT, Redirection.ofStatic("halt", OF_INT))
        .add(SIGNAL, "raise0", OF_INT, Redirection.ofStatic("raise", OF_INT))
        .add(THREAD, "start0", "()V", Redirection.ofVirtual(THREAD, "startPlatform", "()V"))
        .add(VIRTUAL_THREAD, SUBMIT, "()V", Redirection.ofVirtual(THREAD, "startVirtual", "()V"))
        .add(VIRTUAL_THREAD, YIELD, "()Z", Redirection.ofVirtual(THREAD, "yieldVirtual", "()Z"));

    private static final ObjIntConsumer<String> ENDS = ExitInterceptor::intercept;
    private static final Consumer<Thread> STARTS = ThreadStartInterceptor::intercept;
    private static final Consumer<Thread> WAITS = RankEnding::intercept;
    /** The number of starts without a stop. */
    private static int users;
    /** Whether interceptors were added, or cannot be. */
    private static boolean isTried;

    private JvmGuard() {}

    /**
     * Begins a use of the guard, which {@link #await} puts in place. Each start needs a {@link #stop}.
     *
     * @param modules returns the name and version of the module whose classes a loader defines; null for other loaders
     */
    public static synchronized void start(final Function<ClassLoader, @Nullable String> modules) {
        ExitInterceptor.setModules(modules);
        users++;
    }

    /** Puts the guard in place, unless it is or cannot be. Has no effect when it was not started. */
    public static synchronized void await() {
        if (users > 0 && !isTried) {
            isTried = true;
            install();
        }
    }

    /** Ends a use of the guard. After the last one, calls are not intercepted any more. */
    public static synchronized void stop() {
        if (--users > 0) {
            return;
        }
        ExitInterceptor.setModules(loader -> null);
        if (isTried) {
            isTried = false;
            remove();
        }
    }

    /**
     * Ends a thread that runs code of a module and does not end by itself: interrupts it and makes it throw an error. Waits for two seconds at most,
     * and only interrupts where the JVM does not grant access. For threads that a caller has started for that code alone.
     */
    public static void end(final Thread thread) throws InterruptedException {
        for (int i = 0; i < END_ROUNDS && thread.isAlive(); i++) {
            thread.interrupt();
            ThreadStopper.stop(List.of(thread), RankExitError.INSTANCE, SafeStopPoint.IN_JDK, END_TRIES);
            thread.join(END_MILLIS);
        }
    }

    /** Returns whether the guard is in place. */
    static synchronized boolean isInPlace() {
        return users > 0 && isTried && JvmAccess.find() != null;
    }

    private static void install() {
        final JvmAccess access = JvmAccess.find();
        if (access == null) {
            return;
        }
        try {
            final Lookup lookup = access.lookup();
            if (!isDefined(lookup)) {
                rewrite(access);
            }
            copy(lookup, "add").invoke(ENDS, STARTS, WAITS);
        } catch (final Throwable e) {
            LOG.warn("a program or module may end this JVM: methods of this JDK cannot be intercepted", e);
        }
    }

    private static void remove() {
        final JvmAccess access = JvmAccess.find();
        try {
            if (access != null && isDefined(access.lookup())) {
                copy(access.lookup(), "remove").invoke(ENDS, STARTS, WAITS);
            }
        } catch (final Throwable e) {
            LOG.warn("interceptors cannot be removed", e);
        }
    }

    private static boolean isDefined(final Lookup lookup) throws IllegalAccessException {
        try {
            lookup.findClass(name(InterceptedCalls.NAME));
            return true;
        } catch (final ClassNotFoundException e) {
            return false;
        }
    }

    private static void rewrite(final JvmAccess access) throws Throwable {
        final Lookup lookup = access.lookup();
        final Map<Class<?>, byte[]> rewritten = new LinkedHashMap<>();
        for (final String name : REWRITTEN) {
            final byte[] original = file(Object.class, name);
            final byte[] changed = ClassRewriter.rewrite(original, REDIRECTIONS);
            if (changed == original) {
                throw new IllegalStateException("class of the JDK uses none of the members: class=" + name);
            }
            rewritten.put(lookup.findClass(name(name)), changed);
        }
        lookup.in(Runtime.class).defineClass(ClassRewriter.publish(file(InterceptedCalls.class, InterceptedCalls.class.getName().replace('.', '/')),
            InterceptedCalls.NAME));
        final Class<?> shutdown = lookup.findClass(name(SHUTDOWN));
        final MethodType ofInt = MethodType.methodType(void.class, int.class);
        final MethodType ofThread = MethodType.methodType(void.class, Thread.class);
        final MethodType none = MethodType.methodType(void.class);
        final Class<?> virtual = lookup.findClass(name(VIRTUAL_THREAD));
        copy(lookup, "setOriginals", Collections.nCopies(ORIGINALS, MethodHandle.class).toArray(Class<?>[]::new)).invoke(
            lookup.findStatic(shutdown, "exit", ofInt), lookup.findStatic(shutdown, "halt", ofInt),
            lookup.findStatic(lookup.findClass(name(SIGNAL)), "raise0", ofInt), lookup.findVirtual(Thread.class, "start0", none),
            lookup.findVirtual(virtual, SUBMIT, none).asType(ofThread),
            lookup.findVirtual(virtual, YIELD, MethodType.methodType(boolean.class)).asType(MethodType.methodType(boolean.class, Thread.class)));
        access.redefine(rewritten);
    }

    /** Returns a method of the copy of {@link InterceptedCalls} that adds or removes interceptors. */
    private static MethodHandle copy(final Lookup lookup, final String method) throws ReflectiveOperationException {
        return copy(lookup, method, ObjIntConsumer.class, Consumer.class, Consumer.class);
    }

    private static MethodHandle copy(final Lookup lookup, final String method, final Class<?>... parameters) throws ReflectiveOperationException {
        return lookup.findStatic(lookup.findClass(name(InterceptedCalls.NAME)), method, MethodType.methodType(void.class, parameters));
    }

    private static byte[] file(final Class<?> neighbour, final String internalName) throws IOException {
        try (InputStream in = neighbour.getResourceAsStream("/" + internalName + ".class")) {
            if (in == null) {
                throw new IOException("class file is missing: class=" + internalName);
            }
            return in.readAllBytes();
        }
    }

    private static String name(final String internalName) {
        return internalName.replace('/', '.');
    }
}
