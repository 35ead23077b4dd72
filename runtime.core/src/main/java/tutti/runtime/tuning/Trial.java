package tutti.runtime.tuning;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * A trial of contenders by successive halving: says which of them serves the next call, and in the end which one is the fastest.
 *
 * <pre>{@code
 * pass 0           every contender serves one call, whose time does not count: it plans, and meets cold memory
 * each later pass  every contender that is left serves one call; those that are clearly slower leave at once
 * each round       has some passes, then the half with the larger medians leaves
 * the last round   has two contenders, of which the faster one wins
 * }</pre>
 *
 * <p>All rounds have about as many calls, so contenders are compared the more exactly the closer they are.
 *
 * <p>The contenders take turns call by call, so that what changes with time (compilation, other programs, the program's own phases) meets all alike.
 * Every second pass has the opposite order, so that no contender always follows the same other one.
 *
 * <p>A contender is clearly slower when its best time is far above the median of another one or, with more samples, its lower quartile is above the
 * upper one of the best. So one that is much slower than the others serves three or four calls, and the regret is bounded. On a noisy machine the
 * best of many times is a matter of luck, so no contender leaves because another one was lucky.
 *
 * <p>The median of a contender's calls counts, since a call may be interrupted, and of those that are equally fast the one with the least spread. The
 * contender that has served so far, the incumbent, stays unless another one is clearly faster.
 *
 * <p>For one thread. It is a function of the times: ranks that record the same ones make the same choices.
 */
public final class Trial {
    /** Returned when no contender is left. */
    public static final int NONE = -1;
    private static final int MIN_PASSES = 2;
    private static final int MAX_PASSES = 12;
    /** Number of passes after which quartiles are compared. */
    private static final int QUARTILES = 5;
    /** How many times the median of another one the best time of a contender may be, by the number of passes: a single call may be interrupted. */
    private static final double[] FACTORS = {Double.POSITIVE_INFINITY, 8, 2, 1.5};
    /** Medians that differ by less are equal. */
    private static final double TIE = 1.03;

    private final Samples[] samples;
    private final int[] calls;
    private final long[] totals;
    private final long[] least;
    private final boolean[] isLeft;
    private final boolean[] isFailed;
    private final int incumbent;
    /** Number of calls of a round. */
    private final int roundCalls;
    private int[] order;
    private int position;
    private int pass;
    private int passesLeft;
    private boolean isLastRound;

    /**
     * Creates a trial.
     *
     * @param contenders number of contenders
     * @param incumbent  the one that has served so far
     * @param budget     number of calls that it should have at the most; it has more where there are too many contenders
     */
    public Trial(final int contenders, final int incumbent, final int budget) {
        this.incumbent = incumbent;
        final int rounds = Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(contenders - 1));
        this.roundCalls = (budget - contenders) / rounds;
        samples = new Samples[contenders];
        Arrays.setAll(samples, i -> new Samples());
        calls = new int[contenders];
        totals = new long[contenders];
        least = new long[contenders];
        Arrays.fill(least, Long.MAX_VALUE);
        isLeft = new boolean[contenders];
        Arrays.fill(isLeft, true);
        isFailed = new boolean[contenders];
        order = left();
        beginRound();
    }

    private int[] left() {
        return IntStream.range(0, isLeft.length).filter(i -> isLeft[i]).toArray();
    }

    /** Returns whether the trial has ended. */
    public boolean isOver() {
        return order.length <= 1 || passesLeft == 0;
    }

    /** Returns the contender that serves the next call. Only while the trial {@linkplain #isOver is not over}. */
    public int current() {
        return order[position];
    }

    /** Returns the contender that serves the call after the next one; {@link #NONE} where that depends on times. */
    public int following() {
        return position + 1 < order.length ? order[position + 1] : NONE;
    }

    /** Records the time of the call that the current contender served, and goes on to the next one. */
    public void record(final long nanos) {
        final int i = current();
        calls[i]++;
        totals[i] += nanos;
        least[i] = Math.min(least[i], nanos);
        if (pass > 0) {
            samples[i].add(nanos);
        }
        position++;
        if (position == order.length) {
            endPass();
        }
    }

    /** Removes the current contender, which cannot serve, and goes on to the next one. */
    public void fail() {
        final int i = current();
        isLeft[i] = false;
        isFailed[i] = true;
        order = IntStream.of(order).filter(c -> c != i).toArray();
        if (position == order.length) {
            endPass();
        }
    }

    private void endPass() {
        position = 0;
        if (pass > 0) {
            leave();
            passesLeft--;
        }
        pass++;
        order = left();
        if (!isLastRound && passesLeft == 0 && order.length > 2) {
            final long best = best(order);
            IntStream.of(order).boxed().sorted(Comparator.comparingLong(i -> i == incumbent && isFast(i, best) ? best : samples[i].median()))
                .skip((order.length + 1) / 2).forEach(i -> isLeft[i] = false);
            order = left();
        }
        if (!isLastRound && (passesLeft == 0 || order.length <= 2)) {
            beginRound();
        }
        if (pass % 2 == 1) {
            reverse();
        }
    }

    private long best(final int[] contenders) {
        return IntStream.of(contenders).mapToLong(i -> samples[i].median()).min().orElse(0);
    }

    /** Returns whether a contender is as fast as the best one. */
    private boolean isFast(final int contender, final long best) {
        return samples[contender].median() <= TIE * best;
    }

    private void beginRound() {
        isLastRound = order.length <= 2;
        passesLeft = Math.clamp(roundCalls / Math.max(1, order.length), MIN_PASSES, MAX_PASSES);
    }

    private void reverse() {
        for (int i = 0; i < order.length / 2; i++) {
            final int other = order[order.length - 1 - i];
            order[order.length - 1 - i] = order[i];
            order[i] = other;
        }
    }

    /** Removes those that are clearly slower than the one with the least median. */
    private void leave() {
        final int[] rest = left();
        final int best = IntStream.of(rest).boxed().min(Comparator.comparingLong(i -> samples[i].median())).orElse(NONE);
        for (final int i : rest) {
            isLeft[i] = isFast(i, samples[best].median()) || (pass < QUARTILES ? least[i] <= FACTORS[pass - 1] * samples[best].median()
                : samples[i].lowerQuartile() <= samples[best].upperQuartile());
        }
    }

    /** Returns the fastest contender of those that are left; {@link #NONE} when there is none. */
    public int winner() {
        final int[] rest = left();
        if (rest.length == 0) {
            return NONE;
        }
        final long best = best(rest);
        final int[] fast = IntStream.of(rest).filter(i -> isFast(i, best)).toArray();
        return IntStream.of(fast).filter(i -> i == incumbent).findFirst()
            .orElseGet(() -> IntStream.of(fast).boxed().min(Comparator.comparingLong(i -> samples[i].spread())).orElseThrow());
    }

    /** Returns whether a contender was removed since it cannot serve. */
    public boolean isFailed(final int contender) {
        return isFailed[contender];
    }

    /** Returns the number of recorded calls of a contender. */
    public int calls(final int contender) {
        return calls[contender];
    }

    /** Returns the recorded times of a contender, without that of its first call. */
    public Samples samples(final int contender) {
        return samples[contender];
    }

    /**
     * Returns how many times as long as the winner a contender took, by the medians of the passes in which both took part; 0 when they are not known.
     *
     * @param winner a contender that is left
     */
    public double slowdown(final int contender, final int winner) {
        final int common = Math.min(samples[contender].count(), samples[winner].count());
        return common == 0 ? 0 : (double) samples[contender].median(common) / Math.max(1, samples[winner].median(common));
    }

    /** Returns by how much the recorded calls took longer than if each had taken a time. */
    public long lost(final long nanos) {
        long lost = 0;
        for (int i = 0; i < totals.length; i++) {
            lost += Math.max(0, totals[i] - calls[i] * nanos);
        }
        return lost;
    }
}
