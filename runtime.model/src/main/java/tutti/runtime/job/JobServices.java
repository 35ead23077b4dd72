package tutti.runtime.job;

import java.util.List;
import java.util.Objects;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.model.NodeLocality;
import tutti.runtime.module.PlanProver;
import tutti.runtime.transport.Transport;

/**
 * Services of the daemon for the part of a job on this node.
 *
 * @param ranks       services that ranks call
 * @param transport   transport of links to nodes of other jobs, and of ports
 * @param nodes       the job's nodes, in the order of the specification, with the addresses of listeners that stay open on that transport
 * @param localities  where each of these nodes is, {@linkplain NodeLocality#bound with places}; empty if that is not known
 * @param places      number of cores of all nodes that are in the cluster when the part connects
 * @param prover      proves plans of the job's modules
 * @param checkpoints keeps the checkpoints of the job's ranks on this node
 */
public record JobServices(RankServices ranks, Transport transport, List<NodeAddress> nodes, List<NodeLocality> localities, int places,
    PlanProver prover, CheckpointStorage checkpoints) {
    /** Checks that all is present, and copies the list. */
    public JobServices {
        Objects.requireNonNull(ranks, "ranks");
        Objects.requireNonNull(transport, "transport");
        Objects.requireNonNull(prover, "prover");
        Objects.requireNonNull(checkpoints, "checkpoints");
        nodes = List.copyOf(nodes);
        localities = List.copyOf(localities);
    }
}
