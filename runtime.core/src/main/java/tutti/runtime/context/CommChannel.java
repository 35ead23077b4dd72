package tutti.runtime.context;

import java.util.List;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.match.Mailbox;
import tutti.runtime.model.Group;
import tutti.runtime.request.Request;
import tutti.runtime.schedule.CollectiveChannel;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.shm.ShmRegion;

/**
 * The channel of one kind of traffic of a communicator.
 *
 * @param kind    offset of the kind among the communicator's context ids
 * @param group   the peers of the messages
 * @param targets executors that the peers' messages are submitted to
 * @param rank    this rank, as the peers number it
 * @param members the ranks of the communicator that take part; empty for all
 */
record CommChannel(CommContext comm, int kind, Group group, PeerTargets targets, int rank, List<Integer> members) implements CollectiveChannel {

    /** Creates a channel of all ranks. */
    CommChannel(final CommContext comm, final int kind, final Group group, final PeerTargets targets, final int rank) {
        this(comm, kind, group, targets, rank, List.of());
    }

    @Override
    public Request.Pending pending(final long number) {
        final PendingWait.Kind wait = switch (kind) {
            case ContextIds.COLLECTIVE, ContextIds.TUNING -> PendingWait.Kind.COLLECTIVE;
            case ContextIds.GROUPS -> PendingWait.Kind.GROUP_CREATION;
            case ContextIds.CHECKPOINTS -> PendingWait.Kind.CHECKPOINT;
            case ContextIds.LIVE -> PendingWait.Kind.SELECTION;
            default -> PendingWait.Kind.CREATION;
        };
        return new Request.Pending(wait, context(), PendingWait.ANY, PendingWait.ANY, number, members);
    }

    @Override
    public boolean isOnSameNode(final int peer) {
        return comm.locality().isLocal(group.worldRank(peer));
    }

    @Override
    public ShmRegion region() {
        return comm.locality().region();
    }

    @Override
    public int peers() {
        return group.size();
    }

    @Override
    public boolean isInter() {
        return comm.isInter();
    }

    @Override
    public Mailbox home() {
        return comm.owner().mailbox();
    }

    @Override
    public long context() {
        return comm.id() + kind;
    }

    @Override
    public SerialExecutor destination(final int peer) {
        return targets.of(peer);
    }

    @Override
    public int worldRank(final int peer) {
        return group.worldRank(peer);
    }

    @Override
    public String name() {
        return comm.name();
    }

    @Override
    public int rankOf(final int worldRank) {
        return group.rankOf(worldRank);
    }

    @Override
    public String nameOf(final int worldRank) {
        return comm.members().nameOf(worldRank);
    }
}
