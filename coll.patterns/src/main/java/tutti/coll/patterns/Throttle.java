package tutti.coll.patterns;

import java.util.ArrayDeque;
import java.util.Deque;
import tutti.coll.Task;

/** Limit of the transfers in progress: each waits for the one that was added so many before it. For one plan. */
public final class Throttle {
    private static final Task[] NONE = {};

    private final int limit;
    private final Deque<Task[]> recent = new ArrayDeque<>();

    /** @param limit largest number of transfers in progress, at least 1 */
    public Throttle(final int limit) {
        this.limit = limit;
    }

    /** Returns the tasks that the next transfer waits for. */
    public Task[] before() {
        return recent.size() < limit ? NONE : recent.getFirst();
    }

    /** Adds a transfer, by the tasks of which it consists. */
    public void add(final Task... transfer) {
        if (recent.size() == limit) {
            recent.removeFirst();
        }
        recent.addLast(transfer);
    }
}
