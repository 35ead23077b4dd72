package tutti.daemon.control;

import org.jspecify.annotations.Nullable;
import tutti.daemon.protocol.Message;

/**
 * A link between two nodes of a job that is lost while both may be there.
 *
 * @param node   name of the node that reports it
 * @param other  name of the other one
 * @param reason what the reporting node knows
 */
record LostLink(String node, String other, String reason) {
    private static final long HEAR_SECONDS = 2;
    /** Longer than a probe takes. */
    private static final long PROBE_SECONDS = 10;

    /**
     * Explains the loss by what both nodes know, and by a probe of the network between them. Blocks.
     *
     * @param otherReason what the other node has reported about the link; null if it has not
     * @return null when the other node does not answer this one: then it is that node which is lost
     */
    @Nullable
    String explain(final Cluster cluster, final @Nullable String otherReason) {
        final Message.Answer heard = cluster.ask(other, Message.Question.HEARS, node, HEAR_SECONDS);
        if (heard == null) {
            return null;
        }
        final Message.Answer probe = cluster.ask(node, Message.Question.PROBE, other, PROBE_SECONDS);
        final String there = otherReason != null ? otherReason : heard.done() ? "it hears node " + node : heard.text();
        return "the link between nodes " + node + " and " + other + " was lost: node " + node + ": " + reason + "; node " + other + ": " + there
            + (probe == null ? "" : "; " + probe.text());
    }
}
