package tutti.daemon.modules;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tutti.daemon.protocol.Protocol;

/** Execution of a bundle's code with a time limit, on a thread that is not reused. */
final class TimeLimit {
    private static final long GRACE_SECONDS = 1;

    private TimeLimit() {}

    /**
     * Runs code and waits for its result.
     *
     * @param what name of the action, for messages
     * @throws IOException when the code fails, or does not return in time; then it was interrupted, and may still run
     */
    static <T> T call(final String what, final Duration limit, final Callable<T> code) throws IOException, InterruptedException {
        final FutureTask<T> task = new FutureTask<>(code);
        final Thread thread = new Thread(null, task, "tutti-module", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        thread.start();
        try {
            return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (final ExecutionException e) {
            throw new IOException(what + " failed: " + reason(e.getCause()), e.getCause());
        } catch (final TimeoutException e) {
            thread.interrupt();
            thread.join(TimeUnit.SECONDS.toMillis(GRACE_SECONDS));
            throw new IOException(what + " did not end within " + limit.toSeconds() + " s"
                + (thread.isAlive() ? "; it continues until the daemon is restarted" : ""), e);
        }
    }

    private static String reason(final Throwable e) {
        final Throwable cause = e.getCause();
        final String text = Protocol.oneLine(e);
        return cause == null || text.contains(String.valueOf(cause.getMessage())) ? text : text + ": " + Protocol.oneLine(cause);
    }
}
