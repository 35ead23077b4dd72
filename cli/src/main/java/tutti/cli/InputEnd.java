package tutti.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.slf4j.LoggerFactory;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.security.ClusterSecret;

/**
 * The standard input of a node that a run has started. Its first line is the secret of the cluster, which thus appears on no command line. By its
 * end the node learns that the run is over, however that ended. The JVM watches
 * its input before it does anything else: a start takes seconds on a busy machine, and a node that nobody needs any more must not finish it.
 *
 * <p>Thread-safe. The action runs on the watching thread.
 */
final class InputEnd {
    private static final int MAX_LINE = 200;
    private static Runnable action = () -> Runtime.getRuntime().halt(ExitStatus.OK);
    private static final CompletableFuture<String> FIRST_LINE = new CompletableFuture<>();

    private InputEnd() {}

    /** Sends the secret of the cluster to a node, whose standard input this stream is. */
    static void send(final OutputStream input, final ClusterSecret secret) throws IOException {
        input.write((secret.text() + "\n").getBytes(StandardCharsets.US_ASCII));
        input.flush();
    }

    /** Returns the secret of the cluster. Waits for it. */
    static ClusterSecret secret() {
        return ClusterSecret.parse(FIRST_LINE.join());
    }

    /** Starts to watch the input. At its end the JVM halts, or runs the action of {@link #onEnd}. */
    static void watch() {
        Thread.ofPlatform().daemon().name("tutti-input").start(() -> {
            try {
                FIRST_LINE.complete(line(System.in));
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (final IOException e) {
                LoggerFactory.getLogger(InputEnd.class).debug("standard input failed, which counts as its end", e);
            }
            run();
        });
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
