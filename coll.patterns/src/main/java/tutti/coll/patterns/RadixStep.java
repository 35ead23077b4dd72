package tutti.coll.patterns;

import java.util.ArrayList;
import java.util.List;

/**
 * A distance in the cyclic order of ranks over which every rank sends a message: a digit times a power of the radix.
 *
 * @param unit     the power of the radix
 * @param distance a multiple of {@code unit}, less than the number of ranks
 * @param ranks    the number of ranks about which the message informs: those at {@code distance} and beyond that no other step covers
 */
public record RadixStep(int unit, int distance, int ranks) {

    /** Returns all steps for {@code size} ranks, nearest first. Together they cover the distances 1 to size-1, each once. */
    public static List<RadixStep> all(final int radix, final int size) {
        final List<RadixStep> steps = new ArrayList<>();
        for (long unit = 1; unit < size; unit *= radix) {
            for (long distance = unit; distance < Math.min(size, unit * radix); distance += unit) {
                steps.add(new RadixStep((int) unit, (int) distance, (int) Math.min(unit, size - distance)));
            }
        }
        return steps;
    }

    /** Returns the number of steps, which are ordered nearest first, with a smaller distance than {@code distance}. */
    public static int countNearer(final List<RadixStep> steps, final int distance) {
        int n = 0;
        while (n < steps.size() && steps.get(n).distance < distance) {
            n++;
        }
        return n;
    }
}
