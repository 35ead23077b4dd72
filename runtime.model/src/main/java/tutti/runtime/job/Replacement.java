package tutti.runtime.job;

import java.util.List;

/**
 * The place of a rank that has failed, and the spare rank that takes it.
 *
 * @param rank        number of the spare rank in its job
 * @param replaces    rank of COMM_WORLD whose place it takes: that of the rank that began there
 * @param incarnation number of ranks that had this place before, from 1
 * @param context     context id of the communicator that the rank is in, which is COMM_WORLD for it
 * @param members     ranks of that communicator, in its order, by their numbers in the job
 * @param node        name of the node that has the rank, which the specification of the job may not know
 */
public record Replacement(int rank, int replaces, int incarnation, long context, List<Integer> members, String node) {
    /** Checks that the rank is a member, and copies the list. */
    public Replacement {
        members = List.copyOf(members);
        if (incarnation < 1 || replaces < 0 || !members.contains(rank)) {
            throw new IllegalArgumentException("no replacement: rank=" + rank + ", replaces=" + replaces + ", incarnation=" + incarnation
                + ", members=" + members);
        }
    }
}
