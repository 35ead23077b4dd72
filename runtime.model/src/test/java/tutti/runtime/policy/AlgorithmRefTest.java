package tutti.runtime.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AlgorithmRefTest {
    @Test
    void shouldReadAModuleAnAlgorithmAndItsParameters() {
        assertEquals(new AlgorithmRef("tree", null), AlgorithmRef.of("tree"));
        assertEquals(new AlgorithmRef("tree", "kary"), AlgorithmRef.of("tree/kary"));
        assertEquals(new AlgorithmRef("tree", "kary", new TreeMap<>(Map.of("branches", "4", "segment", "65536", "mode", "fast"))),
            AlgorithmRef.of("tree/kary:segment=64K,mode=fast,branches=4"));
    }

    @Test
    void shouldEqualAReferenceWithTheSameValues() {
        assertEquals(AlgorithmRef.of("tree/kary:branches=4,segment=65536"), AlgorithmRef.of("tree/kary:segment=64K,branches=4"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tree", "tree/kary", "tree/kary:branches=4,segment=64K", "m/a:text=4X,x=-1"})
    void shouldWriteTheTextThatItReads(final String text) {
        assertEquals(text, AlgorithmRef.of(text).toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "a/b/c|not a reference to a module or algorithm", "a/|not a reference to a module or algorithm",
        "a:k=2|not a reference to a module or algorithm", "a/b:|not a reference to a module or algorithm",
        "a/b:k|not a reference to a module or algorithm", "a/b:k=|not a reference to a module or algorithm",
        "a/b:k=2,|not a reference to a module or algorithm", "a/b:k= 2|not a reference to a module or algorithm",
        "a/b:k=2,k=3|parameter occurs twice: k", "a/b:k=99999999999G|number too large: 99999999999G"})
    void shouldRefuseOtherTexts(final String text, final String reason) {
        assertEquals(reason, assertThrows(IllegalArgumentException.class, () -> AlgorithmRef.of(text)).getMessage());
    }

    @Test
    void shouldRefuseParametersOfAModule() {
        assertThrows(IllegalArgumentException.class, () -> AlgorithmRef.of("tree").with(Map.of("k", "2")));
    }
}
