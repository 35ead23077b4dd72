package tutti.coll.advanced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the errors that modules report. */
class CollExceptionTest {
    @Test
    void shouldHaveClassCodeAndText() {
        final CollException e = new CollException(2, 4711, "too many elements: count=9, max=8");
        assertEquals(2, e.errorClass());
        assertEquals(4711, e.errorCode());
        assertEquals("too many elements: count=9, max=8", e.getMessage());
    }

    @Test
    void shouldBelongToNoOtherClassByDefault() {
        final CollException e = new CollException("no");
        assertEquals(CollException.ERR_OTHER, e.errorClass());
        assertEquals(CollException.ERR_OTHER, e.errorCode());
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 0", "-1, 5"})
    void shouldRefuseNumbersThatAreNotAboveZero(final int errorClass, final int errorCode) {
        assertThrows(IllegalArgumentException.class, () -> new CollException(errorClass, errorCode, "no"));
    }
}
