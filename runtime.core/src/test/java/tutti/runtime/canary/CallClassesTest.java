package tutti.runtime.canary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.canary.ResultComparison.Outcome;
import tutti.runtime.introspect.CanaryReport.Verdict;

class CallClassesTest {
    private static final int CALLS = 8;

    private final CallClasses classes = new CallClasses(CALLS, CALLS);

    private CallClass bcast(final long bytes) {
        return classes.of(Operation.BCAST, new Call.Bcast(bytes, 0));
    }

    /** Notes comparisons in which the candidate takes some percentages of the time. */
    private void add(final CallClass to, final int... percent) {
        for (final int p : percent) {
            to.count();
            to.add(Outcome.EQUAL, 100_000, 1000L * p);
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
        add(bcast(8), 100, 100, 100, 100, 100, 100, 100, 100);
        add(bcast(64), 130, 131, 129, 135, 105, 128, 133, 132);
        assertEquals(Verdict.SLOW, classes.verdict().verdict());
        assertEquals("bcast from 64 bytes takes 1.31 times as long (quartiles 1.29 and 1.32, 8 calls)", classes.verdict().reason());
    }

    @Test
    void shouldNotFindACandidateSlowByChance() {
        // seven of eight
        add(bcast(64), 130, 131, 129, 135, 95, 128, 133, 132);
        assertEquals(Verdict.RUNNING, classes.verdict().verdict());
        add(bcast(64), 130, 131, 129);
        assertEquals(Verdict.SLOW, classes.verdict().verdict());
    }

    @Test
    void shouldWaitForMoreCallsWhereTimesVary() {
        add(bcast(64), 50, 60, 70, 120, 150, 150, 150, 150);
        assertEquals(Verdict.RUNNING, classes.verdict().verdict());
        add(bcast(64), 50, 60, 70, 50, 150, 150, 150, 150);
        add(bcast(64), 50, 60, 70, 120, 150, 150, 150, 150);
        assertEquals(Verdict.EQUAL, classes.verdict().verdict());
    }

    @Test
    void shouldWaitForClassesThatAreUsedOften() {
        add(bcast(8), 100, 99, 102, 100, 100, 101, 97, 100);
        bcast(64).count();
        assertEquals(Verdict.RUNNING, classes.verdict().verdict());
        for (int i = 0; i < 1000; i++) {
            bcast(8).count();
        }
        assertEquals(Verdict.EQUAL, classes.verdict().verdict());
    }

    @Test
    void shouldFindACandidateBetterWhoseTimesAreLower() {
        add(bcast(8), 50, 60, 50, 60, 50, 60, 50, 60);
        add(bcast(64), 104, 95, 104, 95, 104, 95, 104, 95);
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
