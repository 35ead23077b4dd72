package tutti.daemon.control;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Message;
import tutti.runtime.job.JobProgram;

/**
 * What a coordinator starts.
 *
 * @param run      the request, with the parameters and rules
 * @param programs the programs of the ranks; of no ranks where the placement decides how many there are
 * @param parent   name of the port of the job that spawns this one; null if none does
 * @param files    the files of the program, on this node; null where the client sends them
 * @param placer   places the ranks
 */
record JobPlan(Message.Run run, List<JobProgram> programs, String parent, List<Path> files, Placer placer) {

    /** Places the ranks of a job. */
    @FunctionalInterface
    interface Placer {
        /**
         * Returns the placement.
         *
         * @param members nodes of the cluster
         * @throws IOException when the ranks cannot be placed
         */
        Placement place(List<NodeInfo> members) throws IOException;
    }

    /** Returns the plan of a job that a command requests. */
    static JobPlan of(final Message.Run run) {
        return new JobPlan(run, List.of(new JobProgram(run.mainClass(), run.args(), 0)), null, null,
            members -> Placement.of(run.ranks(), run.cyclic(), members));
    }

    /** Returns the programs for a number of ranks. */
    List<JobProgram> programsFor(final int ranks) {
        return programs.size() > 1 ? programs : List.of(new JobProgram(programs.getFirst().mainClass(), programs.getFirst().args(), ranks));
    }
}
