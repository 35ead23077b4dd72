package tutti.coll.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.Order;
import tutti.coll.ProvidesCollectives;
import tutti.coll.Table;
import tutti.coll.Verdict;
import tutti.coll.tck.CostClock;
import tutti.coll.tck.SoloComm;

class TreeModuleTest {
    private static final List<String> OFFERED = List.of("allreduce", "barrier", "bcast", "gather", "gatherv", "reduce", "scatter", "scatterv");

    private final TreeModule module = new TreeModule();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 17, 4096})
    void shouldServeEightOperationsOnAnyNumberOfRanks(final int size) {
        final Verdict.Usable usable = assertInstanceOf(Verdict.Usable.class, module.query(new SoloComm(size, false)));
        assertEquals(20, usable.priority());
        final Table table = usable.instance().table();
        assertEquals(OFFERED, Operation.values().stream().filter(o -> table.intra(o) != null).map(Operation::id).toList());
        assertTrue(Operation.values().stream().allMatch(o -> table.inter(o) == null));
    }

    @Test
    void shouldDeclineIntercommunicators() {
        assertDeclined("a tree joins the ranks of one group, not of two", new SoloComm(4, true));
    }

    @ParameterizedTest
    @CsvSource({"k,1,2", "branches,1,2", "segment,63,64", "window,0,1", "k,-7,2"})
    void shouldDeclineAParameterThatIsTooSmall(final String name, final int value, final int least) {
        assertDeclined("parameter too small: coll.tree." + name + "=" + value + ", least=" + least,
            new SoloComm(4, false, Map.of("coll.tree." + name, Integer.toString(value))));
        assertInstanceOf(Verdict.Usable.class, module.query(new SoloComm(4, false, Map.of("coll.tree." + name, Integer.toString(least)))));
    }

    private void assertDeclined(final String reason, final SoloComm comm) {
        assertEquals(reason, assertInstanceOf(Verdict.Declined.class, module.query(comm)).reason());
    }

    @Test
    void shouldOfferCanonicalReductionsWhereTheRadixIsAPowerOfTwo() {
        final Table four = tableWith("k", "4");
        assertEquals(List.of("knomial", "kary"), names(four, Operation.ALLREDUCE));
        assertEquals(List.of("knomial", "kary", "canonical"), names(four, Operation.REDUCE));
        assertEquals(List.of(Order.CANONICAL, Order.RANKS), orders(four, Operation.ALLREDUCE));
        assertEquals(List.of(Order.RANKS, Order.RANKS, Order.CANONICAL), orders(four, Operation.REDUCE));
        final Table three = tableWith("k", "3");
        assertEquals(List.of(Order.RANKS, Order.RANKS), orders(three, Operation.ALLREDUCE));
        assertEquals(List.of("knomial", "kary"), names(three, Operation.REDUCE));
    }

    private static List<String> names(final Table table, final Operation<?> operation) {
        return table.everyIntra(operation).stream().map(Table.Entry::name).toList();
    }

    private static List<Order> orders(final Table table, final Operation<?> operation) {
        return table.everyIntra(operation).stream().map(Table.Entry::order).toList();
    }

    @Test
    void shouldCutIntoSegmentsOfTheParametersLength() {
        assertEquals(3 * 3, messages(tableWith("segment", "32769")));
        assertEquals(3 * 4, messages(SoloComm.tableOf(module, new SoloComm(4, false))));
        assertEquals(3 * 256, messages(tableWith("segment", "64")));
    }

    /** Of a broadcast of three default segments and a byte to three others. */
    private static long messages(final Table table) {
        return CostClock.of(table.intra(Operation.BCAST).algorithm(), 4, new Call.Bcast(3 * 32768 + 1, 0)).messages();
    }

    @Test
    void shouldTakeTheRadixOfItsParameters() {
        assertEquals(3, barrier(tableWith("k", "2"), 0, 8) / 2);
        assertEquals(7, barrier(tableWith("k", "8"), 0, 8) / 2);
        assertEquals(6, barrier(tableWith("branches", "3"), 1, 13) / 2);
        assertEquals(12, barrier(tableWith("branches", "12"), 1, 13) / 2);
    }

    private static double barrier(final Table table, final int index, final int size) {
        return CostClock.of(table.everyIntra(Operation.BARRIER).get(index).algorithm(), size, new Call.Barrier()).time(1, 0, 0);
    }

    private Table tableWith(final String name, final String value) {
        return SoloComm.tableOf(module, new SoloComm(4, false, Map.of("coll.tree." + name, value)));
    }

    @Test
    void shouldLeaveOtherOperationsToOtherModules() {
        assertNull(SoloComm.tableOf(module, new SoloComm(4, false)).intra(Operation.ALLGATHER));
    }

    @Test
    void shouldDeclareTheOperationsThatItOffers() throws IOException {
        final Annotation declared = annotation(ProvidesCollectives.class);
        final List<String> operations = element(declared, "operations") instanceof AnnotationValue.OfArray a
            ? a.values().stream().map(v -> ((AnnotationValue.OfString) v).stringValue()).toList() : List.of();
        assertEquals(OFFERED, operations);
        assertEquals("tree", ((AnnotationValue.OfString) element(declared, "value")).stringValue());
    }

    @ParameterizedTest
    @CsvSource({"0,k,4,2", "1,branches,2,2", "2,segment,32768,64", "3,window,8,1"})
    void shouldDeclareItsParametersForWhoStartsJobs(final int index, final String id, final String usual, final String least) throws Exception {
        final Document declared;
        try (var in = TreeModule.class.getResourceAsStream("/OSGI-INF/metatype/tutti.coll.tree.TreeParameters.xml")) {
            declared = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in);
        }
        assertEquals("coll.tree", ((Element) declared.getElementsByTagName("Designate").item(0)).getAttribute("pid"));
        assertEquals(4, declared.getElementsByTagName("AD").getLength());
        final Element parameter = (Element) declared.getElementsByTagName("AD").item(index);
        assertEquals(id, parameter.getAttribute("id"));
        assertEquals("Integer", parameter.getAttribute("type"));
        assertEquals(usual, parameter.getAttribute("default"));
        assertEquals(least, parameter.getAttribute("min"));
    }

    private static AnnotationValue element(final Annotation annotation, final String name) {
        return annotation.elements().stream().filter(e -> e.name().equalsString(name)).map(AnnotationElement::value).findFirst().orElseThrow();
    }

    private static Annotation annotation(final Class<?> type) throws IOException {
        try (var in = TreeModule.class.getResourceAsStream("TreeModule.class")) {
            return ClassFile.of().parse(in.readAllBytes()).findAttribute(Attributes.runtimeInvisibleAnnotations()).orElseThrow().annotations()
                .stream().filter(a -> a.classSymbol().descriptorString().equals(type.descriptorString())).findFirst().orElseThrow();
        }
    }
}
