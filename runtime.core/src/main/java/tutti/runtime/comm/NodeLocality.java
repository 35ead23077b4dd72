package tutti.runtime.comm;

import tutti.runtime.shm.ShmRegion;

/** The ranks of a communicator that are on the node of one of them, and what they show each other. Safe for any thread. */
final class NodeLocality {
    private final Communicator comm;
    private final JobEnvironment job;
    private final int worldRank;
    private volatile ShmRegion board;

    NodeLocality(final Communicator comm) {
        this.comm = comm;
        this.job = comm.owner().job();
        this.worldRank = comm.owner().worldRank();
    }

    /** Whether a rank of the job is there. */
    boolean has(final int other) {
        return job.nodeOf(other) == job.nodeOf(worldRank);
    }

    /** What its ranks show each other. */
    ShmRegion board() {
        ShmRegion b = board;
        if (b == null) {
            b = job.boards().of(comm.context(), comm.all().size(), ranks());
            board = b;
        }
        return b;
    }

    /** The rank does not look at the board any more. */
    void leaveBoard() {
        job.boards().leave(comm.context(), comm.all().size(), ranks());
    }

    private int ranks() {
        int here = 0;
        for (int i = 0; i < comm.all().size(); i++) {
            here += has(comm.all().worldRank(i)) ? 1 : 0;
        }
        return here;
    }
}
