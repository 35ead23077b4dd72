package tutti.runtime.window;

import java.util.ArrayList;
import java.util.List;
import tutti.runtime.window.Window.Flavor;

/**
 * The description of a rank's memory, which the rank sends to the others when a window is created.
 *
 * @param bytes    its length
 * @param dispUnit unit of displacements, in bytes
 * @param flavor   how it comes to be
 * @param leader   first rank with which it has memory of the host in common; itself, where there is no other one
 * @param isMapped whether ranks of other JVMs are among those, so that files are mapped
 * @param number   a random number, by which the ranks find the file of their leader
 */
record RankMemory(long bytes, int dispUnit, Flavor flavor, int leader, boolean isMapped, long number) {
    private static final int FIELDS = 6;

    /** Returns the numbers by which it is told. */
    long[] numbers() {
        return new long[] {bytes, dispUnit, flavor.ordinal(), leader, isMapped ? 1 : 0, number};
    }

    /** Returns what all ranks have told, one rank after the other. */
    static List<RankMemory> all(final long[] told) {
        final List<RankMemory> all = new ArrayList<>();
        for (int i = 0; i < told.length; i += FIELDS) {
            all.add(new RankMemory(told[i], (int) told[i + 1], Flavor.values()[(int) told[i + 2]], (int) told[i + 3], told[i + 4] != 0,
                told[i + 5]));
        }
        for (int r = 0; r < all.size(); r++) {
            final RankMemory of = all.get(r);
            final RankMemory first = all.get(of.leader);
            all.set(r, first.leader == of.leader && first.isMapped == of.isMapped ? of : of.alone(r));
        }
        return all;
    }

    /** Returns what a rank tells whose leader does not know of it: that it is alone. */
    private RankMemory alone(final int rank) {
        return new RankMemory(bytes, dispUnit, flavor, rank, false, number);
    }
}
