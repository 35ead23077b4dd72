package tutti.daemon.part;

import java.io.IOException;
import java.io.InputStream;
import java.io.StreamCorruptedException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.launch.OutputPiece;
import tutti.runtime.checkpoint.store.CheckpointReport;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.CanaryReport;
import tutti.runtime.job.ReplacementRequest;
import tutti.runtime.module.ModuleId;
import tutti.runtime.process.owner.RankOutcome;

/** Listener of the part in a job JVM: passes its reports to the coordinator, and what it puts out to the output of the part on the node. */
final class JvmRelay implements PartListener {
    private static final Logger LOG = LoggerFactory.getLogger(JvmRelay.class);
    /** How long the last output may take to be passed on when the JVM has ended. */
    private static final long DRAIN_SECONDS = 2;

    private final JvmPart part;
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    /** The thread that passes on; null while there is none. Guarded by this object. */
    private @Nullable Thread thread;

    JvmRelay(final JvmPart part) {
        this.part = part;
    }

    /** Passes on all output. Blocks while the coordinator does not read it. What cannot be passed on in time is dropped. */
    @Override
    public CompletionStage<Void> output(final InputStream from) {
        synchronized (this) {
            thread = Thread.currentThread();
        }
        boolean isPassedOn = true;
        try {
            for (OutputPiece piece = OutputPiece.read(from); piece != null; piece = OutputPiece.read(from)) {
                switch (piece.kind()) {
                    case RANK_ENDED -> part.rankEnded(piece.rank(), piece.value(RankOutcome.class));
                    case PART_ENDED -> part.partEnded();
                    default -> isPassedOn = isPassedOn && pass(piece);
                }
            }
        } catch (final StreamCorruptedException | RuntimeException e) {
            // ends may be lost
            part.failed(e);
        } catch (final IOException e) {
            LOG.debug("output of a JVM has ended", e);
        } finally {
            synchronized (this) {
                thread = null;
            }
            drained.complete(null);
        }
        return CompletableFuture.completedStage(null);
    }

    private boolean pass(final OutputPiece piece) {
        try {
            part.output().put(piece);
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
        drained.copy().completeOnTimeout(null, DRAIN_SECONDS, TimeUnit.SECONDS).join();
        synchronized (this) {
            if (thread != null) {
                thread.interrupt();
            }
        }
        drained.join();
    }

    @Override
    public CompletionStage<byte[]> input() {
        return part.listener().input();
    }

    @Override
    public CompletionStage<List<Integer>> replace(final ReplacementRequest request) {
        throw new IllegalStateException("the node asks for the ranks");
    }

    @Override
    public CompletionStage<Void> inFinalize(final int rank) {
        throw new IllegalStateException("the node asks for the ranks");
    }

    @Override
    public void failed(final int status, final String text) {
        part.listener().failed(status, text);
        part.endLater();
    }

    @Override
    public void jvmLost(final String reason) {
        // Cause: a breach of the protocol by a job JVM, for example a program that reaches into the runtime. Remedy: look at the program.
        throw new IllegalStateException("the node watches its JVMs");
    }

    @Override
    public void nodeLost(final int node, final String reason) {
        part.listener().nodeLost(node, reason);
    }

    @Override
    public void checkpointed(final CheckpointReport report) {
        part.listener().checkpointed(report);
    }

    @Override
    public void released(final List<ModuleId> kept) {
        part.released(kept);
    }

    @Override
    public void tried(final CanaryReport report) {
        part.listener().tried(report);
    }

    @Override
    public void tuned(final List<CallTuning> found) {
        part.listener().tuned(found);
    }

    @Override
    public void spawned() {
        throw new IllegalStateException("the node starts the jobs that ranks spawn");
    }
}
