package tutti.coll.ring;

import java.util.Arrays;

/** A fixed number of places that are taken in turn, each once its last user is done with it. For one plan. */
final class SlotRotation {
    private final int[][] users;
    private int last;

    /** @param places how many, from 1 */
    SlotRotation(final int places) {
        users = new int[places][];
        Arrays.fill(users, Dependencies.NONE);
    }

    /** The next place. */
    int next() {
        last = (last + 1) % users.length;
        return last;
    }

    /** What must be done before a place may be used again. */
    int[] free(final int place) {
        return users[place];
    }

    /** Notes who uses a place now. */
    void usedBy(final int place, final int... tasks) {
        users[place] = tasks;
    }
}
