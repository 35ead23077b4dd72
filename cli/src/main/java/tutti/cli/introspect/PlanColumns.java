package tutti.cli.introspect;

import java.util.ArrayList;
import java.util.List;

/**
 * Columns of a picture of plans: one per step, except that of rounds that repeat only the first two and the last are drawn.
 *
 * @param steps  steps to draw, in their order; -1 stands for rounds that are left out
 * @param hidden numbers of rounds that are left out, one per -1
 */
record PlanColumns(List<Integer> steps, List<Integer> hidden) {
    /** Number of steps up to which all are drawn. */
    private static final int ALL = 14;
    /** Maximum number of steps of a round. */
    private static final int LONGEST = 8;
    /** Number of equal rounds from which some are left out. */
    private static final int ROUNDS = 4;

    /**
     * Returns the columns.
     *
     * @param contents what each step does, as text: equal for steps that look alike
     */
    static PlanColumns of(final List<String> contents) {
        final List<Integer> steps = new ArrayList<>();
        final List<Integer> hidden = new ArrayList<>();
        int i = 0;
        while (i < contents.size()) {
            int period = 1;
            int rounds = 1;
            for (int p = 1; p <= LONGEST && contents.size() > ALL; p++) {
                final int r = rounds(contents, i, p);
                if (r >= ROUNDS && r * p > rounds * period) {
                    period = p;
                    rounds = r;
                }
            }
            if (rounds < ROUNDS) {
                steps.add(i++);
                continue;
            }
            for (int s = i; s < i + 2 * period; s++) {
                steps.add(s);
            }
            steps.add(-1);
            hidden.add(rounds - 3);
            for (int s = i + (rounds - 1) * period; s < i + rounds * period; s++) {
                steps.add(s);
            }
            i += rounds * period;
        }
        return new PlanColumns(steps, hidden);
    }

    /** Returns how many times the steps from {@code from} on are repeated with that period. */
    private static int rounds(final List<String> contents, final int from, final int period) {
        int to = from + period;
        while (to < contents.size() && contents.get(to).equals(contents.get(to - period))) {
            to++;
        }
        return Math.min(to, contents.size()) - from < period ? 0 : (to - from) / period;
    }
}
