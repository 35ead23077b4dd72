package tutti.runtime.context;

import java.util.BitSet;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.PeerLoss;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;

/** The ranks of a communicator that are lost with their job. The lock of this object guards all state. */
final class LostRanks {
    private final BitSet numbers = new BitSet();
    private @Nullable MpiFailure why;
    private boolean closed;

    /** Adds the ranks of a group that are lost; returns whether there is any. */
    synchronized boolean add(final Group all, final IntPredicate isLost, final MpiFailure reason) {
        boolean any = false;
        for (int r = 0; r < all.size(); r++) {
            if (isLost.test(all.worldRank(r))) {
                numbers.set(all.worldRank(r));
                any = true;
            }
        }
        why = any ? reason : why;
        return any;
    }

    /** Ends the effect of {@link #apply}. */
    synchronized void close() {
        closed = true;
    }

    /** Fails the receives from lost ranks in all contexts of a communicator. */
    synchronized void apply(final CommContext comm, final Mailbox mailbox) {
        final MpiFailure reason = why;
        if (reason != null && !closed) {
            for (int kind = 0; kind < ContextIds.STRIDE; kind++) {
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
                mailbox.submit(new PeerLoss(comm.id() + kind, sources, isAll, reason));
            }
        }
    }
}
