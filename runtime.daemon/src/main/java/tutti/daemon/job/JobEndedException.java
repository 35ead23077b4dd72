package tutti.daemon.job;

import org.jspecify.annotations.Nullable;
import tutti.daemon.cluster.LostLink;

/** End of a job, with an exit status and a text for the user. */
final class JobEndedException extends Exception {
    private static final long serialVersionUID = 1L;
    private final int status;
    private final String text;
    /** True if the reason is an error of another rank, which that rank may still raise. */
    private final boolean isByPeer;
    /** Index of the node whose loss is the reason, as another one saw it, which that node may still explain; -1 otherwise. */
    private int lostNode = -1;
    /** The lost link that is the reason; null if another one is. */
    private transient @Nullable LostLink link;
    /** What the other node of that link has reported about it; null if nothing. */
    private @Nullable String otherReason;
    /** True if the user may want to know what the ranks did. */
    private boolean isWithRanks;

    JobEndedException(final int status, final String text) {
        this(status, text, false);
    }

    JobEndedException(final int status, final String text, final boolean isByPeer) {
        super(text, null, false, false);
        this.text = text;
        this.status = status;
        this.isByPeer = isByPeer;
    }

    int status() {
        return status;
    }

    String text() {
        return text;
    }

    /** Returns the first line of the text; empty if there is none. */
    String firstLine() {
        return text.lines().findFirst().orElse("");
    }

    /** Returns this end, of which the user may want to know what the ranks did. */
    JobEndedException withRanks() {
        isWithRanks = true;
        return this;
    }

    boolean isWithRanks() {
        return isWithRanks;
    }

    /** Returns this end, whose reason is a lost link; null where no two nodes are its ends. */
    JobEndedException by(final @Nullable LostLink lost) {
        link = lost;
        return this;
    }

    @Nullable
    LostLink link() {
        return link;
    }

    /** Returns this end, whose reason is the loss of a node as another one saw it. */
    JobEndedException byLossOf(final int node) {
        lostNode = node;
        return this;
    }

    /** Returns whether a node, or a rank there, may explain this end. */
    boolean isExplainedBy(final int node) {
        return isByPeer || lostNode == node;
    }

    /** Adds what the other node of the lost link reports. */
    void add(final String reason) {
        otherReason = reason;
    }

    @Nullable
    String otherReason() {
        return otherReason;
    }
}
