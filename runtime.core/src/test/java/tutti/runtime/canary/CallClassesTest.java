package tutti.runtime.canary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.canary.ResultComparison.Outcome;
import tutti.runtime.introspect.CanaryReport.Verdict;

class CallClassesTest {
    private static final int CALLS = 10;

    private final CallClasses classes = new CallClasses(CALLS, CALLS);

    private CallClass bcast(final long bytes) {
        return classes.of(Operation.BCAST, new Call.Bcast(bytes, 0));
    }

    /** Notes comparisons in which the candidate takes some percentages of the time, some times over. */
    private void add(final CallClass to, final int times, final int... percent) {
        while (to.compared() < CallClass.COLD) {
            to.add(Outcome.EQUAL, 1, 1000);
        }
        for (int i = 0; i < times; i++) {
            for (final int p : percent) {
                to.count();
                to.add(Outcome.EQUAL, 100_000, 1000L * p);
            }
        }
    }

    @Test
    void shouldDivideCallsAtPowersOfTwo() {
        assertSame(bcast(64), bcast(127));
        assertEquals("bcast from 0 bytes", bcast(0).report().name());
        assertEquals("bcast from 1 bytes", bcast(1).report().name());
        assertEquals("bcast from 2 bytes", bcast(3).report().name());
        assertEquals("bcast from 64 bytes", bcast(64).report().name());
        assertEquals("bcast from 128 bytes", bcast(128).report().name());
        assertEquals("bcast from 4611686018427387904 bytes", bcast(Long.MAX_VALUE).report().name());
        assertEquals("gatherv", classes.of(Operation.GATHERV, new Call.Gather(8, null, 0, false)).report().name());
    }

    @Test
    void shouldFindACandidateSlowWhoseTimesAreHigher() {
        add(bcast(8), 10, 100);
        add(bcast(64), 2, 130, 131, 129, 135, 115, 128, 133, 132, 132, 130);
        assertEquals(Verdict.SLOW, classes.verdict().verdict());
        assertEquals("bcast from 64 bytes takes 1.31 times as long (quartiles 1.29 and 1.32, 23 calls)", classes.verdict().reason());
    }

    @Test
    void shouldNotFindACandidateSlowByChance() {
        // 16 of 17, which is 1.5^16 / 2 = 328 times as probable if it is slow
        add(bcast(64), 1, 130, 131, 129, 135, 95, 128, 133, 132, 131, 130);
        add(bcast(64), 7, 130);
        assertEquals(Verdict.RUNNING, classes.verdict().verdict());
        add(bcast(64), 3, 130);
        assertEquals(Verdict.SLOW, classes.verdict().verdict());
    }

    @Test
    void shouldNotFindACandidateSlowThatIsAsFastWhereTimesVary() {
        add(bcast(64), 30, 300, 30, 90, 150, 105);
        assertEquals(Verdict.EQUAL, classes.verdict().verdict());
    }

    /** One of a thousand trials may find a candidate slow of which half of the comparisons are above the limit, however often it is asked. */
    @Test
    void shouldNotFindACandidateSlowThoughItIsAskedOften() {
        final Random random = new Random(41);
        int slow = 0;
        for (int i = 0; i < 2000; i++) {
            final CallClass of = new CallClasses(CALLS, CALLS).of(Operation.BARRIER, new Call.Barrier());
            boolean isSlow = false;
            for (int n = 0; n < CallClass.COLD + 8 * CALLS; n++) {
                of.add(Outcome.EQUAL, 100, random.nextBoolean() ? 200 : 50);
                isSlow |= of.isSlow(CALLS);
            }
            slow += isSlow ? 1 : 0;
        }
        assertTrue(slow <= 6, slow + " of 2000");
    }

    @Test
    void shouldTellWhenTimesVaryTooMuchToTell() {
        add(bcast(64), 39, 200, 50);
        add(bcast(64), 1, 112);
        assertEquals(Verdict.RUNNING, classes.verdict().verdict());
        add(bcast(64), 1, 114);
        assertEquals(Verdict.ABANDONED, classes.verdict().verdict());
        assertEquals(
            "times vary too much to tell whether it is slow: bcast from 64 bytes takes 1.13 times as long (quartiles 0.50 and 2.00, 83 calls)",
            classes.verdict().reason());
        add(bcast(64), 2, 90);
        assertEquals(Verdict.EQUAL, classes.verdict().verdict());
        assertTrue(classes.verdict().reason().startsWith("as far as can be told where times vary: bcast from 64 bytes"), classes.verdict()::reason);
    }

    @Test
    void shouldWaitForClassesThatAreUsedOften() {
        add(bcast(8), 2, 100, 99, 102, 100, 100, 101, 97, 100, 100, 101);
        bcast(64).count();
        assertEquals(Verdict.RUNNING, classes.verdict().verdict());
        for (int i = 0; i < 1000; i++) {
            bcast(8).count();
        }
        assertEquals(Verdict.EQUAL, classes.verdict().verdict());
    }

    @Test
    void shouldFindACandidateBetterWhoseTimesAreLower() {
        add(bcast(8), 6, 50, 60);
        add(bcast(64), 6, 104, 95);
        assertEquals(Verdict.BETTER, classes.verdict().verdict());
    }

    @Test
    void shouldAbandonATrialWithoutComparisons() {
        for (int i = 0; i < CALLS; i++) {
            bcast(8).count();
        }
        bcast(8).exclude("calls are too large to be compared");
        assertEquals(Verdict.ABANDONED, classes.verdict().verdict());
    }

    @Test
    void shouldAbandonATrialOfACandidateThatServesNoneOfTheCalls() {
        for (int i = 0; i < CALLS; i++) {
            bcast(8).count();
            bcast(8).addSame();
        }
        assertEquals(Verdict.ABANDONED, classes.verdict().verdict());
        assertEquals("it serves none of the calls", classes.verdict().reason());
    }
}
