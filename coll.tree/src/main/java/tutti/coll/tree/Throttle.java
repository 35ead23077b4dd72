package tutti.coll.tree;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.IntStream;

/** Limits the transfers of a plan that are in progress at once. For one plan. */
final class Throttle {
    private final int max;
    private final Deque<Integer> pending = new ArrayDeque<>();

    /** @param max largest number of transfers at once */
    Throttle(final int max) {
        this.max = max;
    }

    /** Returns all ranks except one, from the one after it on, modulo the number of ranks. */
    static int[] others(final int rank, final int size) {
        return IntStream.range(1, size).map(i -> rank < size - i ? rank + i : rank + i - size).toArray();
    }

    /** Returns the dependencies of the next transfer. */
    int[] after() {
        return pending.size() < max ? Dependencies.NONE : Dependencies.of(pending.remove());
    }

    /** Records a transfer. */
    void add(final int task) {
        pending.add(task);
    }
}
