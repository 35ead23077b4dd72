package tutti.runtime.module;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Version;

/** Tests the agreement of nodes on modules. A module is written {@code name version digest}. */
class AgreedModulesTest {
    private final Map<String, Catalogue> nodes = new LinkedHashMap<>();

    private AgreedModulesTest node(final String name, final String... modules) {
        final List<ModuleId> ids = new ArrayList<>();
        for (final String m : modules) {
            final String[] w = m.split(" ", -1);
            ids.add(new ModuleId(w[0], Version.parseVersion(w[1]), w[2]));
        }
        nodes.put(name, new Catalogue(1, ids));
        return this;
    }

    private List<String> agreed() {
        return AgreedModules.between(nodes).modules().stream().map(m -> m + " " + m.digest()).toList();
    }

    private List<String> leftOut() {
        return AgreedModules.between(nodes).leftOut().stream().map(l -> l.module() + ": " + l.reason()).toList();
    }

    @Test
    void shouldTakeTheHighestVersionThatAllHoldAndSayWhereAHigherOneIsMissing() {
        node("a", "basic 1.0.0 b", "ring 1.0.0 r", "ring 1.1.0 s").node("b", "basic 1.0.0 b", "ring 1.0.0 r", "ring 1.1.0 s")
            .node("c", "basic 1.0.0 b", "ring 1.0.0 r");
        assertEquals(List.of("basic 1.0.0 b", "ring 1.0.0 r"), agreed());
        assertEquals(List.of("ring 1.1.0: missing on node c"), leftOut());
    }

    @Test
    void shouldCompareVersionsAsNumbers() {
        node("a", "ring 1.9.0 r", "ring 1.10.0 s").node("b", "ring 1.10.0 s", "ring 1.9.0 r");
        assertEquals(List.of("ring 1.10.0 s"), agreed());
        assertEquals(List.of("ring 1.9.0: version 1.10.0 is higher"), leftOut());
    }

    @Test
    void shouldNameTheOddNodeWhenADigestDiffers() {
        node("a", "ring 1.0.0 r").node("b", "ring 1.0.0 x").node("c", "ring 1.0.0 r");
        assertEquals(List.of(), agreed());
        assertEquals(List.of("ring 1.0.0: digest differs on node b"), leftOut());
    }

    @Test
    void shouldNameTheSecondNodeWhenTwoDiffer() {
        node("a", "ring 1.0.0 r").node("b", "ring 1.0.0 x");
        assertEquals(List.of("ring 1.0.0: digest differs on node b"), leftOut());
    }

    @Test
    void shouldSayAllThatIsWrongWithAVersion() {
        node("a", "ring 1.0.0 r").node("b", "ring 1.0.0 x").node("c", "ring 1.0.0 r").node("d").node("e", "ring 1.0.0 ");
        assertEquals(List.of("ring 1.0.0: missing on node d; digest cannot be read on node e; digest differs on node b"), leftOut());
    }

    @Test
    void shouldAgreeOnADigestThatAllHoldThoughSomeHoldAnotherToo() {
        node("a", "ring 1.0.0 r", "ring 1.0.0 x").node("b", "ring 1.0.0 r");
        assertEquals(List.of("ring 1.0.0 r"), agreed());
    }

    @Test
    void shouldAgreeOnNothingWhereNothingIsInCommon() {
        node("a", "ring 1.0.0 r").node("b", "tree 1.0.0 t");
        assertEquals(List.of(), agreed());
        assertEquals(List.of("ring 1.0.0: missing on node b", "tree 1.0.0: missing on node a"), leftOut());
    }

    private static List<String> texts(final List<ModuleId> modules) {
        return modules.stream().map(m -> m + " " + m.digest()).toList();
    }

    private AgreedModules on(final Integer... some) {
        return AgreedModules.between(nodes).on(new TreeSet<>(List.of(some)));
    }

    @Test
    void shouldAgreeOnMoreBetweenSomeOfTheNodes() {
        node("a", "basic 1.0.0 b", "ring 1.0.0 r", "ring 1.1.0 s").node("b", "basic 1.0.0 b", "ring 1.0.0 r", "ring 1.1.0 s", "tree 1.0.0 t")
            .node("c", "basic 1.0.0 b", "ring 1.0.0 r", "tree 1.0.0 x");
        assertEquals(List.of("basic 1.0.0 b", "ring 1.0.0 r"), agreed());
        assertEquals(List.of("basic 1.0.0 b", "ring 1.1.0 s"), texts(on(0, 1).modules()));
        assertEquals(List.of(new ExcludedModule("ring 1.0.0", "version 1.1.0 is higher"), new ExcludedModule("tree 1.0.0", "missing on node a")),
            on(0, 1).leftOut());
        assertEquals(List.of("basic 1.0.0 b", "ring 1.0.0 r", "tree 1.0.0 x"), texts(on(2).modules()));
        assertEquals(List.of(new ExcludedModule("ring 1.1.0", "missing on node c")), on(2).leftOut());
        assertEquals(List.of("basic 1.0.0 b", "ring 1.0.0 r"), texts(on(1, 2).modules()));
        assertEquals("digest differs on node c", on(1, 2).leftOut().getLast().reason());
    }

    @Test
    void shouldAgreeWithoutAnUnreadableDigestOnNoSetOfNodes() {
        node("a", "ring 1.0.0 ").node("b", "ring 1.0.0 r");
        assertEquals(List.of(), texts(on(0).modules()));
        assertEquals(List.of("ring 1.0.0 r"), texts(on(1).modules()));
    }

    @Test
    void shouldKeepOnANodeAllVersionsThatACommunicatorWithOtherJobsMayUse() {
        node("a", "ring 1.0.0 r", "ring 1.1.0 s", "tree 1.0.0 t").node("b", "ring 1.0.0 r", "ring 1.1.0 s").node("c", "ring 1.0.0 r", "tree 1.0.0 ");
        final AgreedModules all = AgreedModules.between(nodes);
        assertEquals(List.of("ring 1.1.0 s", "ring 1.0.0 r", "tree 1.0.0 t"), texts(all.keptOn(0)));
        assertEquals(List.of("ring 1.1.0 s", "ring 1.0.0 r"), texts(all.keptOn(1)));
        assertEquals(List.of("ring 1.0.0 r"), texts(all.keptOn(2)));
    }

    @Test
    void shouldServeTheSameOnAllNodesWhereTheHoldersAreNotKnown() {
        final AgreedModules any = node("a", "ring 1.0.0 r").node("b").between().onAnyNodes();
        assertEquals(any, any.on(new TreeSet<>(List.of(0))));
        assertEquals(any.modules(), any.keptOn(7));
    }

    private AgreedModules between() {
        return AgreedModules.between(nodes);
    }
}
