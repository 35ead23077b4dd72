package tutti.daemon.part;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.daemon.node.HostPort;
import tutti.runtime.job.Endpoint;
import tutti.runtime.model.NodeLocality;
import tutti.runtime.module.Catalogue;

/**
 * Report of a prepared part of a job to its coordinator.
 *
 * @param catalogue  modules that the node has leased for the job
 * @param transports schemes of the node's transports
 * @param endpoints  endpoints of those of the job's transports that the node has, the preferred one first
 * @param ports      address at which other jobs reach the ranks on the node; null for that of the daemon
 * @param locality   the switches of the node, and the processors that its ranks may use
 */
public record PreparedPart(Catalogue catalogue, List<String> transports, List<Endpoint> endpoints, @Nullable HostPort ports,
    NodeLocality locality) {
    /** Creates the report of a part whose ranks other jobs reach at the daemon. */
    public PreparedPart(final Catalogue catalogue, final List<String> transports, final List<Endpoint> endpoints) {
        this(catalogue, transports, endpoints, null, NodeLocality.UNKNOWN);
    }

    /** Checks that the catalogue is present. */
    public PreparedPart {
        Objects.requireNonNull(catalogue, "catalogue");
        Objects.requireNonNull(locality, "locality");
        transports = List.copyOf(transports);
        endpoints = List.copyOf(endpoints);
    }

    /** Returns the report of a part whose ranks other jobs reach at an address. */
    PreparedPart reachedAt(final HostPort address) {
        return new PreparedPart(catalogue, transports, endpoints, address, locality);
    }

    /** Returns the report of a part that is there. */
    PreparedPart at(final NodeLocality place) {
        return new PreparedPart(catalogue, transports, endpoints, ports, place);
    }
}
