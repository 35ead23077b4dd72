package tutti.coll.dissem;

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
import tutti.coll.tck.CostClock;
import tutti.coll.tck.SoloComm;

class DissemModuleTest {
    private static final List<String> OFFERED = List.of("allgather", "allgatherv", "alltoall", "barrier");

    private final DissemModule module = new DissemModule();

    @Test
    void shouldServeFourOperationsOnAnyNumberOfRanks() {
        for (final int size : new int[] {1, 2, 17, 4096}) {
            final Verdict.Usable usable = assertInstanceOf(Verdict.Usable.class, module.query(new SoloComm(size, false)));
            assertEquals(22, usable.priority());
            final Table table = usable.instance().table();
            assertEquals(OFFERED, Operation.values().stream().filter(o -> table.intra(o) != null).map(Operation::id).toList());
            assertTrue(Operation.values().stream().allMatch(o -> table.inter(o) == null));
        }
    }

    @Test
    void shouldDeclineIntercommunicators() {
        assertDeclined("the ranks of one group make a circle, not those of two", new SoloComm(4, true));
    }

    @Test
    void shouldDeclineARadixBelowTwo() {
        assertDeclined("radix too small: coll.dissem.k=1, least=2", new SoloComm(4, false, Map.of("coll.dissem.k", "1")));
    }

    private void assertDeclined(final String reason, final SoloComm comm) {
        assertEquals(reason, assertInstanceOf(Verdict.Declined.class, module.query(comm)).reason());
    }

    @Test
    void shouldTakeTheParameterAsRadix() {
        assertEquals(4 * 16, messages(Map.of()));
        assertEquals(6 * 16, messages(Map.of("coll.dissem.k", "4")));
        assertEquals(15 * 16, messages(Map.of("coll.dissem.k", "2147483647")));
    }

    /** Of each operation on 16 ranks. */
    private long messages(final Map<String, String> parameters) {
        final Table table = SoloComm.tableOf(module, new SoloComm(16, false, parameters));
        return CostClock.of(table.intra(Operation.BARRIER).algorithm(), 16, new Call.Barrier()).messages();
    }

    @Test
    void shouldNameAlgorithmsAsInParameters() {
        final Table table = SoloComm.tableOf(module, new SoloComm(4, false));
        assertEquals("dissemination", table.intra(Operation.BARRIER).name());
        assertEquals("bruck", table.intra(Operation.ALLGATHER).name());
        assertEquals("bruck", table.intra(Operation.ALLGATHERV).name());
        assertEquals("bruck", table.intra(Operation.ALLTOALL).name());
    }

    @Test
    void shouldDeclareTheOperationsThatItOffers() throws IOException {
        final Annotation declared = annotation(ProvidesCollectives.class);
        final List<String> operations = element(declared, "operations") instanceof AnnotationValue.OfArray a
            ? a.values().stream().map(v -> ((AnnotationValue.OfString) v).stringValue()).toList() : List.of();
        assertEquals(OFFERED, operations);
        assertEquals("dissem", ((AnnotationValue.OfString) element(declared, "value")).stringValue());
    }

    @Test
    void shouldDeclareItsParametersForWhoStartsJobs() throws Exception {
        final Document declared;
        try (var in = DissemModule.class.getResourceAsStream("/OSGI-INF/metatype/tutti.coll.dissem.DissemParameters.xml")) {
            declared = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in);
        }
        assertEquals("coll.dissem", ((Element) declared.getElementsByTagName("Designate").item(0)).getAttribute("pid"));
        assertEquals(1, declared.getElementsByTagName("AD").getLength());
        final Element radix = (Element) declared.getElementsByTagName("AD").item(0);
        assertEquals("k", radix.getAttribute("id"));
        assertEquals("Integer", radix.getAttribute("type"));
        assertEquals("2", radix.getAttribute("default"));
        assertEquals(Integer.toString(DissemParameters.LEAST_K), radix.getAttribute("min"));
    }

    private static AnnotationValue element(final Annotation annotation, final String name) {
        return annotation.elements().stream().filter(e -> e.name().equalsString(name)).map(AnnotationElement::value).findFirst().orElseThrow();
    }

    private static Annotation annotation(final Class<?> type) throws IOException {
        try (var in = DissemModule.class.getResourceAsStream("DissemModule.class")) {
            return ClassFile.of().parse(in.readAllBytes()).findAttribute(Attributes.runtimeInvisibleAnnotations()).orElseThrow().annotations()
                .stream().filter(a -> a.classSymbol().descriptorString().equals(type.descriptorString())).findFirst().orElseThrow();
        }
    }
}
