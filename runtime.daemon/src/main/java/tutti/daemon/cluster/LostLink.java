package tutti.daemon.cluster;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A link between two nodes of a job that is lost while both may be there.
 *
 * @param node   name of the node that reports it
 * @param other  name of the other one
 * @param reason what the reporting node knows
 */
public record LostLink(String node, String other, String reason) {
    /** How long an explanation may take that the end of a job waits for, from each node. */
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /**
     * Explains the loss by what both nodes know, and by a probe of the network between them. Blocks.
     *
     * @param otherReason what the other node has reported about the link; null if it has not
     * @return null when the other node does not answer this one: then it is that node which is lost
     */
    @Nullable
    public String explain(final Cluster cluster, final @Nullable String otherReason) {
        final String silence = cluster.questions().ask(other, MemberQuestions.class, n -> n.silence(node), LIMIT);
        if (silence == null) {
            return null;
        }
        final String probe = cluster.questions().ask(node, MemberQuestions.class, n -> n.probe(other), LIMIT);
        final String there = otherReason != null ? otherReason : silence.isEmpty() ? "it hears node " + node : silence;
        return "the link between nodes " + node + " and " + other + " was lost: node " + node + ": " + reason + "; node " + other + ": " + there
            + (probe == null ? "" : "; " + probe);
    }
}
