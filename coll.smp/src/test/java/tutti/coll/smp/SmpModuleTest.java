package tutti.coll.smp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
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
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.ProvidesCollectives;
import tutti.coll.Table;
import tutti.coll.Verdict;
import tutti.coll.basic.BasicModule;
import tutti.coll.tck.CostClock;
import tutti.coll.tck.Ensemble;
import tutti.coll.tck.Layout;
import tutti.coll.tck.SoloComm;

class SmpModuleTest {
    private static final List<String> OFFERED = List.of("allgather", "allgatherv", "allreduce", "alltoall", "barrier", "bcast", "exscan", "gather",
        "gatherv", "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter");
    private static final List<String> PREFIXES = List.of("exscan", "scan");

    private final SmpModule module = new SmpModule();

    @Test
    void shouldServeRanksOfOneNode() {
        for (final int size : new int[] {2, 3, 17, 1024}) {
            final Verdict.Usable usable = assertInstanceOf(Verdict.Usable.class, module.query(new SoloComm(size, false)));
            assertEquals(70, usable.priority());
            final Table table = usable.instance().table();
            assertEquals(OFFERED, Operation.values().stream().filter(o -> table.intra(o) != null).map(Operation::id).toList());
            assertTrue(Operation.values().stream().allMatch(o -> table.inter(o) == null));
        }
    }

    /** Prefixes where those of a node are neighbours. */
    @Test
    void shouldServeSeveralNodesWhereTwoRanksAreTogether() {
        final Layout dealt = Layout.interleaved(7, 3);
        for (final Layout layout : List.of(Layout.blocks(4, 2), dealt, Layout.uneven(3 + 1))) {
            final Ensemble ensemble = Ensemble.of(module, new BasicModule(), layout);
            assertEquals(OFFERED.stream().filter(o -> !layout.equals(dealt) || !PREFIXES.contains(o)).toList(),
                Operation.values().stream().filter(o -> !ensemble.offers(o).isEmpty()).map(Operation::id).toList());
        }
    }

    @Test
    void shouldDeclineWhereNoTwoRanksAreTogether() {
        assertEquals("no two ranks on one node: ranks=3", Ensemble.of(module, new BasicModule(), Layout.apart(3)).declined().orElseThrow());
        assertDeclined("one rank shares memory with nobody", new SoloComm(1, false));
    }

    @Test
    void shouldDeclineIntercommunicators() {
        assertDeclined("serves the groups of an intercommunicator, not what is between them", new SoloComm(4, true));
    }

    @Test
    void shouldDeclineParametersOutOfRange() {
        for (final String fanin : List.of("0", "1", "6", "-8")) {
            assertDeclined("not a power of two from 2: coll.smp.fanin=" + fanin, new SoloComm(4, false, Map.of("coll.smp.fanin", fanin)));
        }
        assertDeclined("segment too short: coll.smp.segment=63, least=64", new SoloComm(4, false, Map.of("coll.smp.segment", "63")));
        assertDeclined("less than nothing: coll.smp.small=-1, coll.smp.pack=4096", new SoloComm(4, false, Map.of("coll.smp.small", "-1")));
        assertDeclined("less than nothing: coll.smp.small=262144, coll.smp.pack=-2", new SoloComm(4, false, Map.of("coll.smp.pack", "-2")));
    }

    private void assertDeclined(final String reason, final SoloComm comm) {
        assertEquals(reason, assertInstanceOf(Verdict.Declined.class, module.query(comm)).reason());
    }

    /** Of 16 ranks all wait for each other, or the last one for 3 and for 3 that stand for 4 each. */
    @Test
    void shouldBuildTreesOfTheParametersFanIn() {
        assertEquals(15 + 1, tasksOfABarrier("16"));
        assertEquals(3 + 3 + 1, tasksOfABarrier("4"));
    }

    private int tasksOfABarrier(final String fanin) {
        final Table table = SoloComm.tableOf(module, new SoloComm(16, false, Map.of("coll.smp.fanin", fanin)));
        return CostClock.of(table.intra(Operation.BARRIER).algorithm(), 16, new Call.Barrier()).tasks();
    }

    @Test
    void shouldNameAlgorithmsAsInParameters() {
        final Table table = SoloComm.tableOf(module, new SoloComm(4, false));
        assertEquals(List.of("shared", "direct", "gather_release", "blocks"),
            table.everyIntra(Operation.ALLREDUCE).stream().map(Table.Entry::name).toList());
        assertEquals(List.of("fenwick"), table.everyIntra(Operation.SCAN).stream().map(Table.Entry::name).toList());
    }

    @Test
    void shouldDeclareTheOperationsThatItOffers() throws IOException {
        final Annotation declared = annotation(ProvidesCollectives.class);
        final List<String> operations = element(declared, "operations") instanceof AnnotationValue.OfArray a
            ? a.values().stream().map(v -> ((AnnotationValue.OfString) v).stringValue()).toList() : List.of();
        assertEquals(OFFERED, operations);
        assertEquals("smp", ((AnnotationValue.OfString) element(declared, "value")).stringValue());
    }

    @Test
    void shouldDeclareItsParametersForWhoStartsJobs() throws Exception {
        final Document declared;
        try (var in = SmpModule.class.getResourceAsStream("/OSGI-INF/metatype/tutti.coll.smp.SmpParameters.xml")) {
            declared = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in);
        }
        assertEquals("coll.smp", ((Element) declared.getElementsByTagName("Designate").item(0)).getAttribute("pid"));
        assertEquals(4, declared.getElementsByTagName("AD").getLength());
        assertParameter(declared, "fanin", "8", "2");
        assertParameter(declared, "small", "262144", "0");
        assertParameter(declared, "pack", "4096", "0");
        assertParameter(declared, "segment", "65536", Integer.toString(SmpParameters.LEAST_SEGMENT));
    }

    private static void assertParameter(final Document declared, final String id, final String byDefault, final String least) {
        for (int i = 0; i < declared.getElementsByTagName("AD").getLength(); i++) {
            final Element parameter = (Element) declared.getElementsByTagName("AD").item(i);
            if (parameter.getAttribute("id").equals(id)) {
                assertEquals("Integer", parameter.getAttribute("type"));
                assertEquals(byDefault, parameter.getAttribute("default"));
                assertEquals(least, parameter.getAttribute("min"));
                return;
            }
        }
        throw new AssertionError("not declared: " + id);
    }

    private static AnnotationValue element(final Annotation annotation, final String name) {
        return annotation.elements().stream().filter(e -> e.name().equalsString(name)).map(AnnotationElement::value).findFirst().orElseThrow();
    }

    private static Annotation annotation(final Class<?> type) throws IOException {
        try (var in = SmpModule.class.getResourceAsStream("SmpModule.class")) {
            return ClassFile.of().parse(in.readAllBytes()).findAttribute(Attributes.runtimeInvisibleAnnotations()).orElseThrow().annotations()
                .stream().filter(a -> a.classSymbol().descriptorString().equals(type.descriptorString())).findFirst().orElseThrow();
        }
    }
}
