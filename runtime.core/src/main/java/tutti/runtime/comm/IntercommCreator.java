package tutti.runtime.comm;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tutti.runtime.context.CommMembers;
import tutti.runtime.context.ContextIds;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.p2p.PointToPoint;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.Request;
import tutti.runtime.schedule.CallSignature.Creation;

/**
 * Joins two groups in an intercommunicator. The leaders exchange their groups and context ids, then send them to their own ranks. The group
 * whose leader has the lower rank in COMM_WORLD is the first one, and its rank 0 allots the context id.
 *
 * <p>A leader sends an error that it finds to its ranks as well, so that all ranks of a group fail alike.
 */
final class IntercommCreator {
    // fields that the leader sends to its ranks
    private static final int OUTCOME = 0;
    private static final int DETAIL = 1;
    private static final int REMOTE_SIZE = 2;
    private static final int CONTEXT = 3;
    private static final int IS_FIRST = 4;
    private static final int FIELDS = 5;

    private static final int OK = 0;
    private static final int LEADER_FAILED = 1;
    private static final int OVERLAP = 2;
    /** Ranks of several jobs are in the groups: the leaders have to describe them. */
    private static final int SPANS_JOBS = 3;
    /** Context ids, and whether a group spans jobs, in front of the ranks. */
    private static final int HEADER = 3;

    private final Communicator local;
    private final int leader;
    private final ContextIds contexts;
    private @Nullable MpiFailure failure;

    private IntercommCreator(final Communicator local, final int leader) {
        this.local = local;
        this.leader = leader;
        this.contexts = local.owner().context().contexts();
    }

    static Communicator join(final Communicator local, final int leader, final Communicator peer, final int remoteLeader, final int tag) {
        local.checkUsable();
        local.context().checkIntra();
        if (leader < 0 || leader >= local.size()) {
            // Cause: the local communicator has no such rank. Remedy: 0 to size - 1.
            throw new MpiFailure(ErrorClass.RANK, "local leader out of range: leader=" + leader + ", size=" + local.size());
        }
        return new IntercommCreator(local, leader).join(peer, remoteLeader, tag);
    }

    private Communicator join(final Communicator peer, final int remoteLeader, final int tag) {
        final long[] offers = {Long.MAX_VALUE, Long.MAX_VALUE};
        if (local.rank() == 0) {
            Arrays.setAll(offers, i -> contexts.allot());
        }
        final long allotted = offers[0];
        final long[] own = offers.clone();
        boolean isUsed = false;
        try {
            local.context().combine(offers, Op.MIN, Creation.CREATE_INTERCOMM);
            final long[] result = new long[FIELDS];
            final long[] received = local.rank() == leader ? exchangeAsLeader(peer, remoteLeader, tag, offers, result) : null;
            local.context().combine(result, Op.SUM, Creation.CREATE_INTERCOMM);
            raise(result);
            if (result[OUTCOME] == SPANS_JOBS) {
                return local.meeting(leader).meet(peer.context(), remoteLeader, tag);
            }
            final long[] remote = received == null ? new long[(int) result[REMOTE_SIZE]] : received;
            local.context().combine(remote, Op.SUM, Creation.CREATE_INTERCOMM);
            isUsed = true;
            if (local.rank() == 0 && result[IS_FIRST] == 0) {
                contexts.free(allotted);
            }
            final Group remoteGroup = Group.of(Arrays.stream(remote).mapToInt(r -> (int) r).toArray());
            final CommMembers members = new CommMembers(local.group(), local.rank(), remoteGroup, result[IS_FIRST] > 0);
            return local.join(members).open(result[CONTEXT], offers[1]);
        } finally {
            if (local.rank() == 0 && !isUsed) {
                contexts.free(allotted);
                contexts.free(own[1]);
            }
        }
    }

    /** Performs the leader's part; returns the remote group, empty when there is an error. */
    private long[] exchangeAsLeader(final Communicator peer, final int remoteLeader, final int tag, final long[] offers, final long[] result) {
        try {
            checkPeer(peer, remoteLeader, tag);
            final Group localGroup = local.group();
            // numbers of ranks of other jobs mean nothing elsewhere
            final boolean spansJobs = local.context().spansJobs() || peer.context().spansJobs();
            final long[] sent = new long[HEADER + (spansJobs ? 0 : localGroup.size())];
            sent[0] = offers[0];
            sent[1] = offers[1];
            sent[2] = spansJobs ? 1 : 0;
            for (int i = HEADER; i < sent.length; i++) {
                sent[i] = localGroup.worldRank(i - HEADER);
            }
            final long[] received = exchange(peer, remoteLeader, tag, sent);
            if (spansJobs || received[2] > 0) {
                result[OUTCOME] = SPANS_JOBS;
                return new long[0];
            }
            final long[] remote = Arrays.copyOfRange(received, HEADER, received.length);
            final boolean isFirst = local.owner().worldRank() < peer.context().worldRank(remoteLeader);
            result[REMOTE_SIZE] = remote.length;
            result[CONTEXT] = isFirst ? sent[0] : received[0];
            result[IS_FIRST] = isFirst ? 1 : 0;
            for (final long r : remote) {
                if (localGroup.contains((int) r)) {
                    result[OUTCOME] = OVERLAP;
                    result[DETAIL] = r;
                    return remote;
                }
            }
            for (final long context : new long[] {sent[0], sent[1], received[0], received[1]}) {
                ContextIds.check(context);
            }
            return remote;
        } catch (final MpiFailure e) {
            failure = e;
            result[OUTCOME] = LEADER_FAILED;
            result[DETAIL] = e.errorClass().ordinal();
            return new long[0];
        }
    }

    private static void checkPeer(final Communicator peer, final int remoteLeader, final int tag) {
        if (peer == null) {
            // Cause: the leaders of `createIntercomm` meet on it. Remedy: give it at the leaders.
            throw new MpiFailure(ErrorClass.COMM, "peer communicator is null");
        }
        peer.checkUsable();
        CommunicatorFactory.checkTag(tag);
        if (remoteLeader < 0 || remoteLeader >= peer.remoteSize()) {
            // Cause: the peer communicator has no such rank. Remedy: 0 to size - 1.
            throw new MpiFailure(ErrorClass.RANK, "remote leader out of range: leader=" + remoteLeader + ", size=" + peer.remoteSize());
        }
    }

    /** Exchanges values with the other leader. Neither continues before both have arrived. */
    private static long[] exchange(final Communicator peer, final int other, final int tag, final long[] sent) {
        final long[] received = new long[peer.owner().context().job().size() + HEADER];
        final PointToPoint messages = PointToPoint.internal(peer.context(), ContextIds.LEADERS);
        final Request receiving = messages.irecv(received, received.length, Datatype.LONG, other, tag);
        messages.send(SendMode.STANDARD, sent, sent.length, Datatype.LONG, other, tag);
        final long bytes = receiving.waitFor().bytes();
        return Arrays.copyOf(received, (int) (bytes / Long.BYTES));
    }

    private void raise(final long[] result) {
        if (failure != null) {
            throw failure;
        }
        if (result[OUTCOME] == LEADER_FAILED) {
            // Cause: the leader of the own group could not make the intercommunicator; it has the error. Remedy: look at the error of that rank.
            throw new MpiFailure(ErrorClass.values()[(int) result[DETAIL]],
                "the local leader has failed: leader=" + leader + ", comm=" + local.name());
        }
        if (result[OUTCOME] == OVERLAP) {
            // Cause: the groups of an intercommunicator have a rank in common. Remedy: other groups.
            throw new MpiFailure(ErrorClass.COMM, "groups are not disjoint: rank of COMM_WORLD in both=" + result[DETAIL]);
        }
        assert result[OUTCOME] == OK || result[OUTCOME] == SPANS_JOBS;
    }
}
