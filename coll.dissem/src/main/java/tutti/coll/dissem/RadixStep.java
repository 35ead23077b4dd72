package tutti.coll.dissem;

import java.util.ArrayList;
import java.util.List;

/**
 * One of the distances around the circle of ranks over which messages go, the same for all ranks: a digit times a power of the radix.
 *
 * @param unit     the power of the radix
 * @param distance a multiple of {@code unit} below the number of ranks
 * @param run      how many ranks are learnt of over it: those at {@code distance} and behind that are not nearer by another way round
 */
record RadixStep(int unit, int distance, int run) {

    /** All hops of {@code size} ranks, near ones first. Their runs cover the distances 1 to size-1, each once. */
    static List<RadixStep> all(final int radix, final int size) {
        final List<RadixStep> hops = new ArrayList<>();
        for (long unit = 1; unit < size; unit *= radix) {
            for (long distance = unit; distance < Math.min(size, unit * radix); distance += unit) {
                hops.add(new RadixStep((int) unit, (int) distance, (int) Math.min(unit, size - distance)));
            }
        }
        return hops;
    }

    /** How many of the hops, near ones first, lead to ranks that are nearer than {@code distance}. */
    static int nearer(final List<RadixStep> hops, final int distance) {
        int n = 0;
        while (n < hops.size() && hops.get(n).distance < distance) {
            n++;
        }
        return n;
    }
}
