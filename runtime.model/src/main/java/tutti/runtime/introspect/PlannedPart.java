package tutti.runtime.introspect;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A collective that a rank's plan nests on a hidden communicator, and the algorithm that serves it there.
 *
 * @param first        its first task, by the index in the schedule
 * @param last         its last task; those between are its own, or of collectives that it nests
 * @param operation    name in lower case
 * @param communicator name of the hidden communicator
 * @param bytes        length of the rank's larger buffer
 * @param module       the selected module, name and version
 * @param algorithm    the module's algorithm
 * @param reason       why that algorithm was selected
 */
public record PlannedPart(int first, int last, String operation, String communicator, long bytes, String module, String algorithm, String reason) {

    /**
     * Returns the innermost collective that a task belongs to; null if it belongs to none of them.
     *
     * @param parts those of a plan, in the order of their first tasks
     */
    public static @Nullable PlannedPart of(final List<PlannedPart> parts, final int task) {
        for (final PlannedPart p : parts.reversed()) {
            if (p.first <= task && task <= p.last) {
                return p;
            }
        }
        return null;
    }
}
