package tutti.runtime.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that the hash that ranks compare depends on the content, all of it, and on nothing else. */
class AgreementHashTest {
    private static long of(final String... parts) {
        final AgreementHash hash = new AgreementHash();
        for (final String part : parts) {
            hash.add(part);
        }
        return hash.value();
    }

    @Test
    void shouldBeTheSameInEveryJvm() {
        assertEquals(0xcbf29ce484222325L, of());
        assertEquals(of("bcast", "tree"), of("bcast", "tree"));
        assertEquals(-3_484_518_971_248_651_285L, new AgreementHash().add("bcast").add(4).value());
    }

    @Test
    void shouldDifferWhereHashCodesOfTextsDoNot() {
        assertEquals("Aa".hashCode(), "BB".hashCode());
        assertNotEquals(of("Aa"), of("BB"));
        assertNotEquals(of("ab", "c"), of("a", "bc"));
        assertNotEquals(of("a", "b"), of("b", "a"));
        assertNotEquals(of("\u0101"), of("\u0001"));
    }

    @Test
    void shouldDifferForAllShortTexts() {
        final Set<Long> seen = new HashSet<>();
        int texts = 0;
        for (char a = 'a'; a <= 'z'; a++) {
            for (char b = 'a'; b <= 'z'; b++) {
                for (char c = 'a'; c <= 'z'; c++) {
                    seen.add(of("" + a + b + c));
                    texts++;
                }
            }
        }
        assertEquals(texts, seen.size());
    }
}
