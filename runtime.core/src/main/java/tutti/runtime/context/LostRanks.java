package tutti.runtime.context;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.runtime.match.PeerLoss;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;

/**
 * The ranks of a communicator that are lost, as one of its ranks knows them, and whether the communicator was revoked. The lock of this object guards
 * all state.
 */
final class LostRanks {
    /** In the order in which they were told, by their numbers on this node. */
    private final List<Integer> inOrder = new ArrayList<>();
    private final BitSet numbers = new BitSet();
    private int acknowledged;
    private @Nullable MpiFailure why;
    private @Nullable MpiFailure revoked;
    private boolean closed;

    /** Adds the ranks of a group that are lost; returns whether there is any that was not. */
    synchronized boolean add(final Group all, final BitSet lost, final MpiFailure reason) {
        boolean any = false;
        for (int number = lost.nextSetBit(0); number >= 0; number = lost.nextSetBit(number + 1)) {
            if (all.contains(number) && !numbers.get(number)) {
                numbers.set(number);
                inOrder.add(number);
                any = true;
            }
        }
        why = any ? reason : why;
        return any;
    }

    /** Records that the communicator was revoked; returns whether it was not before. */
    synchronized boolean revoke(final MpiFailure reason) {
        final boolean isNew = revoked == null;
        revoked = isNew ? reason : revoked;
        return isNew;
    }

    /** Returns why calls are refused, since the communicator was revoked; null while they are not. */
    synchronized @Nullable MpiFailure revocation() {
        return revoked;
    }

    /** Returns whether no rank is lost. */
    synchronized boolean isEmpty() {
        return inOrder.isEmpty();
    }

    /** Returns the lost ranks in the order in which they were told, by their numbers on this node. */
    synchronized int[] inOrder() {
        return inOrder.stream().mapToInt(Integer::intValue).toArray();
    }

    /** Returns those that were acknowledged. */
    synchronized int[] acknowledged() {
        return inOrder.stream().limit(acknowledged).mapToInt(Integer::intValue).toArray();
    }

    /** Acknowledges the first lost ranks, if they are more than before; returns how many are acknowledged. */
    synchronized int acknowledge(final int count) {
        acknowledged = Math.max(acknowledged, Math.min(count, inOrder.size()));
        return acknowledged;
    }

    /** Returns why a rank, by its number, can be sent nothing; null while it can. */
    synchronized @Nullable MpiFailure failure(final int number) {
        return numbers.get(number) ? why : null;
    }

    /** Ends the effects. */
    synchronized void close() {
        closed = true;
    }

    /**
     * Returns what fails the receives from lost ranks in all contexts of a communicator, and all receives if it was revoked; null where there is
     * nothing to fail.
     */
    synchronized @Nullable PeerLoss effect(final CommContext comm) {
        if (revoked == null && why == null || closed) {
            return null;
        }
        final PeerLoss.Lost[] lost = new PeerLoss.Lost[ContextIds.STRIDE];
        for (int kind = 0; kind < lost.length; kind++) {
            if (revoked != null && ContextIds.isOfProgram(kind)) {
                lost[kind] = new PeerLoss.Lost(revoked, new BitSet(), null, true);
            } else if (why != null) {
                lost[kind] = lost(comm, kind, why);
            }
        }
        return new PeerLoss(comm.id(), lost, inOrder.size() + acknowledged + (revoked == null ? 0 : Integer.MAX_VALUE / 2));
    }

    private PeerLoss.Lost lost(final CommContext comm, final int kind, final MpiFailure reason) {
        final boolean isOfPeers = kind == ContextIds.MESSAGES || kind == ContextIds.COLLECTIVE || kind == ContextIds.MODULES
            || kind == ContextIds.LEADERS || kind == ContextIds.LIVE_MODULES;
        final Group senders = isOfPeers ? comm.members().peers() : comm.all();
        final BitSet sources = new BitSet();
        boolean isAll = true;
        for (int r = 0; r < senders.size(); r++) {
            if (numbers.get(senders.worldRank(r))) {
                sources.set(r);
            } else {
                isAll &= senders.worldRank(r) == comm.owner().worldRank();
            }
        }
        final boolean isPending = kind == ContextIds.MESSAGES && acknowledged < inOrder.size() && !sources.isEmpty();
        return new PeerLoss.Lost(reason, sources, isAll ? reason : isPending ? pending(reason) : null, false);
    }

    private static MpiFailure pending(final MpiFailure reason) {
        // Cause: a rank has failed whose message a receive from any source may wait for. Remedy: `ackFailed`, then wait again.
        return new MpiFailure(ErrorClass.PROC_FAILED_PENDING, "a possible sender has failed, acknowledge it to wait for the others: "
            + reason.getMessage(), reason);
    }
}
