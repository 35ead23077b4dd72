package tutti.runtime.introspect;

import java.util.List;

/**
 * The plan of one rank for a collective call.
 *
 * @param operation    name in lower case
 * @param module       the selected module, name and version
 * @param algorithm    the module's algorithm
 * @param reason       why that algorithm was selected
 * @param size         ranks of the communicator
 * @param bytes        bytes of the sample call; of operations with blocks, of all blocks
 * @param block        bytes of a block; -1 where there are none
 * @param data         datatype and operation of a reduction, or empty
 * @param root         root of the call, or -1
 * @param rank         the rank that the plan belongs to
 * @param node         name of the rank's node
 * @param scratchBytes memory that the schedule needs in addition to the caller's
 * @param parts        the collectives nested in it, in the order of their first tasks
 * @param total        number of tasks of the schedule
 * @param tasks        all tasks, or the first ones
 */
public record RankPlan(String operation, String module, String algorithm, String reason, int size, long bytes, long block, String data, int root,
    int rank, String node, long scratchBytes, List<PlannedPart> parts, int total, List<PlannedTask> tasks) {
    /** Copies the lists. */
    public RankPlan {
        parts = List.copyOf(parts);
        tasks = List.copyOf(tasks);
    }
}
