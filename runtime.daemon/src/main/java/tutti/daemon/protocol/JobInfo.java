package tutti.daemon.protocol;

import java.util.List;

/**
 * A job as {@code tutti ps} shows it.
 *
 * @param id         unique in the cluster
 * @param state      starting, running or ending
 * @param ranks      of the job
 * @param nodes      names of the nodes that hold ranks; empty while the job is not placed
 * @param modules    name and version of those that the nodes agreed on; empty while they have not
 * @param program    as the user wrote it
 * @param since      when it was launched, in milliseconds of the epoch
 * @param launchedBy the user and host of the command
 * @param launchedAt name of the node that coordinates the job
 */
public record JobInfo(String id, String state, int ranks, List<String> nodes, List<String> modules, String program, long since, String launchedBy,
                      String launchedAt) {
}
