package tutti.runtime.process;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.owner.RankHooks;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.process.owner.RankOutcome.Kind;
import tutti.runtime.process.owner.RankProgram;

/** The task of a rank's main thread: loads the program, runs it, waits for its other threads as a JVM does, and decides the outcome. */
final class RankMain implements Runnable {
    private static final int FAILURE = 1;

    private final RankProcess process;
    private final RankProgram program;
    private final RankHooks hooks;
    /** Null when the thread is about to end. */
    private @Nullable RankLoader loader;

    RankMain(final RankProcess process, final RankProgram program, final RankLoader loader, final RankHooks hooks) {
        this.process = process;
        this.program = program;
        this.hooks = hooks;
        this.loader = loader;
    }

    @Override
    public void run() {
        try {
            if (!process.isDecided()) {
                live();
            }
        } finally {
            // the thread may still be referenced, for example by the container's table of class loading: drop its references to the program
            loader = null;
            Thread.currentThread().setContextClassLoader(null);
        }
    }

    private void live() {
        try {
            hooks.before();
            MainMethod.of(mainClass()).invoke(program.args());
            if (process.awaitOtherThreads()) {
                process.decide(hooks.after(new RankOutcome(Kind.RETURNED, 0, "")), true);
            }
        } catch (final ProgramException e) {
            fail(Objects.requireNonNull(e.getMessage(), "ProgramException has no message"));
        } catch (final Throwable e) {
            // an exit that the program wrapped in another exception was decided before
            fail(process.isDecided() ? "" : StackText.of(e));
        }
    }

    private void fail(final String text) {
        process.decide(new RankOutcome(Kind.FAILED, FAILURE, text), true);
    }

    private Class<?> mainClass() throws ProgramException {
        final String name = program.mainClass();
        final RankLoader from = Objects.requireNonNull(loader, "the main thread of the rank has ended");
        try {
            return Class.forName(name, false, from);
        } catch (final ClassNotFoundException e) {
            throw new ProgramException("main class not found: class=" + name + ", class path=" + from.classPath().paths()
                + (e.getCause() == null ? "" : ", reason=" + e.getCause()));
        } catch (final LinkageError e) {
            throw new ProgramException("main class cannot be loaded: class=" + name + ", reason=" + e);
        }
    }
}
