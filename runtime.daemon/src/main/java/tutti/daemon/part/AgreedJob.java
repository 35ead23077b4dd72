package tutti.daemon.part;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.model.NodeLocality;
import tutti.runtime.module.AgreedModules;

/**
 * Agreement of the nodes of a job, for its parts to connect to each other.
 *
 * @param agreement modules, parameters and rules
 * @param nodes     nodes of the job, with the endpoints of their listeners on the job's transports
 * @param localities where each of them is, with the places to which ranks are bound
 * @param daemons   nodes of the job, with the addresses at which other jobs reach their ranks
 */
public record AgreedJob(AgreedModules agreement, List<NodeEndpoints> nodes, List<NodeLocality> localities, List<NodeAddress> daemons) {
    /** Checks that the agreement is present, and copies the lists. */
    public AgreedJob {
        Objects.requireNonNull(agreement, "agreement");
        nodes = List.copyOf(nodes);
        localities = List.copyOf(localities);
        daemons = List.copyOf(daemons);
    }

    /** Returns the nodes of the job, with the endpoints at which other jobs reach their ranks: those of the job, and that of every node. */
    List<NodeEndpoints> reached() {
        final List<NodeEndpoints> reached = new ArrayList<>();
        for (int n = 0; n < nodes.size(); n++) {
            final List<Endpoint> endpoints = new ArrayList<>(nodes.get(n).endpoints());
            if (nodes.get(n).of(Endpoint.TCP).isEmpty() && !daemons.get(n).host().isEmpty()) {
                endpoints.add(Endpoint.tcp(daemons.get(n).host(), daemons.get(n).port()));
            }
            reached.add(new NodeEndpoints(nodes.get(n).name(), endpoints));
        }
        return reached;
    }
}
