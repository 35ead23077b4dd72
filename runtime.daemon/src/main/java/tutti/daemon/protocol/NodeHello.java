package tutti.daemon.protocol;

import java.util.Objects;

/**
 * The first word of a link between daemons.
 *
 * @param protocol {@link Protocol#VERSION}
 * @param node     who asks
 * @param job      id of the job that the link serves; null for the link of the mesh
 */
public record NodeHello(int protocol, NodeInfo node, String job) {
    /** Refuses one without a node. */
    public NodeHello {
        Objects.requireNonNull(node, "node");
    }
}
