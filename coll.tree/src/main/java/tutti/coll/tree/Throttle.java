package tutti.coll.tree;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.IntStream;

/** The last transfers of a plan, of which a bounded number runs at once. For one plan. */
final class Throttle {
    private final int most;
    private final Deque<Integer> last = new ArrayDeque<>();

    /** @param most transfers at once */
    Throttle(final int most) {
        this.most = most;
    }

    /** The ranks but one, from the one after it on, around. */
    static int[] others(final int rank, final int size) {
        return IntStream.range(1, size).map(i -> rank < size - i ? rank + i : rank + i - size).toArray();
    }

    /** What the next transfer comes after. */
    int[] free() {
        return last.size() < most ? Dependencies.NONE : Dependencies.of(last.remove());
    }

    /** Notes the transfer that was added. */
    void add(final int task) {
        last.add(task);
    }
}
