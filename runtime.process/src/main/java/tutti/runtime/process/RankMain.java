package tutti.runtime.process;

import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.process.owner.RankOutcome.Kind;
import tutti.runtime.process.owner.RankProgram;

/** The task of a rank's main thread: loads the program, runs it, waits for its other threads as a JVM does, and decides the outcome. */
final class RankMain implements Runnable {
    private static final int FAILURE = 1;

    private final RankProgram program;
    /** What the rank has in common with its job; null when the thread is about to end. */
    private @Nullable Membership membership;

    /** The process of the rank, and its class loader. */
    private record Membership(RankProcess process, RankLoader loader) {}

    RankMain(final RankProcess process, final RankLoader loader) {
        this.program = process.program();
        this.membership = new Membership(process, loader);
    }

    @Override
    public void run() {
        try {
            final Membership rank = Objects.requireNonNull(membership, "the main thread of the rank has ended");
            if (!rank.process().isDecided()) {
                live(rank);
            }
        } finally {
            // the thread may still be referenced, for example by the container's table of class loading: drop its references to program and job
            membership = null;
            Thread.currentThread().setContextClassLoader(null);
        }
    }

    private void live(final Membership rank) {
        final RankProcess process = rank.process();
        try {
            process.hooks().before();
            rank.loader().setAssertions(program.options().assertions());
            ModuleAccess.grant(program.options(), rank.loader());
            if (OneRankJvm.isBegun() && !program.options().agents().isEmpty()) {
                ProgramAgents.start(program.options().agents(), rank.loader().classPath());
            }
            JdbcDrivers.register(rank.loader());
            MainMethod.of(mainClass(rank.loader())).invoke(program.args());
            if (process.awaitOtherThreads()) {
                process.decide(process.hooks().after(new RankOutcome(Kind.RETURNED, 0, "")), true);
            }
        } catch (final ProgramException e) {
            fail(process, Objects.requireNonNull(e.getMessage(), "ProgramException has no message"));
        } catch (final Throwable e) {
            // an error after the end of the rank, as of a thread that was woken, is none of the program
            fail(process, process.isDecided() ? "" : SharedJvmErrors.describe(e));
        }
    }

    private static void fail(final RankProcess process, final String text) {
        process.decide(new RankOutcome(Kind.FAILED, FAILURE, text), true);
    }

    private Class<?> mainClass(final RankLoader from) throws ProgramException {
        final String name = program.mainClass();
        try {
            return Class.forName(name, false, from);
        } catch (final ClassNotFoundException e) {
            throw new ProgramException(
                "main class not found: class=" + name + ", class path=" + from.classPath().paths().stream().map(Path::getFileName).toList()
                    + (e.getCause() == null ? "" : ", reason=" + e.getCause()));
        } catch (final LinkageError e) {
            throw new ProgramException("main class cannot be loaded: class=" + name + ", reason=" + e);
        }
    }
}
