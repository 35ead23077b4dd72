package tutti.daemon.part;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.daemon.node.HostPort;
import tutti.runtime.module.Catalogue;

/**
 * Report of a prepared part of a job to its coordinator.
 *
 * @param catalogue  modules that the node has leased for the job
 * @param transports schemes of the node's transports
 * @param listener   address at which the job's transport listens on the node; null when the node does not have that transport
 * @param ports      address at which other jobs reach the ranks on the node; null for that of the daemon
 */
public record PreparedPart(Catalogue catalogue, List<String> transports, @Nullable HostPort listener, @Nullable HostPort ports) {
    /** Creates the report of a part whose ranks other jobs reach at the daemon. */
    public PreparedPart(final Catalogue catalogue, final List<String> transports, final @Nullable HostPort listener) {
        this(catalogue, transports, listener, null);
    }

    /** Checks that the catalogue is present. */
    public PreparedPart {
        Objects.requireNonNull(catalogue, "catalogue");
        transports = List.copyOf(transports);
    }
}
