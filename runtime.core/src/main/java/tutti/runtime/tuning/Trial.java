package tutti.runtime.tuning;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * A trial of contenders by successive halving: says which of them serves the next call, and in the end which one is the fastest.
 *
 * <pre>{@code
 * pass 0           every contender serves one call, of which only the most regret counts: it plans, and meets cold memory
 * each later pass  every contender that is left serves one call
 *                  those whose best time is above FACTOR times the best of all leave at once
 * after 3 passes   the half with the larger medians leaves, until two are left
 * after 8 more     the faster of the two has won
 * }</pre>
 *
 * <p>The contenders take turns call by call, so that what changes with time (compilation, other programs, the program's own phases) meets all alike.
 * Every second pass has the opposite order, so that no contender always follows the same other one. Ten contenders of equal speed need 76 calls; one
 * that is much slower than the others serves two or three.
 *
 * <p>The median of a contender's calls counts, since a call may be interrupted, and of those that are equally fast the one with the least spread. The
 * contender that has served so far, the incumbent, stays unless another one is clearly faster.
 *
 * <p>For one thread. It is a function of the times: ranks that record the same ones make the same choices.
 */
public final class Trial {
    /** Returned when no contender is left. */
    public static final int NONE = -1;
    private static final int PASSES = 3;
    private static final int LAST_PASSES = 8;
    /** How much longer than the best a contender may take at the best, in its first pass and later. */
    private static final int FIRST_FACTOR = 4;
    private static final double FACTOR = 2.5;
    /** Medians that differ by less are equal. */
    private static final double TIE = 1.03;

    private final Samples[] samples;
    private final int[] calls;
    private final long[] totals;
    private final long[] least;
    private final boolean[] isLeft;
    private final boolean[] isFailed;
    private final int incumbent;
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
     */
    public Trial(final int contenders, final int incumbent) {
        this.incumbent = incumbent;
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
            leave(pass == 1 ? FIRST_FACTOR : FACTOR);
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
        passesLeft = isLastRound ? LAST_PASSES : PASSES;
    }

    private void reverse() {
        for (int i = 0; i < order.length / 2; i++) {
            final int other = order[order.length - 1 - i];
            order[order.length - 1 - i] = order[i];
            order[i] = other;
        }
    }

    private void leave(final double factor) {
        final long best = IntStream.range(0, isLeft.length).filter(i -> isLeft[i]).mapToLong(i -> least[i]).min().orElse(0);
        for (int i = 0; i < isLeft.length; i++) {
            isLeft[i] &= least[i] <= factor * best;
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

    /** Returns by how much the recorded calls took longer than if each had taken a time. */
    public long lost(final long nanos) {
        long lost = 0;
        for (int i = 0; i < totals.length; i++) {
            lost += Math.max(0, totals[i] - calls[i] * nanos);
        }
        return lost;
    }
}
