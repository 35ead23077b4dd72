package tutti.daemon.part;

import java.util.List;
import java.util.Objects;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.model.NodeLocality;
import tutti.runtime.module.AgreedModules;

/**
 * Agreement of the nodes of a job, for its parts to connect to each other.
 *
 * @param agreement modules, parameters and rules
 * @param nodes     nodes of the job, with the addresses of their listeners on the job's transport
 * @param localities where each of them is, with the places to which ranks are bound
 * @param daemons   nodes of the job, with the addresses at which other jobs reach their ranks
 */
public record AgreedJob(AgreedModules agreement, List<NodeAddress> nodes, List<NodeLocality> localities, List<NodeAddress> daemons) {
    /** Checks that the agreement is present, and copies the lists. */
    public AgreedJob {
        Objects.requireNonNull(agreement, "agreement");
        nodes = List.copyOf(nodes);
        localities = List.copyOf(localities);
        daemons = List.copyOf(daemons);
    }
}
