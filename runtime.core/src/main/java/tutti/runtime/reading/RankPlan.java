package tutti.runtime.reading;

import java.util.List;

/**
 * What one rank does in a collective call, as it was planned for it.
 *
 * @param operation    lower case
 * @param module       that serves it, name and version
 * @param algorithm    of the module
 * @param size         ranks of the communicator
 * @param bytes        that the call was made up for: of the data of each rank, and where every rank has data for each other, of one block
 * @param data         what is reduced and how, or empty
 * @param root         of the call, or -1
 * @param rank         whose plan it is
 * @param scratchBytes memory that the schedule needs beside the caller's
 * @param total        how many tasks it has
 * @param tasks        all of them, or the first
 */
public record RankPlan(String operation, String module, String algorithm, int size, long bytes, String data, int root, int rank,
                       long scratchBytes, int total, List<PlannedTask> tasks) {
    /** Copies the list. */
    public RankPlan {
        tasks = List.copyOf(tasks);
    }
}
