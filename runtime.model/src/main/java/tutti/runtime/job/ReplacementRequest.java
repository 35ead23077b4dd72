package tutti.runtime.job;

import java.util.ArrayList;
import java.util.List;

/**
 * The request of the ranks of a communicator that live for spare ranks in the places of those that have failed. Each of them makes it, and all get
 * the same answer.
 *
 * @param context context id of the communicator that they create
 * @param members ranks that had the places in the communicator, in its order, by their numbers in the job
 * @param failed  those of them that have failed
 */
public record ReplacementRequest(long context, List<Integer> members, List<Integer> failed) {
    /** Checks that ranks have failed, all of which are members, and copies the lists. */
    public ReplacementRequest {
        members = List.copyOf(members);
        failed = List.copyOf(failed);
        if (failed.isEmpty() || !members.containsAll(failed) || members.stream().distinct().count() != members.size()) {
            throw new IllegalArgumentException("no request for replacements: members=" + members + ", failed=" + failed);
        }
    }

    /** Returns the members with other ranks in the places of the failed ones. */
    public List<Integer> with(final List<Integer> others) {
        final List<Integer> made = new ArrayList<>(members);
        int next = 0;
        for (int i = 0; i < made.size(); i++) {
            if (failed.contains(made.get(i))) {
                made.set(i, others.get(next++));
            }
        }
        return made;
    }
}
