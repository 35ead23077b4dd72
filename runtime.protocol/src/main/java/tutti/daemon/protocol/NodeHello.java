package tutti.daemon.protocol;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.daemon.node.NodeInfo;

/**
 * Hello of a link between daemons.
 *
 * @param protocol version of the protocol, {@link Protocol#VERSION}
 * @param node     node that opens the link
 * @param place    place of a job whose part the link serves: a node, or a JVM of it; null for a link between nodes
 */
public record NodeHello(int protocol, NodeInfo node, @Nullable String place) {
    /** Checks that the node is present. */
    public NodeHello {
        Objects.requireNonNull(node, "node");
    }
}
