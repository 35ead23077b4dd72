package tutti.runtime.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A node of a job, with the endpoints of its transports.
 *
 * @param name      the node's name in the job, see {@link NodeAddress}
 * @param endpoints one per transport, in the order in which the job prefers them
 */
public record NodeEndpoints(String name, List<Endpoint> endpoints) {
    /** Copies the list. */
    public NodeEndpoints {
        endpoints = List.copyOf(endpoints);
    }

    /** Returns a node that has the transport of every node alone. */
    public static NodeEndpoints tcp(final NodeAddress node) {
        return new NodeEndpoints(node.name(), List.of(Endpoint.tcp(node.host(), node.port())));
    }

    /** Returns the node's name in the cluster. */
    public String node() {
        return NodeAddress.nodeOf(name);
    }

    /** Returns the endpoint of a transport. */
    public Optional<Endpoint> of(final String scheme) {
        return endpoints.stream().filter(e -> e.scheme().equals(scheme)).findFirst();
    }

    /** Returns the endpoints of another node to which this one can be linked, in the order of this one. */
    public List<Endpoint> common(final NodeEndpoints other) {
        final List<Endpoint> common = new ArrayList<>();
        for (final Endpoint own : endpoints) {
            other.endpoints.stream().filter(own::isNear).findFirst().ifPresent(common::add);
        }
        return common;
    }

    @Override
    public String toString() {
        return name + " " + endpoints;
    }
}
