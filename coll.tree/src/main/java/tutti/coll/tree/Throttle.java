package tutti.coll.tree;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.IntStream;

/** Limits the transfers of a plan that are in progress at once. For one plan. */
final class Throttle {
    private final int most;
    private final Deque<Integer> last = new ArrayDeque<>();

    /** @param max largest number of transfers at once */
    Throttle(final int max) {
        this.most = max;
    }

    /** Returns all ranks except one, from the one after it on, modulo the number of ranks. */
    static int[] others(final int rank, final int size) {
        return IntStream.range(1, size).map(i -> rank < size - i ? rank + i : rank + i - size).toArray();
    }

    /** Returns the dependencies of the next transfer. */
    int[] free() {
        return last.size() < most ? Dependencies.NONE : Dependencies.of(last.remove());
    }

    /** Records a transfer. */
    void add(final int task) {
        last.add(task);
    }
}
