package tutti.daemon.control;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Message;
import tutti.runtime.job.JobProgram;

/**
 * The plan of a job, which its coordinator carries out.
 *
 * @param run    the request, with the parameters and rules
 * @param parent name of the port of the job that spawns this one; null if none does
 * @param files  the files of the program, on this node; null where the client sends them
 * @param placer places the ranks
 */
record JobPlan(Message.Run run, String parent, List<Path> files, Placer placer) {

    /** Places the ranks of a job. */
    @FunctionalInterface
    interface Placer {
        /**
         * Returns the ranks with their nodes and programs.
         *
         * @param members nodes of the cluster
         * @param ranks   number of ranks; 0 where the placer knows it
         * @throws IOException when the ranks cannot be placed
         */
        PlacedRanks place(List<NodeInfo> members, int ranks) throws IOException;
    }

    /**
     * The ranks of a job.
     *
     * @param placement their nodes
     * @param programs  their programs, each with its number of ranks
     */
    record PlacedRanks(Placement placement, List<JobProgram> programs) {}

    /** Returns the plan of a job that a command requests. */
    static JobPlan of(final Message.Run run) {
        return new JobPlan(run, null, null, (members, ranks) -> {
            final Placement placement = Placement.of(ranks, run.mapping(), run.nodes(), members);
            return new PlacedRanks(placement, List.of(new JobProgram(run.mainClass(), run.args(), placement.nodeOfRank().size(),
                placement.nodeOfRank().size(), run.options())));
        });
    }
}
