package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import tutti.coll.tck.SymbolicMemory.TermRange;

class SymbolicMemoryTest {
    private final Term.Pool terms = new Term.Pool();
    private final Term a = terms.input(0);
    private final Term b = terms.input(1);
    private final SymbolicMemory memory = new SymbolicMemory(10, a);

    @Test
    void shouldHoldOneTermAtFirst() {
        assertEquals(List.of(new TermRange(2, 3, a, 2)), memory.read(2, 3));
    }

    @Test
    void shouldSplitWhatIsWrittenInto() {
        memory.write(new TermRange(4, 2, b, 0));
        assertEquals(List.of(new TermRange(0, 4, a, 0), new TermRange(4, 2, b, 0), new TermRange(6, 4, a, 6)), memory.read(0, 10));
    }

    @Test
    void shouldJoinWhatBelongsTogether() {
        memory.write(new TermRange(4, 2, b, 4));
        memory.write(new TermRange(6, 2, b, 6));
        memory.write(new TermRange(2, 2, b, 9));
        assertEquals(List.of(new TermRange(2, 2, b, 9), new TermRange(4, 4, b, 4)), memory.read(2, 6));
    }

    @Test
    void shouldCopyFromAnotherPlace() {
        final SymbolicMemory other = new SymbolicMemory(4, b);
        memory.write(7, other.read(1, 2), 1);
        assertEquals(List.of(new TermRange(6, 1, a, 6), new TermRange(7, 2, b, 1), new TermRange(9, 1, a, 9)), memory.read(6, 4));
    }

    @Test
    void shouldHoldNothingWhenEmpty() {
        assertEquals(List.of(), new SymbolicMemory(0, a).read(0, 10));
        assertEquals(List.of(), memory.read(3, 0));
    }
}
