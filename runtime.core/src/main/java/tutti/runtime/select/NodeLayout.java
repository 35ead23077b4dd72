package tutti.runtime.select;

import java.util.Collection;
import java.util.Collections;
import org.jspecify.annotations.Nullable;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.policy.LongRange;

/**
 * The distribution of the ranks of a communicator over nodes, on an intercommunicator of the ranks of both groups. Equal on all ranks.
 *
 * @param ranks  number of ranks
 * @param nodes  number of nodes that hold ranks
 * @param ranksPerNode smallest and largest number of ranks on one of these nodes
 * @param groups smaller and larger number of ranks of the groups of an intercommunicator; null for an intracommunicator
 * @param link   class of the links between these nodes; fast for one node
 */
record NodeLayout(int ranks, int nodes, LongRange ranksPerNode, @Nullable LongRange groups, LinkSpeed link) {
    /** Returns the layout of a communicator of a job with links of that class. */
    static NodeLayout of(final CommShape shape, final LinkSpeed link) {
        final Collection<Integer> counts = shape.nodes().ranksPerNode();
        final LongRange perNode = new LongRange(Collections.min(counts), Collections.max(counts));
        return new NodeLayout(shape.nodes().size(), counts.size(), perNode, !shape.isInter() ? null
            : new LongRange(Math.min(shape.size(), shape.remoteSize()), Math.max(shape.size(), shape.remoteSize())),
            counts.size() == 1 ? LinkSpeed.FAST : link);
    }

    /** Returns a hash of the layout, to which more can be added. */
    AgreementHash hash() {
        final AgreementHash hash = new AgreementHash().add(ranks).add(nodes).add(ranksPerNode.min()).add(ranksPerNode.max())
            .add(link.ordinal());
        return groups == null ? hash : hash.add(groups.min()).add(groups.max());
    }
}
