package tutti.runtime.process;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Formats the stack trace of an exception as text, for the user of a program. */
final class StackText {
    private static final String RUNTIME = "tutti.runtime.process.";

    private StackText() {}

    /** Returns the full trace, causes included, without the frames of the runtime that called the program. Changes the exceptions' traces. */
    static String of(final Throwable thrown) {
        try {
            trim(thrown, Collections.newSetFromMap(new IdentityHashMap<>()));
            final StringWriter text = new StringWriter();
            thrown.printStackTrace(new PrintWriter(text, true));
            return text.toString().stripTrailing();
        } catch (final Throwable e) {
            // printing an exception of the program may call code of the program, which failed
            return thrown.getClass().getName() + " (printing it failed: " + e.getClass().getName() + ")";
        }
    }

    private static void trim(final @Nullable Throwable thrown, final Set<Throwable> seen) {
        if (thrown == null || !seen.add(thrown)) {
            return;
        }
        final StackTraceElement[] stack = thrown.getStackTrace();
        final int kept = programFrames(stack);
        if (kept > 0 && kept < stack.length) {
            thrown.setStackTrace(Arrays.copyOf(stack, kept));
        }
        trim(thrown.getCause(), seen);
        for (final Throwable suppressed : thrown.getSuppressed()) {
            trim(suppressed, seen);
        }
    }

    /** Returns the number of frames without the outermost ones of the runtime and the JDK; all frames when the runtime is not among those. */
    private static int programFrames(final StackTraceElement[] stack) {
        int kept = stack.length;
        boolean isRuntime = false;
        while (kept > 0 && (stack[kept - 1].getModuleName() != null || stack[kept - 1].getClassName().startsWith(RUNTIME))) {
            kept--;
            isRuntime |= stack[kept].getModuleName() == null;
        }
        return isRuntime ? kept : stack.length;
    }
}
