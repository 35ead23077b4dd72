package tutti.coll.recexch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.tck.RecordingPlan;
import tutti.coll.tck.SymbolicReduction;

class CanonicalMergeTest {
    private static final long BYTES = 8;
    private static final BufferRange TARGET = Buffer.RECV.at(0, BYTES);

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 8, 9})
    void shouldPlaceTheResultInTheTargetFromReadOnlyMemory(final int count) {
        for (int own = 0; own < count; own++) {
            for (final boolean swaps : new boolean[] {false, true}) {
                assertEquals(TARGET, merge(plan(count, own, false), Buffer.SEND.at(0, BYTES), TARGET, swaps));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 8, 9})
    void shouldReduceInPlaceWhereOperandsMayBeSwapped(final int count) {
        for (int own = 0; own < count; own++) {
            final RecordingPlan plan = plan(count, own, true);
            assertEquals(TARGET, merge(plan, TARGET, null, true));
            assertEquals((count - 1) * BYTES, plan.scratchBytes());
            assertEquals(2 * (count - 1), plan.tasks().size());
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 0, 0", "2, 1, 1", "3, 0, 0", "3, 1, 1", "3, 2, 1", "4, 2, 0", "4, 3, 1", "5, 4, 1"})
    void shouldCopyARightOperandThatIsReadOnlyUnlessItMayBeSwapped(final int count, final int own, final int copies) {
        final RecordingPlan ordered = plan(count, own, false);
        merge(ordered, Buffer.SEND.at(0, BYTES), TARGET, false);
        assertEquals(2 * (count - 1) + copies, ordered.tasks().size());
        final RecordingPlan swapped = plan(count, own, false);
        merge(swapped, Buffer.SEND.at(0, BYTES), TARGET, true);
        assertEquals(2 * (count - 1), swapped.tasks().size());
        assertEquals((count - 2) * BYTES, swapped.scratchBytes());
    }

    private static RecordingPlan plan(final int count, final int own, final boolean inPlace) {
        return new RecordingPlan(own, count, new Call.Allreduce(new SymbolicReduction(1, true), BYTES, inPlace));
    }

    private static BufferRange merge(final RecordingPlan plan, final BufferRange value, final BufferRange target, final boolean swaps) {
        return new CanonicalMerge(plan, new SymbolicReduction(1, true), swaps).merge(value, target, IntStream.range(0, plan.size()).toArray());
    }
}
