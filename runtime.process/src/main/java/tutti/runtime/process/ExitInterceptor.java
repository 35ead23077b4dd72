package tutti.runtime.process;

import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a call does that would end the JVM.
 *
 * <table>
 * <caption>By the caller, which is the innermost class on the stack that is not of the JDK</caption>
 * <tr><td>a program, or another class on a thread of a rank</td><td>the rank exits with that status</td></tr>
 * <tr><td>a module, on whichever thread</td><td>{@link ExitRefusedException}</td></tr>
 * <tr><td>none: a task of the JDK that leaves no trace of who made it</td><td>{@link ExitRefusedException}</td></tr>
 * <tr><td>another bundle, or the launcher of the container</td><td>the JVM ends</td></tr>
 * </table>
 *
 * <p>A signal from outside does not pass here. Safe for any thread.
 */
final class ExitInterceptor {
    private static final StackWalker WALKER = StackWalker.getInstance(Set.of(Option.RETAIN_CLASS_REFERENCE, Option.SHOW_HIDDEN_FRAMES));
    /** The signals that end a JVM: HUP, INT and TERM. */
    private static final Set<Integer> ENDING_SIGNALS = Set.of(1, 2, 15);
    private static final int SIGNAL_STATUS = 128;

    private static volatile Function<ClassLoader, @Nullable String> modules = loader -> null;

    private ExitInterceptor() {}

    /** Sets the function that returns the name of the module whose classes a loader defines. */
    static void setModules(final Function<ClassLoader, @Nullable String> names) {
        modules = names;
    }

    /**
     * Returns when the JVM shall end.
     *
     * @param method   {@code exit}, {@code halt} or {@code raise}
     * @param argument the status, or the number of the signal
     * @throws RankExitError when a rank exits
     * @throws ExitRefusedException when the caller may not end the JVM
     */
    static void intercept(final String method, final int argument) {
        final boolean isSignal = "raise".equals(method);
        if (isSignal && !ENDING_SIGNALS.contains(argument)) {
            return;
        }
        final ClassLoader caller = caller();
        final String module = caller == null ? null : nameOfModule(caller);
        if (module != null) {
            throw new ExitRefusedException("module must not end the JVM: module=" + module + ", method=" + method + ", argument=" + argument);
        }
        final RankProcess rank = rankOf(caller);
        if (rank != null) {
            throw rank.exit(isSignal ? SIGNAL_STATUS + argument : argument, !"halt".equals(method));
        }
        if (caller == null) {
            throw new ExitRefusedException("end of the JVM by an unknown caller: thread=" + Thread.currentThread().getName() + ", method=" + method
                + ", argument=" + argument);
        }
    }

    private static @Nullable RankProcess rankOf(final @Nullable ClassLoader caller) {
        final RankLoader loader = CurrentRank.loaderOf(caller);
        return loader != null && loader.process() != null ? loader.process() : CurrentRank.find();
    }

    private static @Nullable String nameOfModule(final ClassLoader caller) {
        for (ClassLoader at = caller; at != null; at = at.getParent()) {
            final String name = modules.apply(at);
            if (name != null) {
                return name;
            }
        }
        return null;
    }

    /** Returns the loader of the innermost class on the stack that is neither of the JDK nor of this package; null when there is none. */
    private static @Nullable ClassLoader caller() {
        return WALKER.walk(frames -> frames.map(StackFrame::getDeclaringClass).filter(Predicate.not(ExitInterceptor::isOwn))
            .filter(Predicate.not(ExitInterceptor::isJdk)).map(Class::getClassLoader).filter(Objects::nonNull).findFirst().orElse(null));
    }

    private static boolean isOwn(final Class<?> type) {
        return type == ExitInterceptor.class || type.getNestHost() == JvmGuard.class;
    }

    private static boolean isJdk(final Class<?> type) {
        return type.getClassLoader() == null || type.getModule().isNamed();
    }
}
