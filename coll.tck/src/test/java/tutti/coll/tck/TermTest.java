package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TermTest {
    private final Term.Pool terms = new Term.Pool();
    private final Term a = terms.input(0);
    private final Term b = terms.input(1);
    private final Term c = terms.input(2);

    @Test
    void shouldTellBracketsApart() {
        final Term left = terms.combine(terms.combine(a, b, false), c, false);
        final Term right = terms.combine(a, terms.combine(b, c, false), false);
        assertEquals("((0 1) 2)", left.toString());
        assertEquals("(0 (1 2))", right.toString());
        assertNotSame(left, right);
        assertTrue(left.covers(0, 2, false));
        assertTrue(right.covers(0, 2, false));
    }

    @Test
    void shouldBeTheSameObjectWhenMadeTheSameWay() {
        assertSame(terms.combine(a, b, false), terms.combine(terms.input(0), terms.input(1), false));
    }

    @Test
    void shouldOnlyMindTheOrderWhereOperandsDoNotCommute() {
        assertSame(terms.combine(a, b, true), terms.combine(b, a, true));
        assertTrue(terms.combine(c, b, true).covers(1, 2, true));
        assertFalse(terms.combine(c, b, false).covers(1, 2, false));
    }

    @Test
    void shouldNotCoverWhatIsMissingOrCountsTwice() {
        assertFalse(terms.combine(a, a, true).covers(0, 1, true));
        assertFalse(terms.combine(a, b, false).covers(0, 2, false));
        assertFalse(terms.undefined().covers(0, 0, false));
        assertFalse(terms.untouched().isContribution());
    }
}
