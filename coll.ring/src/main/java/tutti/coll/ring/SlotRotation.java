package tutti.coll.ring;

import java.util.Arrays;

/** Fixed number of slots that are used in turn, each after the tasks that used it last. For one plan. */
final class SlotRotation {
    private final int[][] users;
    private int last;

    /** @param slots number of slots, at least 1 */
    SlotRotation(final int slots) {
        users = new int[slots][];
        Arrays.fill(users, Dependencies.NONE);
    }

    /** Returns the next slot. */
    int next() {
        last = (last + 1) % users.length;
        return last;
    }

    /** Returns the tasks that must complete before a slot may be used again. */
    int[] after(final int slot) {
        return users[slot];
    }

    /** Records the tasks that use a slot now. */
    void usedBy(final int slot, final int... tasks) {
        users[slot] = tasks;
    }
}
