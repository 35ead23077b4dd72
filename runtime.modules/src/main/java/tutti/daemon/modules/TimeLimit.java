package tutti.daemon.modules;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import tutti.coll.tck.limit.CpuLimit;
import tutti.daemon.protocol.Protocol;

/** Execution of a bundle's code with a limit of its processor time, on a thread that is not reused. */
final class TimeLimit {
    /** Time that an interrupted action has to end before the message says that it continues. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private TimeLimit() {}

    /**
     * Runs code and waits for its result.
     *
     * @param what name of the action, for messages
     * @throws IOException when the code fails, or reaches the limit; then it was interrupted, and may still run
     */
    static <T extends @Nullable Object> T call(final String what, final Callable<T> code) throws IOException, InterruptedException {
        final FutureTask<T> task = new FutureTask<>(code);
        final CpuLimit cpu = new CpuLimit("tutti-module", CpuLimit.ACTION);
        final Thread thread = cpu.start("tutti-module", task);
        final CpuLimit.Verdict verdict = cpu.await(thread::join);
        if (verdict != CpuLimit.Verdict.ENDED) {
            thread.interrupt();
            // Cause: a module waits in its activator or deactivator, or computes without end. Remedy: correct it.
            throw new IOException(what + " did not end within " + cpu.text(verdict)
                + (thread.join(GRACE) ? "" : "; it continues until the daemon is restarted"));
        }
        try {
            return task.get();
        } catch (final ExecutionException e) {
            // Cause: a module's activator or deactivator threw an exception; or a module's activator or deactivator threw an exception, with its
            // cause. Remedy: correct it.
            throw new IOException(what + " failed: " + reason(e.getCause()), e.getCause());
        }
    }

    private static String reason(final @Nullable Throwable failure) {
        final Throwable e = failure == null ? new IOException() : failure;
        final Throwable cause = e.getCause();
        final String text = Protocol.oneLine(e);
        return cause == null || text.contains(String.valueOf(cause.getMessage())) ? text : text + ": " + Protocol.oneLine(cause);
    }
}
