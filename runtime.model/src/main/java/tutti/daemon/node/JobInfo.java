package tutti.daemon.node;

import java.util.List;
import java.util.Map;

/**
 * Job as {@code tutti ps} shows it.
 *
 * @param id         unique in the cluster
 * @param state      starting, running or ending
 * @param ranks      number of ranks
 * @param nodes      names of the nodes that have ranks; empty until the job is placed
 * @param modules    name and version of the modules on which all its nodes agree now; empty until they have agreed
 * @param changes    how often the job has changed its modules while it ran
 * @param tries      name and version of a module that the job tries beside these; empty when it tries none
 * @param program    as the user wrote it
 * @param since      time of launch, in milliseconds of the epoch
 * @param launchedBy user who ran the command
 * @param launchedAt name of the node that coordinates the job
 * @param failed     ranks that have failed, in rising order, while the job goes on without them
 * @param replaced   ranks whose places others have taken, each with the one that has it now
 */
public record JobInfo(String id, String state, int ranks, List<String> nodes, List<String> modules, int changes, String tries, String program,
    long since,
    String launchedBy, String launchedAt, List<Integer> failed, Map<Integer, Integer> replaced) {
    /** Copies the map. */
    public JobInfo {
        replaced = Map.copyOf(replaced);
    }

    /** Creates the listing of a job without failed ranks. */
    public JobInfo(final String id, final String state, final int ranks, final List<String> nodes, final List<String> modules, final int changes,
        final String tries, final String program, final long since, final String launchedBy, final String launchedAt) {
        this(id, state, ranks, nodes, modules, changes, tries, program, since, launchedBy, launchedAt, List.of(), Map.of());
    }
}
