package tutti.coll.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the names of splits. */
class SplitNamesTest {
    private final SplitNames names = new SplitNames("smp");

    @Test
    void shouldNameAHiddenCommunicatorAfterModuleAndSplitAndAfterTheColourWhereThereAreSeveral() {
        assertEquals("smp.leaders", SplitNames.of(names.use("leaders"), 0, true));
        assertEquals("smp.node.3", SplitNames.of(names.use("node"), 3, false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a/b", "a.b", "knoten-ä", "a\n", "a-name-of-more-than-32-characters"})
    void shouldRefuseANameThatIsNotPermitted(final String bad) {
        assertEquals("not the name of a split: name=\"" + bad + "\", allowed=1 to 32 letters, digits, hyphens, underscores",
            assertThrows(IllegalArgumentException.class, () -> names.use(bad)).getMessage());
    }

    @Test
    void shouldRefuseANameThatWasUsed() {
        names.use("node");
        assertEquals("name of an earlier split: name=node; give each split of a communicator a name of its own",
            assertThrows(IllegalArgumentException.class, () -> names.use("node")).getMessage());
    }
}
