package tutti.runtime.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import tutti.runtime.datatype.Datatype;

class ModuleAvailabilityTest {
    private static ModuleAvailability combined(final ModuleAvailability... ranks) {
        final ModuleAvailability all = ranks[0];
        for (int r = 1; r < ranks.length; r++) {
            ModuleAvailability.COMBINE.bind(Datatype.LONG).apply(MemorySegment.ofArray(ranks[r].values), 0, MemorySegment.ofArray(all.values), 0,
                all.values.length);
        }
        return all;
    }

    private static ModuleAvailability of(final long status, final long operations, final long balance, final long hash) {
        final ModuleAvailability availability = new ModuleAvailability(2, 0);
        availability.set(1, status, operations, balance, hash);
        return availability;
    }

    @Test
    void shouldTellWhetherAllRanksTakeTheSameStep() {
        assertTrue(combined(new ModuleAvailability(2, 5), new ModuleAvailability(2, 5), new ModuleAvailability(2, 5)).isStep(5));
        final ModuleAvailability different = combined(new ModuleAvailability(2, 5), new ModuleAvailability(2, 6), new ModuleAvailability(2, 5));
        assertFalse(different.isStep(5));
        assertFalse(different.isStep(6));
    }

    @Test
    void shouldTellWhetherAllRanksExcludeAModuleForTheSameReason() {
        final ModuleAvailability same = combined(of(ModuleAvailability.exclusion(1), 0, 0, 11), of(ModuleAvailability.exclusion(0), 0, 0, 11));
        assertEquals(0, same.excludedBy(1));
        assertTrue(same.isUnanimous(1));
        assertFalse(combined(of(ModuleAvailability.exclusion(0), 0, 0, 11), of(ModuleAvailability.exclusion(1), 0, 0, 12)).isUnanimous(1));
        assertFalse(combined(of(50, 3, 0, 11), of(ModuleAvailability.exclusion(1), 3, 0, 12)).isUnanimous(1));
    }

    @Test
    void shouldCombineThePriorityOperationsAndBalanceOfAModule() {
        final ModuleAvailability all = combined(of(50, 6, 2, 11), of(40, 3, -1, 11), of(60, 7, -1, 11));
        assertEquals(40, all.status(1));
        assertEquals(2, all.operations(1));
        assertEquals(0, all.balance(1));
        assertEquals(-1, all.excludedBy(1));
    }

    @Test
    void shouldShortenATextAsAnExchangeDoes() {
        assertEquals("four", PackedText.shortened("four", 1));
        assertEquals("12345678", PackedText.shortened("1234567890", 1));
    }
}
