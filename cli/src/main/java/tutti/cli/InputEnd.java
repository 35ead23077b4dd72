package tutti.cli;

import java.io.IOException;
import java.io.OutputStream;
import org.slf4j.LoggerFactory;
import tutti.daemon.node.ExitStatus;

/**
 * The end of this JVM's standard input, by which a node learns that the run that started it is over, however that ended. The JVM watches
 * its input before it does anything else: a start takes seconds on a busy machine, and a node that nobody needs any more must not finish it.
 *
 * <p>Thread-safe. The action runs on the watching thread.
 */
final class InputEnd {
    private static Runnable action = () -> Runtime.getRuntime().halt(ExitStatus.OK);

    private InputEnd() {}

    /** Starts to watch the input. At its end the JVM halts, or runs the action of {@link #onEnd}. */
    static void watch() {
        Thread.ofPlatform().daemon().name("tutti-input").start(() -> {
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (final IOException e) {
                LoggerFactory.getLogger(InputEnd.class).debug("standard input failed, which counts as its end", e);
            }
            run();
        });
    }

    /** Sets the action at the end of the input. An end before this call halts the JVM, so that this call does not return. */
    static synchronized void onEnd(final Runnable r) {
        action = r;
    }

    private static synchronized void run() {
        action.run();
    }
}
