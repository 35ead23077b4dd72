package tutti.daemon.job;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.node.NodeInfo;
import tutti.runtime.job.JobProgram;
import tutti.runtime.process.owner.RankProgram;

/**
 * The plan of a job, which its coordinator carries out.
 *
 * @param run    the request, with the parameters and rules
 * @param parent the job that spawns this one; null if none does
 * @param owner  who runs the job; null if that is not known
 * @param placer places the ranks
 */
public record JobPlan(RunRequest run, @Nullable Parent parent, @Nullable String owner, Placer placer) {

    /**
     * A job that spawns another one.
     *
     * @param job  its id
     * @param port name of its port
     */
    record Parent(String job, String port) {}

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
    public static JobPlan of(final RunRequest run, final @Nullable String owner) {
        return new JobPlan(run, null, owner, (members, ranks) -> {
            final Placement placement = Placement.of(ranks, run.mapping(), run.nodes(), members);
            return new PlacedRanks(placement, List.of(new JobProgram(run.mainClass(), run.args(), placement.nodeOfRank().size(),
                placement.nodeOfRank().size(),
                Objects.requireNonNullElse(run.options(), RankProgram.Options.NONE))));
        });
    }
}
