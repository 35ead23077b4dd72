package tutti.runtime.canary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

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
        add(bcast(64), 1, 130, 131, 129, 135, 115, 128, 133, 132, 132, 130);
        assertEquals(Verdict.SLOW, classes.verdict().verdict());
        assertEquals("bcast from 64 bytes takes 1.31 times as long (quartiles 1.29 and 1.32, 13 calls)", classes.verdict().reason());
    }

    @Test
    void shouldNotFindACandidateSlowByChance() {
        // nine of ten
        add(bcast(64), 1, 130, 131, 129, 135, 95, 128, 133, 132, 131, 130);
        assertEquals(Verdict.RUNNING, classes.verdict().verdict());
        add(bcast(64), 4, 130);
        assertEquals(Verdict.SLOW, classes.verdict().verdict());
    }

    @Test
    void shouldNotFindACandidateSlowThatIsAsFastWhereTimesVary() {
        add(bcast(64), 30, 300, 30, 90, 150, 105);
        assertEquals(Verdict.EQUAL, classes.verdict().verdict());
    }

    @Test
    void shouldLetTheMedianDecideWhereTimesVaryTooMuch() {
        add(bcast(64), 39, 200, 50);
        add(bcast(64), 1, 112);
        assertEquals(Verdict.RUNNING, classes.verdict().verdict());
        add(bcast(64), 1, 114);
        assertEquals(Verdict.SLOW, classes.verdict().verdict());
    }

    @Test
    void shouldWaitForClassesThatAreUsedOften() {
        add(bcast(8), 1, 100, 99, 102, 100, 100, 101, 97, 100, 100, 101);
        bcast(64).count();
        assertEquals(Verdict.RUNNING, classes.verdict().verdict());
        for (int i = 0; i < 1000; i++) {
            bcast(8).count();
        }
        assertEquals(Verdict.EQUAL, classes.verdict().verdict());
    }

    @Test
    void shouldFindACandidateBetterWhoseTimesAreLower() {
        add(bcast(8), 5, 50, 60);
        add(bcast(64), 5, 104, 95);
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
    void shouldFindTheSameAlgorithmsEqual() {
        for (int i = 0; i < CALLS; i++) {
            bcast(8).count();
            bcast(8).addSame();
        }
        assertEquals(Verdict.EQUAL, classes.verdict().verdict());
    }
}
