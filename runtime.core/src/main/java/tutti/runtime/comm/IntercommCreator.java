package tutti.runtime.comm;

import java.util.Arrays;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;

/**
 * Joins two groups in an intercommunicator. The leaders exchange their groups and contexts, then tell their own ranks. The group whose
 * leader has the lower rank in COMM_WORLD is the first one, and its rank 0 allots the context.
 *
 * <p>What a leader finds wrong it tells its ranks as well, so that all of a group fail alike.
 */
final class IntercommCreator {
    // what the leader tells its ranks
    private static final int VERDICT = 0;
    private static final int DETAIL = 1;
    private static final int REMOTE_SIZE = 2;
    private static final int CONTEXT = 3;
    private static final int IS_FIRST = 4;
    private static final int FIELDS = 5;

    private static final int GOOD = 0;
    private static final int LEADER_FAILED = 1;
    private static final int OVERLAP = 2;

    private final Communicator local;
    private final int leader;
    private final ContextIds contexts;
    private MpiFailure failure;

    private IntercommCreator(final Communicator local, final int leader) {
        this.local = local;
        this.leader = leader;
        this.contexts = local.owner().contexts();
    }

    static Communicator join(final Communicator local, final int leader, final Communicator peer, final int remoteLeader, final int tag) {
        local.checkUsable();
        CommunicatorFactory.checkIntra(local);
        if (leader < 0 || leader >= local.size()) {
            throw new MpiFailure(ErrorClass.RANK, "local leader out of range: leader=" + leader + ", size=" + local.size());
        }
        return new IntercommCreator(local, leader).join(peer, remoteLeader, tag);
    }

    private Communicator join(final Communicator peer, final int remoteLeader, final int tag) {
        final long[] offers = {Long.MAX_VALUE, Long.MAX_VALUE};
        if (local.rank() == 0) {
            Arrays.setAll(offers, i -> contexts.allot());
        }
        final int mine = (int) offers[0];
        local.agree(offers, Op.MIN);
        boolean isUsed = false;
        try {
            final long[] news = new long[FIELDS];
            final long[] theirs = local.rank() == leader ? meet(peer, remoteLeader, tag, offers, news) : null;
            local.agree(news, Op.SUM);
            raise(news);
            final long[] remote = theirs == null ? new long[(int) news[REMOTE_SIZE]] : theirs;
            local.agree(remote, Op.SUM);
            isUsed = true;
            if (local.rank() == 0 && news[IS_FIRST] == 0) {
                contexts.free(mine);
            }
            final Group far = Group.of(Arrays.stream(remote).mapToInt(r -> (int) r).toArray());
            final CommMembers members = new CommMembers(local.group(), local.rank(), far, news[IS_FIRST] > 0);
            return Communicator.of(local.owner(), members).open((int) news[CONTEXT], (int) offers[1]);
        } finally {
            if (local.rank() == 0 && !isUsed) {
                contexts.free(mine);
                contexts.free((int) offers[1]);
            }
        }
    }

    /** The leader's part; returns the remote group, empty when something is wrong. */
    private long[] meet(final Communicator peer, final int remoteLeader, final int tag, final long[] offers, final long[] news) {
        try {
            checkPeer(peer, remoteLeader, tag);
            final Group own = local.group();
            final long[] here = new long[own.size() + 2];
            here[0] = offers[0];
            here[1] = offers[1];
            for (int i = 0; i < own.size(); i++) {
                here[i + 2] = own.worldRank(i);
            }
            final long[] there = exchange(peer, remoteLeader, tag, here);
            final long[] remote = Arrays.copyOfRange(there, 2, there.length);
            final boolean isFirst = local.owner().worldRank() < peer.worldRank(remoteLeader);
            news[REMOTE_SIZE] = remote.length;
            news[CONTEXT] = isFirst ? here[0] : there[0];
            news[IS_FIRST] = isFirst ? 1 : 0;
            for (final long r : remote) {
                if (own.contains((int) r)) {
                              news[VERDICT] = OVERLAP;
                              news[DETAIL] = r;
                              return remote;
                }
            }
            for (final long context : new long[] {here[0], here[1], there[0], there[1]}) {
                CommunicatorFactory.check((int) context);
            }
            return remote;
        } catch (final MpiFailure e) {
            failure = e;
            news[VERDICT] = LEADER_FAILED;
            news[DETAIL] = e.errorClass().ordinal();
            return new long[0];
        }
    }

    private static void checkPeer(final Communicator peer, final int remoteLeader, final int tag) {
        if (peer == null) {
            throw new MpiFailure(ErrorClass.COMM, "peer communicator is null");
        }
        peer.checkUsable();
        CommunicatorFactory.checkTag(tag);
        if (remoteLeader < 0 || remoteLeader >= peer.remoteSize()) {
            throw new MpiFailure(ErrorClass.RANK, "remote leader out of range: leader=" + remoteLeader + ", size=" + peer.remoteSize());
        }
    }

    /** Sends to the other leader, and receives from it. Both go on only when both have come here. */
    private static long[] exchange(final Communicator peer, final int other, final int tag, final long[] mine) {
        final Rank owner = peer.owner();
        final long[] theirs = new long[owner.worldSize() + 2];
        final ReceiveRequest receiving = new ReceiveRequest(owner.life());
        receiving.prepare(peer, peer.context() + ContextIds.LEADERS, MessageBuffer.into(theirs, theirs.length, Datatype.LONG), other, tag);
        receiving.startFirst();
        final SendRequest sending = new SendRequest(owner.life());
        sending.prepare(peer, peer.context() + ContextIds.LEADERS, SendMode.STANDARD, MessageBuffer.of(mine, mine.length, Datatype.LONG), other, tag);
        sending.startFirst();
        final long bytes = receiving.waitFor().bytes();
        sending.await();
        return Arrays.copyOf(theirs, (int) (bytes / Long.BYTES));
    }

    private void raise(final long[] news) {
        if (failure != null) {
            throw failure;
        }
        if (news[VERDICT] == LEADER_FAILED) {
            throw new MpiFailure(ErrorClass.values()[(int) news[DETAIL]], "the local leader has failed: leader=" + leader + ", comm=" + local.name());
        }
        if (news[VERDICT] == OVERLAP) {
            throw new MpiFailure(ErrorClass.COMM, "groups are not disjoint: rank of COMM_WORLD in both=" + news[DETAIL]);
        }
        assert news[VERDICT] == GOOD;
    }
}
