package tutti.pictures.schedule;

import java.util.ArrayList;
import java.util.List;

/**
 * Columns of a picture of plans: one per round, except that of sequences of rounds that repeat only the first two and the last are drawn.
 *
 * @param rounds rounds to draw, in their order; -1 stands for rounds that are left out
 * @param hidden numbers of rounds that are left out, one per -1
 */
record PlanColumns(List<Integer> rounds, List<Integer> hidden) {
    /** Number of rounds up to which all are drawn. */
    private static final int ALL = 9;
    /** Maximum length of a sequence that repeats. */
    private static final int LONGEST = 8;
    /** Number of repetitions from which some are left out. */
    private static final int REPETITIONS = 4;

    /**
     * Returns the columns.
     *
     * @param contents what each round does, as text: equal for rounds that look alike
     */
    static PlanColumns of(final List<String> contents) {
        final List<Integer> rounds = new ArrayList<>();
        final List<Integer> hidden = new ArrayList<>();
        int i = 0;
        while (i < contents.size()) {
            int period = 1;
            int repetitions = 1;
            for (int p = 1; p <= LONGEST && contents.size() > ALL; p++) {
                final int r = repetitions(contents, i, p);
                if (r >= REPETITIONS && r * p > repetitions * period) {
                    period = p;
                    repetitions = r;
                }
            }
            if (repetitions < REPETITIONS) {
                rounds.add(i++);
                continue;
            }
            for (int r = i; r < i + 2 * period; r++) {
                rounds.add(r);
            }
            rounds.add(-1);
            hidden.add((repetitions - 3) * period);
            for (int r = i + (repetitions - 1) * period; r < i + repetitions * period; r++) {
                rounds.add(r);
            }
            i += repetitions * period;
        }
        return new PlanColumns(rounds, hidden);
    }

    /** Returns how many times the rounds from {@code from} on are repeated with that period. */
    private static int repetitions(final List<String> contents, final int from, final int period) {
        int to = from + period;
        while (to < contents.size() && contents.get(to).equals(contents.get(to - period))) {
            to++;
        }
        return Math.min(to, contents.size()) - from < period ? 0 : (to - from) / period;
    }
}
