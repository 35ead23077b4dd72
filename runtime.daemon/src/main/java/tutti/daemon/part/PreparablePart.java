package tutti.daemon.part;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.checkpoints.JobCheckpoints;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.job.Replacement;

/** The part of a job on this node, which is made before it is prepared and can be cancelled from then on. Safe for any thread. */
public abstract class PreparablePart implements JobPart, TransportRegistry.User {
    private final PartListener listener;
    private final PartOutput output;
    private final PartSupport support;
    private final Path folder;
    private final SpawnedJobs spawned;
    /** Null before it is prepared. Guarded by this object, as the following fields. */
    private @Nullable Preparation order;
    private @Nullable JobSpec spec;
    /** Null before they are opened, and where the node has them. */
    private @Nullable JobCheckpoints checkpoints;
    /** Why it was cancelled; null while it was not. */
    private @Nullable String cancelled;

    /** Creates a part whose program is in {@code folder}, which is deleted at the end. */
    PreparablePart(final PartListener listener, final PartOutput output, final PartSupport support, final Path folder) {
        this.listener = listener;
        this.output = output;
        this.support = support;
        this.folder = folder;
        this.spawned = new SpawnedJobs(listener, output, support.spawner());
    }

    /**
     * Prepares the ranks, and a listener for the links from the job's other nodes. Blocks.
     *
     * @param by the order of the coordinator; the node need not have its transports
     * @param of the job as the ranks see it
     * @throws CallFailedException when it cannot be prepared; the part has ended then, or is about to
     */
    public final PreparedPart prepare(final Preparation by, final JobSpec of) throws CallFailedException {
        synchronized (this) {
            order = by;
            spec = of;
        }
        output.open(listener);
        try {
            checkRanks(of);
            final JobCheckpoints kept = support.openCheckpoints(of, by.restart());
            synchronized (this) {
                checkpoints = kept;
            }
            openTransports(by.transports());
            final PreparedPart prepared = prepareRanks(by, of);
            return prepared.at(prepared.locality().with(support.switches()));
        } catch (final IOException | RuntimeException | LinkageError e) {
            // classes may be missing after a module has started
            throw failed(e);
        }
    }

    private void checkRanks(final JobSpec of) throws IOException {
        final int ranks = RanksPerJvm.ranks(of).size();
        if (ranks > support.maxRanks()) {
            // Cause: a [bound](security.md#bounds-of-a-node) of the node.
            throw new IOException("too many ranks: ranks=" + ranks + ", max=" + support.maxRanks() + ", limit=" + NodeProperties.RANKS
                + "; start fewer, use more nodes, or raise the limit in the node's configuration");
        }
    }

    /** Opens those transports of the job that the node has. */
    abstract void openTransports(List<String> schemes) throws IOException;

    /** Closes the transports that were opened. Idempotent. */
    abstract void closeTransports();

    /** Prepares the ranks. Blocks. */
    abstract PreparedPart prepareRanks(Preparation by, JobSpec of) throws IOException;

    /** Ends a part that could not be prepared; returns the failure of the call. */
    abstract CallFailedException failed(Throwable cause);

    /** Returns the failure of a call. */
    static CallFailedException failure(final Throwable cause) {
        final Throwable root = cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
        return root instanceof final CallFailedException known ? known : new CallFailedException(ExitStatus.FAILED, Protocol.oneLine(root));
    }

    /** Returns the failure of a call that needs a prepared part. */
    static CallFailedException unprepared() {
        return new CallFailedException(ExitStatus.FAILED, "the part is not prepared");
    }

    /** Releases what the part has, when it has ended. */
    final void release() {
        final JobCheckpoints kept = checkpoints();
        closeTransports();
        if (kept != null) {
            kept.close();
        }
        support.ended(this);
        TempFolders.delete(folder);
    }

    @Override
    public final void transportLost(final String reason) {
        listener.failed(ExitStatus.NO_CLUSTER, reason);
        cancel(reason);
    }

    @Override
    public final void lose(final List<Integer> ranks, final String reason) {
        final JobSpec of;
        synchronized (this) {
            of = spec;
        }
        if (of == null) {
            return;
        }
        if (ranks.stream().anyMatch(r -> r == null || r < 0 || r >= of.size())) {
            // Cause: a breach of the protocol by the coordinator of the job. Remedy: run the same release everywhere, or report it.
            throw new IllegalArgumentException("no ranks of job " + of.id() + ": " + ranks);
        }
        loseRanks(ranks, reason);
    }

    @Override
    public final CompletionStage<Void> startSpare(final Replacement place, final List<NodeEndpoints> linked) {
        final JobSpec of;
        synchronized (this) {
            of = spec;
        }
        if (of == null || place == null || linked == null || linked.size() != of.nodes().size() || linked.contains(null)) {
            // Cause: a breach of the protocol by the coordinator of the job. Remedy: run the same release everywhere, or report it.
            throw new IllegalArgumentException("no place for a spare rank: place=" + place + ", linked=" + linked);
        }
        return startSpareRank(place, linked);
    }

    /** Starts the rank of the part, which is prepared, in a place. */
    abstract CompletionStage<Void> startSpareRank(Replacement place, List<NodeEndpoints> linked);

    /** Tells the ranks of the part, which may not be prepared yet, or have ended, that these ranks have failed. Does not block. */
    abstract void loseRanks(List<Integer> ranks, String reason);

    @Override
    public final void endSpawned(final String reason) {
        spawned.end(reason);
    }

    final PartListener listener() {
        return listener;
    }

    final PartOutput output() {
        return output;
    }

    final PartSupport support() {
        return support;
    }

    final Path folder() {
        return folder;
    }

    final SpawnedJobs spawned() {
        return spawned;
    }

    /** Returns the job of the part, which is being prepared or was. */
    final synchronized JobSpec spec() {
        return Objects.requireNonNull(spec, "the part is prepared");
    }

    /** Returns who runs the job; null if that is not known. */
    final synchronized @Nullable String owner() {
        return order == null ? null : order.owner();
    }

    /** Returns the checkpoints of the part; null where the node has them. */
    final synchronized @Nullable JobCheckpoints checkpoints() {
        return checkpoints;
    }

    /** Returns why the part was cancelled; null while it was not. */
    final synchronized @Nullable String cancelled() {
        return cancelled;
    }

    /** Sets why the part is cancelled. */
    final synchronized void setCancelled(final String reason) {
        cancelled = reason;
    }
}
