package tutti.runtime.module;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Version;
import tutti.runtime.policy.RuleTable;

/** Tests the agreement of nodes on modules. A module is written {@code name version digest}. */
class AgreedModulesTest {
    private static final QuarantinedModule LIFTED = new QuarantinedModule(id("tree 1.1.0 u"), "", 9);

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

    private static ModuleId id(final String text) {
        final String[] w = text.split(" ", -1);
        return new ModuleId(w[0], Version.parseVersion(w[1]), w[2]);
    }

    private static Catalogue catalogue(final QuarantinedModule quarantined, final String... modules) {
        return new Catalogue(2, Stream.of(modules).map(AgreedModulesTest::id).toList(), List.of(quarantined));
    }

    /** Nodes a and b have basic, ring and tree at 1.0.0. */
    private AgreedModules agreedBefore() {
        final String[] old = {"basic 1.0.0 b", "ring 1.0.0 r", "tree 1.0.0 t"};
        return node("a", old).node("b", old).between().with(Map.of("p", "1"), Set.of("p"), RuleTable.NONE);
    }

    @Test
    void shouldTakeTheModulesOfOneNameThatTheNodesHoldNowAndKeepAllOthers() {
        final Catalogue now = catalogue(LIFTED, "basic 2.0.0 c", "ring 1.1.0 s", "tree 1.1.0 u");
        final AgreedModules next = agreedBefore().with("tree", Map.of(0, now, 1, now));
        assertEquals(List.of("basic 1.0.0 b", "ring 1.0.0 r", "tree 1.1.0 u"), texts(next.modules()));
        assertEquals(Map.of("p", "1"), next.parameters());
        assertEquals(Set.of("p"), next.given());
        assertFalse(next.isSameUse(agreedBefore()));
        assertTrue(next.with("tree", Map.of(0, now, 1, now)).isSameUse(next));
        assertFalse(next.mayUse(id("tree 1.0.0 t")));
    }

    @Test
    void shouldAgreeOnTheModuleThatOneNodeLacksOnTheOtherAlone() {
        final AgreedModules next = agreedBefore().with("tree", Map.of(0, catalogue(LIFTED, "tree 1.1.0 u"), 1, catalogue(LIFTED)));
        assertNull(next.module("tree"));
        assertEquals(id("tree 1.1.0 u"), next.on(new TreeSet<>(List.of(0))).module("tree"));
        assertTrue(next.mayUse(id("tree 1.1.0 u")));
    }

    @Test
    void shouldCountNodesWithoutRanksAsHolders() {
        final AgreedModules next = agreedBefore().with("tree", Map.of(0, catalogue(LIFTED, "tree 1.1.0 u")));
        assertEquals(id("tree 1.1.0 u"), next.module("tree"));
    }

    @Test
    void shouldLeaveOutWhatIsInQuarantineNow() {
        final Catalogue now =
            catalogue(new QuarantinedModule(id("ring 1.0.0 r"), "wrong", 9), "ring 1.0.0 r", "tree 1.0.0 t", "tree 1.1.0 u");
        final AgreedModules next = agreedBefore().with("tree", Map.of(0, now, 1, now));
        assertEquals(List.of("basic 1.0.0 b", "tree 1.1.0 u"), texts(next.modules()));
        final AgreedModules without = next.without(id("tree 1.1.0 u"), "worse");
        assertEquals(List.of("basic 1.0.0 b", "tree 1.0.0 t"), texts(without.modules()));
        assertEquals(List.of("ring 1.0.0: quarantined: wrong", "tree 1.1.0: quarantined: worse"),
            without.leftOut().stream().map(l -> l.module() + ": " + l.reason()).toList());
        assertEquals(id("tree 1.1.0 u"), without.with("tree", Map.of(0, catalogue(LIFTED, "tree 1.1.0 u"))).module("tree"), "it was lifted");
    }
}
