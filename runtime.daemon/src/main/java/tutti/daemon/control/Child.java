package tutti.daemon.control;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.child.ChildProcess;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.transport.Link;

/**
 * JVM that this node has started for the ranks of a job, with its link: first idle, then of one part of a job until it ends. Safe for any thread.
 */
final class Child implements ChannelReceiver {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SECRET_BYTES = 32;
    private static final Duration START_LIMIT = Duration.ofSeconds(110);
    /** How long a process may outlive its link, and frames may arrive after the process has ended. */
    private static final long GRACE_SECONDS = 2;

    private final String secret;
    private final CompletableFuture<ControlChannel> linked = new CompletableFuture<>();
    private final CompletableFuture<String> closed = new CompletableFuture<>();
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    private ChildProcess process;
    private boolean isEnding;
    private boolean isWarm;
    private volatile ChannelReceiver part;
    /** Why the link of a process that lived was lost; null while it is not. */
    private volatile String lost;

    /** Creates a child that has no process yet. */
    Child() {
        final byte[] bytes = new byte[SECRET_BYTES];
        RANDOM.nextBytes(bytes);
        secret = HexFormat.of().formatHex(bytes);
    }

    /** Returns what the process shows when it opens its link. */
    String secret() {
        return secret;
    }

    /** Sets the process. */
    void started(final ChildProcess of) {
        final boolean end;
        synchronized (this) {
            process = of;
            end = isEnding;
        }
        of.ended().thenAccept(exit -> {
            final String reason = lost == null ? exit : "it did not answer, and was killed: " + lost;
            linked.completeExceptionally(new IOException(reason));
            final CompletionStage<String> all = linked.isCompletedExceptionally() ? CompletableFuture.completedFuture("")
                : closed.copy().completeOnTimeout("", GRACE_SECONDS, TimeUnit.SECONDS);
            all.thenRun(() -> ended.complete(reason));
        });
        final CompletionStage<String> unlinked = closed;
        unlinked.thenAcceptAsync(reason -> {
            if (of.isAlive()) {
                lost = reason;
                of.end();
            }
        }, CompletableFuture.delayedExecutor(GRACE_SECONDS, TimeUnit.SECONDS));
        if (end) {
            of.end();
        }
    }

    /** Notifies that there is no process. */
    void failed(final String reason) {
        linked.completeExceptionally(new IOException(reason));
        ended.complete(reason);
    }

    /** Takes the link of the process. */
    ControlChannel link(final Link link) {
        final ControlChannel channel = ControlChannel.open(c -> this).attach(link);
        linked.complete(channel);
        return channel;
    }

    /** Waits until the process can run a part. */
    void await() throws IOException, InterruptedException {
        try {
            linked.get(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (final ExecutionException e) {
            throw new IOException(Protocol.oneLine(e), e);
        } catch (final TimeoutException e) {
            end();
            throw new IOException("it did not start within " + START_LIMIT.toSeconds() + " s", e);
        }
    }

    /** Gives the child to a part, which receives what it sends. */
    void give(final ChannelReceiver to) {
        part = to;
    }

    /** Returns whether the process is ready and was not told to warm up; from then on it was. */
    synchronized boolean begins() {
        final boolean begins = linked.isDone() && !linked.isCompletedExceptionally() && !isWarm;
        isWarm |= begins;
        return begins;
    }

    /** Returns the channel of a child that {@link #await} has waited for. */
    ControlChannel channel() {
        return linked.join();
    }

    /** Returns a stage that completes when the process can run a part. */
    CompletionStage<ControlChannel> linked() {
        return linked.minimalCompletionStage();
    }

    /** Returns a stage that completes with the reason when the process has ended and all that it sent has been received. */
    CompletionStage<String> ended() {
        return ended.minimalCompletionStage();
    }

    /** Returns whether the process has ended, or is about to. */
    synchronized boolean isOver() {
        return isEnding || ended.isDone() || closed.isDone();
    }

    /** Returns the id of the process, for messages. */
    synchronized String pid() {
        return process == null ? "none" : Long.toString(process.pid());
    }

    /** Kills the process. Idempotent; does not block. */
    void end() {
        final ChildProcess running;
        synchronized (this) {
            isEnding = true;
            running = process;
        }
        if (running != null) {
            running.end();
        }
    }

    private ChannelReceiver part() {
        final ChannelReceiver current = part;
        if (current == null) {
            throw new IllegalStateException("a JVM without a job sent a report: pid=" + pid());
        }
        return current;
    }

    @Override
    public void message(final Message message) {
        part().message(message);
    }

    @Override
    public void output(final int rank, final boolean error, final byte[] bytes) {
        part().output(rank, error, bytes);
    }

    @Override
    public void trace(final int rank, final byte[] bytes) {
        part().trace(rank, bytes);
    }

    @Override
    public void report(final InterceptorReport.Piece piece) {
        part().report(piece);
    }

    @Override
    public void inputCredit(final int bytes) {
        part().inputCredit(bytes);
    }

    @Override
    public void closed(final String reason) {
        closed.complete(reason);
    }
}
