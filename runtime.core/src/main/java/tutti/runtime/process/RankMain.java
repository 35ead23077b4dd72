package tutti.runtime.process;

import tutti.runtime.job.RankOutcome;
import tutti.runtime.job.RankOutcome.Kind;

/** The main thread of a rank: loads the program, runs it, waits for its other threads as a JVM does, and says how it ended. */
final class RankMain implements Runnable {
    private static final int FAILURE = 1;

    private final RankProcess process;
    private final RankProgram program;
    private RankLoader loader;
    private final RankHooks hooks;

    RankMain(final RankProcess process, final RankProgram program, final RankLoader loader, final RankHooks hooks) {
        this.process = process;
        this.program = program;
        this.loader = loader;
        this.hooks = hooks;
    }

    @Override
    public void run() {
        try {
            if (!process.isDecided()) {
                live();
            }
        } finally {
            // whoever still holds the thread, the container's table of class loading for one, holds no program by it
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
            fail(e.getMessage());
        } catch (final Throwable e) {
            // an exit that went astray within another exception was decided before
            fail(process.isDecided() ? "" : StackText.of(e));
        }
    }

    private void fail(final String text) {
        process.decide(new RankOutcome(Kind.FAILED, FAILURE, text), true);
    }

    private Class<?> mainClass() throws ProgramException {
        final String name = program.mainClass();
        try {
            return Class.forName(name, false, loader);
        } catch (final ClassNotFoundException e) {
            throw new ProgramException("main class not found: class=" + name + ", class path=" + loader.image().classPath()
                + (e.getCause() == null ? "" : ", reason=" + e.getCause()));
        } catch (final LinkageError e) {
            throw new ProgramException("main class cannot be loaded: class=" + name + ", reason=" + e);
        }
    }
}
