package tutti.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.security.ClusterSecret;

/**
 * The standard input of a node that a run has started. Its first line is the secret of the cluster, which thus appears on no command line. Lines that
 * follow are signs of life of the run. By the end of the input the node learns that the run is over, however that ended; by its silence, that the
 * network to the run is cut, or the run is stopped. The JVM watches its input before it does anything else: a start takes seconds on a busy machine,
 * and a node that nobody needs any more must not finish it.
 *
 * <p>A launcher on the same machine need not send signs of life, since the system ends the input with the launcher: silence counts after the first.
 *
 * <p>Thread-safe. The action runs on a watching thread.
 */
final class InputEnd {
    private static final Logger LOG = LoggerFactory.getLogger(InputEnd.class);
    /** Time between two signs of life. */
    private static final Duration PERIOD = Duration.ofSeconds(5);
    /** Time between two looks at the input. Silence is counted in these, so that a node which was stopped itself does not take that for silence. */
    private static final Duration TICK = Duration.ofSeconds(1);
    /** Ticks without a sign of life after which the run is over. */
    private static final int SILENT_TICKS = 120;
    private static final int MAX_LINE = 200;
    private static Runnable action = () -> Runtime.getRuntime().halt(ExitStatus.OK);
    private static final CompletableFuture<String> FIRST_LINE = new CompletableFuture<>();

    private InputEnd() {}

    /** Sends the secret of the cluster to a node, whose standard input this stream is, and then signs of life until the stream is closed. */
    static void send(final OutputStream input, final ClusterSecret secret) throws IOException {
        write(input, secret.text() + "\n\n");
        Thread.ofVirtual().name("tutti-held").start(() -> {
            try {
                while (true) {
                    Thread.sleep(PERIOD);
                    write(input, "\n");
                }
            } catch (final IOException e) {
                LOG.debug("input of a node is closed", e);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private static void write(final OutputStream input, final String text) throws IOException {
        input.write(text.getBytes(StandardCharsets.US_ASCII));
        input.flush();
    }

    /** Returns the secret of the cluster. Waits for it. */
    static ClusterSecret secret() {
        return ClusterSecret.parse(FIRST_LINE.join());
    }

    /** Starts to watch the input. At its end or silence the JVM halts, or runs the action of {@link #onEnd}. */
    static void watch() {
        Thread.ofPlatform().daemon().name("tutti-input").start(() -> watch(System.in, TICK, InputEnd::run));
    }

    /** Watches an input, which may be that of this process, until it ends or is silent; then calls {@code end}. */
    static void watch(final InputStream in, final Duration tick, final Runnable end) {
        final AtomicLong signs = new AtomicLong();
        try {
            FIRST_LINE.complete(line(in));
            for (int c = in.read(); c >= 0; c = in.read()) {
                if (signs.getAndIncrement() == 0) {
                    Thread.ofPlatform().daemon().name("tutti-silence").start(() -> awaitSilence(signs, tick, end));
                }
            }
        } catch (final IOException e) {
            LOG.debug("standard input failed, which counts as its end", e);
        }
        end.run();
    }

    private static void awaitSilence(final AtomicLong signs, final Duration tick, final Runnable end) {
        long seen = 0;
        int silent = 0;
        try {
            while (silent < SILENT_TICKS) {
                Thread.sleep(tick);
                final long now = signs.get();
                silent = now == seen ? silent + 1 : 0;
                seen = now;
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        // Cause: `run --hosts`, `start` or a run in Slurm [holds](hosts.md#by-ssh) the node. Remedy: look at the network; do not suspend the command.
        LOG.warn("node ends: the command that started it was not heard for {} s: it is stopped, or the network to it is cut",
            TICK.multipliedBy(SILENT_TICKS).toSeconds());
        end.run();
    }

    private static String line(final InputStream in) throws IOException {
        final StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\n' && line.length() < MAX_LINE; c = in.read()) {
            line.append((char) c);
        }
        return line.toString();
    }

    /** Sets the action at the end of the input. An end before this call halts the JVM, so that this call does not return. */
    static synchronized void onEnd(final Runnable r) {
        action = r;
    }

    private static synchronized void run() {
        action.run();
    }
}
