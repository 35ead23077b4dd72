package tutti.runtime.process;

import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;

/**
 * The methods that the JDK calls, once its classes are rewritten, instead of those that end the JVM, that start a thread or that make a virtual
 * thread wait. Each asks the interceptors, which may throw, and then calls the original. Without interceptors, everything is as in a JVM that was
 * never changed.
 *
 * <p>{@link JvmGuard} defines a copy of this class as {@link #NAME}, public and in a package of the JDK: the loader of the JDK finds no class of a
 * bundle. There is one copy in a JVM, whatever the number of containers. It refers to no class outside the JDK, and has neither lambdas nor
 * nested classes.
 *
 * <p><b>Threads.</b> The originals are set before a class of the JDK is rewritten. The arrays of interceptors are volatile and never changed;
 * methods that replace them hold the lock of the class.
 */
@SuppressWarnings({"unchecked", "unused"}) // arrays of functions; used by code that is made at run time
final class InterceptedCalls {
    /** Internal name of the copy. */
    static final String NAME = "java/lang/InterceptedCalls";

    @SuppressWarnings("NullAway.Init") // setOriginals sets it
    private static MethodHandle exit;
    @SuppressWarnings("NullAway.Init") // setOriginals sets it
    private static MethodHandle halt;
    @SuppressWarnings("NullAway.Init") // setOriginals sets it
    private static MethodHandle raise;
    @SuppressWarnings("NullAway.Init") // setOriginals sets it
    private static MethodHandle startPlatform;
    @SuppressWarnings("NullAway.Init") // setOriginals sets it
    private static MethodHandle startVirtual;
    @SuppressWarnings("NullAway.Init") // setOriginals sets it
    private static MethodHandle yieldVirtual;
    private static volatile Object[] ends = {};
    private static volatile Object[] starts = {};
    private static volatile Object[] waits = {};

    private InterceptedCalls() {}

    /** Sets the original methods. */
    static synchronized void setOriginals(final MethodHandle exiting, final MethodHandle halting, final MethodHandle raising,
        final MethodHandle startingPlatform, final MethodHandle startingVirtual, final MethodHandle yieldingVirtual) {
        exit = exiting;
        halt = halting;
        raise = raising;
        startPlatform = startingPlatform;
        startVirtual = startingVirtual;
        yieldVirtual = yieldingVirtual;
    }

    /** Adds interceptors: of ends, by the name of the method and its argument, of threads that are started, and of virtual threads that will wait. */
    static synchronized void add(final ObjIntConsumer<String> end, final Consumer<Thread> start, final Consumer<Thread> wait) {
        ends = with(ends, end);
        starts = with(starts, start);
        waits = with(waits, wait);
    }

    /** Removes interceptors. */
    static synchronized void remove(final ObjIntConsumer<String> end, final Consumer<Thread> start, final Consumer<Thread> wait) {
        ends = without(ends, end);
        starts = without(starts, start);
        waits = without(waits, wait);
    }

    private static Object[] with(final Object[] array, final Object added) {
        final Object[] result = Arrays.copyOf(array, array.length + 1);
        result[array.length] = added;
        return result;
    }

    private static Object[] without(final Object[] array, final Object removed) {
        final Object[] result = new Object[array.length];
        int length = 0;
        for (final Object element : array) {
            if (element != removed) {
                result[length++] = element;
            }
        }
        return Arrays.copyOf(result, length);
    }

    /** Replaces the method that {@link Runtime#exit} calls. */
    public static void exit(final int status) throws Throwable {
        ending("exit", status);
        exit.invokeExact(status);
    }

    /** Replaces the method that {@link Runtime#halt} calls. */
    public static void halt(final int status) throws Throwable {
        ending("halt", status);
        halt.invokeExact(status);
    }

    /** Replaces the method that raises a signal of this process. */
    public static void raise(final int signal) throws Throwable {
        ending("raise", signal);
        raise.invokeExact(signal);
    }

    private static void ending(final String method, final int argument) {
        for (final Object end : ends) {
            ((ObjIntConsumer<String>) end).accept(method, argument);
        }
    }

    /** Replaces the method that starts a platform thread. */
    public static void startPlatform(final Thread thread) throws Throwable {
        pass(thread, starts);
        startPlatform.invokeExact(thread);
    }

    /** Replaces the method that starts a virtual thread. */
    public static void startVirtual(final Thread thread) throws Throwable {
        pass(thread, starts);
        startVirtual.invokeExact(thread);
    }

    /** Replaces the method by which a virtual thread leaves its carrier in order to wait. */
    public static boolean yieldVirtual(final Thread thread) throws Throwable {
        pass(thread, waits);
        return (boolean) yieldVirtual.invokeExact(thread);
    }

    private static void pass(final Thread thread, final Object[] interceptors) {
        for (final Object interceptor : interceptors) {
            ((Consumer<Thread>) interceptor).accept(thread);
        }
    }
}
