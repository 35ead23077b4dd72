package tutti.daemon.part;

import java.io.IOException;
import java.io.InputStream;
import java.io.StreamCorruptedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.launch.OutputPiece;
import tutti.runtime.process.owner.RankOutcome;

/** Relay of what a part puts out in a job JVM, to the output of the part on the node. */
final class JvmRelay {
    private static final Logger LOG = LoggerFactory.getLogger(JvmRelay.class);
    /** How long the last output may take to be passed on when the JVM has ended. */
    private static final Duration DRAIN = Duration.ofSeconds(2);

    private final PartOutput output;
    private final Ends ends;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    /** The thread that passes on; null while there is none. Guarded by this object. */
    private @Nullable Thread thread;

    /** Receives the ends that are in the output, in its order. Methods do not block. */
    interface Ends {
        /** Notifies that a rank has ended. */
        void rankEnded(int rank, RankOutcome end);

        /** Notifies that the part has ended. */
        void partEnded();

        /** Notifies that the output cannot be read: ends may be lost. */
        void broken(Exception reason);
    }

    JvmRelay(final PartOutput output, final Ends ends) {
        this.output = output;
        this.ends = ends;
    }

    /** Passes on all output. Blocks while the coordinator does not read it. What cannot be passed on in time is dropped. */
    void passOn(final InputStream from) {
        synchronized (this) {
            thread = Thread.currentThread();
        }
        boolean isPassedOn = true;
        try {
            for (OutputPiece piece = OutputPiece.read(from); piece != null; piece = OutputPiece.read(from)) {
                switch (piece.kind()) {
                    case RANK_ENDED -> ends.rankEnded(piece.rank(), piece.value(RankOutcome.class));
                    case PART_ENDED -> ends.partEnded();
                    default -> isPassedOn = isPassedOn && pass(piece);
                }
            }
        } catch (final StreamCorruptedException | RuntimeException e) {
            ends.broken(e);
        } catch (final IOException e) {
            LOG.debug("output of a JVM has ended", e);
        } finally {
            synchronized (this) {
                thread = null;
            }
            drained.complete(null);
        }
    }

    private boolean pass(final OutputPiece piece) {
        try {
            output.put(piece);
            return true;
        } catch (final InterruptedException e) {
            LOG.debug("output is not passed on any more", e);
            return false;
        }
    }

    /** Waits until what the JVM, which has ended, has put out is passed on, and drops what is not after a while. */
    void finish() {
        synchronized (this) {
            if (thread == null) {
                return;
            }
        }
        final CompletableFuture<Void> late = drained.copy().orTimeout(DRAIN.toMillis(), TimeUnit.MILLISECONDS);
        late.exceptionally(e -> {
            synchronized (this) {
                if (thread != null) {
                    thread.interrupt();
                }
            }
            return null;
        });
        drained.join();
    }
}
