package tutti.runtime.context;

import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.shm.ShmRegion;

/**
 * The locality of a communicator: which of its ranks are on the node of this rank, and their shared-memory region. Safe for any thread.
 *
 * <p><b>Threads.</b> Several threads may ask for the region for the first time: they get the same one, and the volatile field publishes it. Threads
 * that count the ranks at the same time get the same number.
 */
public final class NodeLocality {
    private final CommContext comm;
    private final JobEnvironment job;
    private final int worldRank;
    private volatile @Nullable ShmRegion region;
    /** Whether this rank has left the region. Guarded by the object. */
    private boolean left;
    /** Number of ranks on this node; 0 until it is asked for. */
    private int localRanks;

    /** Creates the locality of a communicator. */
    NodeLocality(final CommContext comm) {
        this(comm, 0);
    }

    /** Creates the locality of a duplicate. */
    NodeLocality duplicate(final CommContext duplicate) {
        return new NodeLocality(duplicate, localRanks());
    }

    private NodeLocality(final CommContext comm, final int localRanks) {
        this.localRanks = localRanks;
        this.comm = comm;
        this.job = comm.owner().job();
        this.worldRank = comm.owner().worldRank();
    }

    /** Returns whether a rank of the job is on this node. */
    public boolean isLocal(final int other) {
        return job.nodeOf(other) == job.nodeOf(worldRank);
    }

    /** Returns the shared-memory region of the communicator on this node. */
    public ShmRegion region() {
        ShmRegion b = region;
        if (b == null) {
            b = job.regions().of(comm.id(), comm.all().worldRank(0), comm.all().size(), localRanks());
            region = b;
        }
        return b;
    }

    /** Fails what waits for a lost rank of this node, given by its index among all; that rank leaves the region. */
    synchronized void lose(final int index, final MpiFailure why) {
        if (!left && region().lose(index, why)) {
            job.regions().leave(comm.id(), comm.all().worldRank(0), comm.all().size(), localRanks());
        }
    }

    /** Fails what waits for any rank. */
    synchronized void revoke(final MpiFailure why) {
        if (!left) {
            region().close(why);
        }
    }

    /** Releases the region for this rank, which does not access it any more. */
    public synchronized void leaveRegion() {
        left = true;
        job.regions().leave(comm.id(), comm.all().worldRank(0), comm.all().size(), localRanks());
    }

    private int localRanks() {
        int here = localRanks;
        if (here == 0) {
            for (int i = 0; i < comm.all().size(); i++) {
                here += isLocal(comm.all().worldRank(i)) ? 1 : 0;
            }
            localRanks = here;
        }
        return here;
    }
}
