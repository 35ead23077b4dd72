package tutti.coll.ring;

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
import tutti.coll.Blocks;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.ProvidesCollectives;
import tutti.coll.Table;
import tutti.coll.Verdict;
import tutti.coll.basic.BasicModule;
import tutti.coll.tck.CostClock;
import tutti.coll.tck.Ensemble;
import tutti.coll.tck.Layout;
import tutti.coll.tck.RecordingPlan;
import tutti.coll.tck.SoloComm;
import tutti.coll.tck.Task;

class RingModuleTest {
    private static final List<String> OFFERED = List.of("allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw", "bcast",
        "exscan", "reduce", "reduce_scatter", "reduce_scatter_block", "scan");

    private final RingModule module = new RingModule();

    @Test
    void shouldServeItsOperationsOnThreeRanksOrMore() {
        for (final int size : new int[] {3, 4, 17, 4096}) {
            final Verdict.Usable usable = assertInstanceOf(Verdict.Usable.class, module.query(new SoloComm(size, false)));
            assertEquals(40, usable.priority());
            final Table table = usable.instance().table();
            assertEquals(OFFERED, Operation.values().stream().filter(o -> table.intra(o) != null).map(Operation::id).toList());
            assertTrue(Operation.values().stream().allMatch(o -> table.inter(o) == null));
        }
    }

    @Test
    void shouldDeclineLessThanThreeRanks() {
        assertDeclined("a ring needs 3 ranks: ranks=2", new SoloComm(2, false));
        assertDeclined("a ring needs 3 ranks: ranks=1", new SoloComm(1, false));
    }

    @Test
    void shouldDeclineIntercommunicators() {
        assertDeclined("a ring joins the ranks of one group, not of two", new SoloComm(4, true));
    }

    @Test
    void shouldDeclineASegmentThatIsTooShort() {
        assertDeclined("segment too short: coll.ring.segment=63, least=64", new SoloComm(4, false, Map.of("coll.ring.segment", "63")));
    }

    @Test
    void shouldDeclineAWindowThatLetsNothingThrough() {
        assertDeclined("window too small: coll.ring.window=0, least=1", new SoloComm(4, false, Map.of("coll.ring.window", "0")));
    }

    private void assertDeclined(final String reason, final SoloComm comm) {
        assertEquals(reason, assertInstanceOf(Verdict.Declined.class, module.query(comm)).reason());
    }

    @Test
    void shouldCutIntoSegmentsOfTheParametersLength() {
        assertEquals(3 * 3, messages(Map.of("coll.ring.segment", "65537")));
        assertEquals(3 * 4, messages(Map.of()));
        assertEquals(3 * 256, messages(Map.of("coll.ring.segment", "64")));
    }

    /** Of a broadcast of three default segments and a byte to three others. */
    private long messages(final Map<String, String> parameters) {
        final Table table = SoloComm.tableOf(module, new SoloComm(4, false, parameters));
        return CostClock.of(table.intra(Operation.BCAST).algorithm(), 4, new Call.Bcast(3 * 65536 + 1, 0)).messages();
    }

    @Test
    void shouldNameAlgorithmsAsInParameters() {
        final Table table = SoloComm.tableOf(module, new SoloComm(4, false));
        assertEquals("ring", table.intra(Operation.ALLREDUCE).name());
        assertEquals("pipeline", table.intra(Operation.BCAST).name());
        assertEquals("chain", table.intra(Operation.REDUCE).name());
        assertEquals("chain", table.intra(Operation.SCAN).name());
        assertEquals("chain", table.intra(Operation.EXSCAN).name());
        for (final Operation<Call.Alltoall> operation : List.of(Operation.ALLTOALL, Operation.ALLTOALLV, Operation.ALLTOALLW)) {
            assertEquals(List.of("pairwise", "scattered"), table.everyIntra(operation).stream().map(Table.Entry::name).toList());
        }
    }

    /** Ranks 0, 2 and 4 on one node, 1 and 3 on another. */
    @Test
    void shouldGoFromNodeToNodeOnce() {
        final Ensemble dealtOut = Ensemble.of(module, new BasicModule(), Layout.interleaved(5, 2));
        final Call.Bcast call = new Call.Bcast(1, 2);
        final RecordingPlan plan = new RecordingPlan(4, 5, call);
        dealtOut.entry(Operation.BCAST, "pipeline").algorithm().plan(call, plan);
        assertEquals(List.of(2, 1), plan.tasks().stream().map(Task::peer).toList());
    }

    @Test
    void shouldHaveAsManyMessagesUnderWayAsTheWindow() {
        assertEquals(8, ready(Map.of()));
        assertEquals(3, ready(Map.of("coll.ring.window", "3")));
    }

    /** Sends of an alltoall of 16 ranks that wait for nothing. */
    private long ready(final Map<String, String> parameters) {
        final Table table = SoloComm.tableOf(module, new SoloComm(16, false, parameters));
        final Blocks blocks = Blocks.uniform(16, 1);
        final Call.Alltoall call = new Call.Alltoall(blocks, blocks, false);
        final RecordingPlan plan = new RecordingPlan(5, 16, call);
        table.intra(Operation.ALLTOALL).algorithm().plan(call, plan);
        return plan.tasks().stream().filter(t -> t.kind() == Task.Kind.SEND && t.after().length == 0).count();
    }

    @Test
    void shouldDeclareTheOperationsThatItOffers() throws IOException {
        final Annotation declared = annotation(ProvidesCollectives.class);
        final List<String> operations = element(declared, "operations") instanceof AnnotationValue.OfArray a
            ? a.values().stream().map(v -> ((AnnotationValue.OfString) v).stringValue()).toList() : List.of();
        assertEquals(OFFERED, operations);
        assertEquals("ring", ((AnnotationValue.OfString) element(declared, "value")).stringValue());
    }

    @Test
    void shouldDeclareItsParametersForWhoStartsJobs() throws Exception {
        final Document declared;
        try (var in = RingModule.class.getResourceAsStream("/OSGI-INF/metatype/tutti.coll.ring.RingParameters.xml")) {
            declared = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in);
        }
        assertEquals("coll.ring", ((Element) declared.getElementsByTagName("Designate").item(0)).getAttribute("pid"));
        assertEquals(2, declared.getElementsByTagName("AD").getLength());
        assertDeclared((Element) declared.getElementsByTagName("AD").item(0), "segment", "65536", RingParameters.LEAST_SEGMENT);
        assertDeclared((Element) declared.getElementsByTagName("AD").item(1), "window", "8", RingParameters.LEAST_WINDOW);
    }

    private static void assertDeclared(final Element parameter, final String name, final String value, final int least) {
        assertEquals(name, parameter.getAttribute("id"));
        assertEquals("Integer", parameter.getAttribute("type"));
        assertEquals(value, parameter.getAttribute("default"));
        assertEquals(Integer.toString(least), parameter.getAttribute("min"));
    }

    private static AnnotationValue element(final Annotation annotation, final String name) {
        return annotation.elements().stream().filter(e -> e.name().equalsString(name)).map(AnnotationElement::value).findFirst().orElseThrow();
    }

    private static Annotation annotation(final Class<?> type) throws IOException {
        try (var in = RingModule.class.getResourceAsStream("RingModule.class")) {
            return ClassFile.of().parse(in.readAllBytes()).findAttribute(Attributes.runtimeInvisibleAnnotations()).orElseThrow().annotations()
                .stream().filter(a -> a.classSymbol().descriptorString().equals(type.descriptorString())).findFirst().orElseThrow();
        }
    }
}
