package tutti.runtime.process.stop;

import java.lang.Thread.State;
import java.util.Set;

/**
 * The points of execution at which a thread may be made to throw, decided by the thread's stack. A thread is never stopped inside the runtime,
 * nor inside an operation on shared state that would be left incomplete.
 */
public enum SafeStopPoint {
    /** Allows to stop a thread in the program's own code, or while it waits. */
    IN_PROGRAM,
    /** Allows to stop a thread also in code of the JDK that the program called. */
    IN_JDK,
    /** Never allows to stop a thread. */
    NOWHERE;

    private static final String RUNTIME = "tutti.";
    /**
     * The classes of the runtime that a program enters by calls of the JDK, and that change nothing: a program that calls them for ever is stopped
     * there.
     */
    private static final Set<String> ENTRIES = Set.of("tutti.runtime.process.RankSystem", "tutti.runtime.process.ExitInterceptor",
        "tutti.runtime.process.ThreadStartInterceptor");
    private static final String INITIALIZER = "<clinit>";
    /** The code that loads and links classes, which must not be interrupted half-way. */
    private static final String[] UNSAFE_CLASSES = {"java.lang.ClassLoader", "jdk.internal.loader.", "java.lang.invoke.MethodHandleNatives"};

    /**
     * Returns whether a thread may be stopped.
     *
     * @param stack the stack of the thread, the innermost frame first
     * @param state the state of the thread
     */
    boolean allows(final StackTraceElement[] stack, final State state) {
        if (this == NOWHERE || stack.length == 0) {
            return false;
        }
        final int outermost = outermostOfProgram(stack);
        for (int i = outermost; i >= 0; i--) {
            if (isRuntime(stack[i]) || isUnsafe(stack[i])) {
                return false;
            }
        }
        return outermost >= 0 && !isJdk(stack[0]) || this == IN_JDK || state == State.WAITING || state == State.TIMED_WAITING;
    }

    /**
     * Returns the index of the outermost frame of the program. The frames that called it belong to the runtime and the JDK. Without a frame of
     * the program, returns the outermost frame of all.
     */
    private static int outermostOfProgram(final StackTraceElement[] stack) {
        for (int i = stack.length - 1; i >= 0; i--) {
            if (!isJdk(stack[i]) && !isRuntime(stack[i])) {
                return i;
            }
        }
        return stack.length - 1;
    }

    private static boolean isRuntime(final StackTraceElement frame) {
        return frame.getClassName().startsWith(RUNTIME) && (INITIALIZER.equals(frame.getMethodName()) || !ENTRIES.contains(frame.getClassName()));
    }

    private static boolean isUnsafe(final StackTraceElement frame) {
        if (!isJdk(frame)) {
            return false;
        }
        for (final String prefix : UNSAFE_CLASSES) {
            if (frame.getClassName().startsWith(prefix)) {
                return true;
            }
        }
        return INITIALIZER.equals(frame.getMethodName());
    }

    private static boolean isJdk(final StackTraceElement frame) {
        return frame.getModuleName() != null;
    }
}
