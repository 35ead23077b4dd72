package tutti.runtime.process;

import java.lang.Thread.State;

/**
 * Decides by a thread's stack whether the thread may be made to throw where it is: not while it works within the runtime or within something
 * that it shares with others and would leave half done.
 */
enum SafeStopPoint {
    /** In the program's own code, or waiting. */
    IN_PROGRAM,
    /** Also in code of the JDK that the program called. */
    IN_JDK,
    /** Never. */
    NOWHERE;

    private static final String RUNTIME = "tutti.";
    /** Loading and linking of classes must not be torn. */
    private static final String[] UNTOUCHABLE = {"java.lang.ClassLoader", "jdk.internal.loader.", "java.lang.invoke.MethodHandleNatives"};

    /**
     * Whether to stop.
     *
     * @param stack of the thread, the innermost frame first
     * @param state of the thread
     */
    boolean allows(final StackTraceElement[] stack, final State state) {
        if (this == NOWHERE || stack.length == 0) {
            return false;
        }
        final int outermost = outermostOfProgram(stack);
        for (int i = outermost; i >= 0; i--) {
            if (isRuntime(stack[i]) || isUntouchable(stack[i])) {
                    return false;
            }
        }
        return outermost >= 0 && !isJdk(stack[0]) || this == IN_JDK || state == State.WAITING || state == State.TIMED_WAITING;
    }

    /** The frames below are those of the runtime and the JDK that called the program; without a program all frames count. */
    private static int outermostOfProgram(final StackTraceElement[] stack) {
        for (int i = stack.length - 1; i >= 0; i--) {
            if (!isJdk(stack[i]) && !isRuntime(stack[i])) {
                    return i;
            }
        }
        return stack.length - 1;
    }

    private static boolean isRuntime(final StackTraceElement frame) {
        return frame.getClassName().startsWith(RUNTIME);
    }

    private static boolean isUntouchable(final StackTraceElement frame) {
        if (!isJdk(frame)) {
            return false;
        }
        for (final String prefix : UNTOUCHABLE) {
            if (frame.getClassName().startsWith(prefix)) {
                    return true;
            }
        }
        return "<clinit>".equals(frame.getMethodName());
    }

    private static boolean isJdk(final StackTraceElement frame) {
        return frame.getModuleName() != null;
    }
}
