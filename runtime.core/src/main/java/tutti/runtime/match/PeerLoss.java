package tutti.runtime.match;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;

/**
 * Work item that fails the receives and probes of a communicator whose sender is lost: those that are posted, and those that are posted later and
 * that no message matches. It replaces an earlier loss of the same communicator, and holds until the contexts are purged.
 */
public final class PeerLoss extends WorkItem {

    /**
     * The lost senders of one context.
     *
     * @param why     the error of receives from lost senders
     * @param sources the lost senders, as ranks in the context
     * @param any     why receives from any source fail; null while they do not
     * @param closed  whether all receives fail, and messages that arrive are dropped
     */
    public record Lost(MpiFailure why, BitSet sources, @Nullable MpiFailure any, boolean closed) {
        @Nullable
        MpiFailure failure(final int source) {
            return closed ? why : source == Receive.ANY ? any : sources.get(source) ? why : null;
        }
    }

    final long first;
    private final @Nullable Lost[] lost;
    private final int version;
    @Nullable
    PeerLoss following;

    /**
     * Creates the loss of some senders of a communicator.
     *
     * @param first its first context id
     * @param lost  what is lost in each of its contexts, from the first one on; null for a context that is not affected
     * @param version of two losses of a communicator, that with the higher one holds
     */
    public PeerLoss(final long first, final @Nullable Lost[] lost, final int version) {
        this.first = first;
        this.lost = lost;
        this.version = version;
    }

    private @Nullable Lost in(final long context) {
        final long kind = context - first;
        return kind < 0 || kind >= lost.length ? null : lost[(int) kind];
    }

    /** Returns why no message can come from a source any more; null if one can. */
    @Nullable
    MpiFailure failure(final long context, final int source) {
        final Lost in = in(context);
        return in == null ? null : in.failure(source);
    }

    /** Returns why messages of a context are dropped; null if they are not. */
    @Nullable
    MpiFailure dropReason(final long context) {
        final Lost in = in(context);
        return in != null && in.closed() ? in.why() : null;
    }

    /** Returns whether some context drops its messages. */
    boolean dropsAny() {
        for (final Lost in : lost) {
            if (in != null && in.closed()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether this loss is of the same communicator as another one, and not older. */
    boolean replaces(final PeerLoss other) {
        return first == other.first && version - other.version >= 0;
    }

    /** Returns whether a purge covers all contexts of the communicator. */
    boolean isWithin(final ContextPurge purge) {
        return purge.covers(first) && purge.covers(first + lost.length - 1);
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
