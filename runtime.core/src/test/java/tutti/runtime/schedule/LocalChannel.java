package tutti.runtime.schedule;

import tutti.runtime.inspect.PendingWait;
import tutti.runtime.match.Mailbox;
import tutti.runtime.request.Request;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.shm.ShmRegion;
import tutti.runtime.shm.ShmRegions;

/**
 * A channel for tests of executions without communicators and ranks.
 *
 * @param rank    this rank
 * @param home    its mailbox
 * @param targets the executors that messages to each rank are submitted to
 * @param region  the shared-memory region of all ranks
 */
record LocalChannel(int rank, Mailbox home, SerialExecutor[] targets, ShmRegion region) implements CollectiveChannel {

    /** Returns the channels of ranks that send to each other's mailboxes and share memory. */
    static LocalChannel[] connected(final int ranks) {
        final Mailbox[] mailboxes = new Mailbox[ranks];
        final LocalChannel[] channels = new LocalChannel[ranks];
        final ShmRegion region = new ShmRegions().of(2, 0, ranks, ranks);
        for (int r = 0; r < ranks; r++) {
            mailboxes[r] = new Mailbox();
            channels[r] = new LocalChannel(r, mailboxes[r], mailboxes, region);
        }
        return channels;
    }

    @Override
    public long context() {
        return 2;
    }

    @Override
    public Request.Pending pending(final long number) {
        return Request.Pending.ofAll(PendingWait.Kind.COLLECTIVE, context(), number);
    }

    @Override
    public SerialExecutor destination(final int peer) {
        return targets[peer];
    }

    @Override
    public int worldRank(final int peer) {
        return peer;
    }

    @Override
    public boolean isOnSameNode(final int peer) {
        return true;
    }

    @Override
    public int peers() {
        return targets.length;
    }

    @Override
    public boolean isInter() {
        return false;
    }

    @Override
    public String name() {
        return "test";
    }

    @Override
    public int rankOf(final int worldRank) {
        return worldRank;
    }

    @Override
    public String nameOf(final int worldRank) {
        return "rank " + worldRank;
    }
}
