package tutti.coll.patterns;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CanonicalBracketsTest {
    @Test
    void shouldPutAPowerOfTwoToTheLeft() {
        assertEquals(List.of(1, 2, 2, 4, 4, 4, 4, 8), IntStream.rangeClosed(2, 9).map(CanonicalBrackets::lower).boxed().toList());
    }
}
