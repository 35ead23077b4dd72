package tutti.runtime.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TrialTest {
    private int calls;

    /** Runs a trial in which the call of a contender takes a time. */
    private Trial run(final int contenders, final int incumbent, final IntToLongFunction time) {
        final Trial trial = new Trial(contenders, incumbent, 80);
        calls = 0;
        while (!trial.isOver()) {
            trial.record(time.applyAsLong(trial.current()));
            calls++;
        }
        return trial;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 7, 10, 13, 16})
    void shouldFindTheFastestInAHundredCalls(final int contenders) {
        for (int fastest = 0; fastest < contenders; fastest++) {
            final int best = fastest;
            assertEquals(best, run(contenders, 0, i -> i == best ? 1000 : 1200 + 10 * i).winner());
            assertTrue(calls <= 100, () -> "calls=" + calls);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void shouldFindTheFastestThoughSomeCallsAreInterrupted(final long seed) {
        final Random random = new Random(seed);
        final int found = run(8, 0, i -> (random.nextInt(8) == 0 ? 50_000 : random.nextInt(100)) + (i == 5 ? 1000 : 1600)).winner();
        assertEquals(5, found);
    }

    @Test
    void shouldLetASlowContenderServeThreeCalls() {
        final Trial trial = run(10, 0, i -> i == 3 ? 1_000_000 : 1000 + i);
        assertEquals(3, trial.calls(3));
        assertEquals(3 * (1_000_000 - 1000), trial.lost(1000), 1000);
    }

    @Test
    void shouldKeepAContenderWhoseFirstCallsWereInterrupted() {
        final int[] served = new int[4];
        assertEquals(2, run(4, 0, i -> served[i]++ < 2 && i == 2 ? 1_000_000 : i == 2 ? 1000 : 2000).winner());
    }

    @Test
    void shouldNotDropAContenderSinceAnotherOneWasLucky() {
        // the times of all calls have a heavy tail; the second contender is the fastest
        final Random random = new Random(3);
        int found = 0;
        for (int i = 0; i < 100; i++) {
            found += run(5, 0, c -> (long) ((c == 1 ? 1000 : 1500) * Math.exp(0.5 * random.nextGaussian()))).winner() == 1 ? 1 : 0;
        }
        assertTrue(found >= 75, "found=" + found);
    }

    @Test
    void shouldCompareWithTheWinnerByTheCallsForWhichBothTookTurns() {
        // everything gets faster by ten from the third pass on
        final int[] call = new int[1];
        final Trial trial = run(4, 0, i -> (i == 2 ? 100 : i == 3 ? 10_000 : 200) * (call[0]++ < 12 ? 10 : 1));
        assertEquals(2, trial.winner());
        assertEquals(2.0, trial.slowdown(0, 2), 0.1);
        assertEquals(100.0, trial.slowdown(3, 2), 0.1);
        assertEquals(1.0, trial.slowdown(2, 2));
    }

    @Test
    void shouldKeepTheIncumbentUnlessAnotherIsClearlyFaster() {
        assertEquals(2, run(5, 2, i -> i == 4 ? 990 : 1000).winner());
        assertEquals(4, run(5, 2, i -> i == 4 ? 900 : 1000).winner());
    }

    @Test
    void shouldPreferTheSteadierOfTwoThatAreEquallyFast() {
        final int[] turn = new int[3];
        assertEquals(1, run(3, 2, i -> i == 2 ? 5000 : i == 1 ? 1000 : 1000 + (turn[0]++ % 3 - 1) * 200).winner());
    }

    @Test
    void shouldLetContendersTakeTurnsCallByCall() {
        final List<Integer> order = new ArrayList<>();
        final Trial trial = new Trial(3, 0, 80);
        for (int i = 0; i < 12; i++) {
            order.add(trial.current());
            trial.record(100);
        }
        assertEquals(List.of(0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0), order);
    }

    @Test
    void shouldTellTheFollowingContenderWhereNoTimeDecidesIt() {
        final Random random = new Random(1);
        final Trial trial = new Trial(9, 0, 80);
        while (!trial.isOver()) {
            final int following = trial.following();
            trial.record(1000 + random.nextInt(3000));
            assertTrue(following == Trial.NONE || following == trial.current());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void shouldGoOnWithoutAContenderThatFails(final int failing) {
        for (int call = 0; call < 5; call++) {
            final Trial trial = new Trial(4, 0, 80);
            int served = 0;
            while (!trial.isOver()) {
                if (trial.current() == failing && served++ == call) {
                    trial.fail();
                } else {
                    trial.record(1000 + 100 * trial.current());
                }
            }
            assertTrue(trial.isFailed(failing) || served <= call);
            assertEquals(trial.isFailed(0) ? 1 : 0, trial.winner());
        }
    }

    @Test
    void shouldHaveNoWinnerWhenAllFail() {
        final Trial trial = new Trial(3, 0, 80);
        while (!trial.isOver()) {
            trial.fail();
        }
        assertEquals(0, trial.winner() == Trial.NONE ? 0 : trial.calls(trial.winner()));
        trial.fail();
        assertEquals(Trial.NONE, trial.winner());
        assertTrue(trial.isOver());
    }

    @Test
    void shouldBeOverWithOneContender() {
        assertTrue(new Trial(1, 0, 80).isOver());
        assertEquals(0, new Trial(1, 0, 80).winner());
        assertTrue(new Trial(0, 0, 80).isOver());
        assertEquals(Trial.NONE, new Trial(0, 0, 80).winner());
    }

    @Test
    void shouldDecideAlikeFromTheSameTimes() {
        for (int seed = 0; seed < 50; seed++) {
            final Random one = new Random(seed);
            final Random other = new Random(seed);
            final Trial first = run(7, 3, i -> 1000 + one.nextInt(1000));
            final Trial second = run(7, 3, i -> 1000 + other.nextInt(1000));
            assertEquals(first.winner(), second.winner());
        }
    }

    @Test
    void shouldFindADriftOnlyWhenItIsMeasuredTwice() {
        final DriftWatch watch = new DriftWatch(1000, 50, 1);
        assertEquals(256, watch.interval());
        assertFalse(watch.measured(1290));
        assertEquals(512, watch.interval());
        assertFalse(watch.measured(1400));
        assertEquals(64, watch.interval());
        assertFalse(watch.measured(1000));
        assertEquals(1024, watch.interval());
        assertFalse(watch.measured(1400));
        assertTrue(watch.measured(1400));
    }

    @Test
    void shouldFindThatAnAlgorithmHasBecomeFasterThoughItsTimesVaried() {
        for (final int spread : List.of(50, 3000)) {
            final DriftWatch watch = new DriftWatch(1000, spread, 1);
            assertFalse(watch.measured(500));
            assertTrue(watch.measured(500));
        }
    }

    @Test
    void shouldIgnoreADriftWithinTheSpread() {
        final DriftWatch watch = new DriftWatch(1000, 600, 1);
        for (int i = 0; i < 10; i++) {
            assertFalse(watch.measured(1500));
        }
        assertEquals(4096, watch.interval());
    }
}
