package tutti.runtime.match;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/**
 * Work item that fails the receives and probes of one context whose sender is lost: those that are posted, and those that are posted later and that
 * no message matches. One with a wildcard fails when no sender is left.
 */
public final class PeerLoss extends WorkItem {
    final long context;
    final MpiFailure why;
    @Nullable
    PeerLoss following;
    private final BitSet sources;
    private final boolean isAll;

    /**
     * Creates the loss of some sources.
     *
     * @param sources the sources, as ranks in the context
     * @param isAll   whether no other sender is left
     */
    public PeerLoss(final long context, final BitSet sources, final boolean isAll, final MpiFailure why) {
        this.context = context;
        this.sources = sources;
        this.isAll = isAll;
        this.why = why;
    }

    boolean covers(final long wantedContext, final int source) {
        return wantedContext == context && (source == Receive.ANY ? isAll : sources.get(source));
    }

    @Override
    protected void run(final SerialExecutor at) {
        ((Mailbox) at).lose(this);
    }

    @Override
    protected void onFailure(final MpiFailure failure) {
        // the mailbox has failed, and all that is posted with it
    }
}
