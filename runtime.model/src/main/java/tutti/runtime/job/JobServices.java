package tutti.runtime.job;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import tutti.runtime.checkpoint.store.CheckpointStorage;
import tutti.runtime.model.NodeLocality;
import tutti.runtime.module.PlanProver;
import tutti.runtime.transport.Transport;

/**
 * Services of the daemon for the part of a job on this node.
 *
 * @param ranks       services that ranks call
 * @param transports  transports of links to nodes of other jobs, by scheme; that of every node, which ports use, is among them
 * @param nodes       the job's nodes, in the order of the specification, with endpoints of these transports at which other jobs reach them
 * @param localities  where each of these nodes is, {@linkplain NodeLocality#bound with places}; empty if that is not known
 * @param places      number of cores of all nodes that are in the cluster when the part connects
 * @param prover      proves plans of the job's modules
 * @param checkpoints keeps the checkpoints of the job's ranks on this node
 */
public record JobServices(RankServices ranks, Map<String, Transport> transports, List<NodeEndpoints> nodes, List<NodeLocality> localities, int places,
    PlanProver prover, CheckpointStorage checkpoints) {
    /** Checks that all is present, and copies the collections. */
    public JobServices {
        Objects.requireNonNull(ranks, "ranks");
        Objects.requireNonNull(prover, "prover");
        Objects.requireNonNull(checkpoints, "checkpoints");
        transports = Map.copyOf(transports);
        nodes = List.copyOf(nodes);
        localities = List.copyOf(localities);
    }

    /** Returns the transport that every node has. */
    public Transport tcp() {
        return Objects.requireNonNull(transports.get(Endpoint.TCP), "every node has it");
    }
}
