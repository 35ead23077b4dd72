package tutti.coll.patterns;

import java.util.Arrays;

/**
 * Fixed number of slots that are used in turn, each after the tasks that used it last: as many tasks are in progress at once as there are slots. For
 * one plan.
 */
public final class SlotRotation {
    private final int[][] users;
    private int last;

    /** @param slots number of slots, at least 1 */
    public SlotRotation(final int slots) {
        users = new int[slots][];
        Arrays.fill(users, Dependencies.NONE);
    }

    /** Returns the next slot. */
    public int next() {
        last = (last + 1) % users.length;
        return last;
    }

    /** Returns the tasks that must complete before a slot may be used again. */
    public int[] after(final int slot) {
        return users[slot];
    }

    /** Records the tasks that use a slot now. */
    public void usedBy(final int slot, final int... tasks) {
        users[slot] = tasks;
    }
}
