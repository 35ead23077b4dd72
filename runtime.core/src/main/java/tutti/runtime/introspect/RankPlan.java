package tutti.runtime.introspect;

import java.util.List;

/**
 * What one rank does in a collective call, as it was planned for it.
 *
 * @param operation    lower case
 * @param module       that serves it, name and version
 * @param algorithm    of the module
 * @param size         ranks of the communicator
 * @param bytes        of the call that was made up; of operations with blocks, of all blocks
 * @param block        bytes of a block; -1 where there are none
 * @param data         what is reduced and how, or empty
 * @param root         of the call, or -1
 * @param rank         whose plan it is
 * @param scratchBytes memory that the schedule needs beside the caller's
 * @param total        how many tasks it has
 * @param tasks        all of them, or the first
 */
public record RankPlan(String operation, String module, String algorithm, int size, long bytes, long block, String data, int root, int rank,
                       long scratchBytes, int total, List<PlannedTask> tasks) {
    /** Copies the list. */
    public RankPlan {
        tasks = List.copyOf(tasks);
    }
}
