package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.util.List;
import org.junit.jupiter.api.Test;
import tutti.coll.Operation;
import tutti.coll.ProvidesCollectives;
import tutti.coll.Table;
import tutti.coll.Verdict;
import tutti.coll.tck.SoloComm;

class BasicModuleTest {
    private final BasicModule module = new BasicModule();

    @Test
    void shouldServeEveryOperationOnIntracommunicatorsOfAnySize() {
        for (final int size : new int[] {1, 2, 17, 4096}) {
            final Verdict.Usable usable = assertInstanceOf(Verdict.Usable.class, module.query(new SoloComm(size, false)));
            assertEquals(10, usable.priority());
            for (final Operation<?> operation : Operation.values()) {
                assertNotNull(usable.instance().table().intra(operation), operation::id);
            }
        }
    }

    @Test
    void shouldServeEveryOperationThatThereIsOnIntercommunicators() {
        final Verdict.Usable usable = assertInstanceOf(Verdict.Usable.class, module.query(new SoloComm(4, true)));
        for (final Operation<?> operation : Operation.values()) {
            assertEquals(operation.onIntercommunicators(), usable.instance().table().inter(operation) != null, operation::id);
        }
    }

    @Test
    void shouldLetOnlyCallsWithSizesThatAllRanksKnowBeSkipped() {
        final Table table = SoloComm.tableOf(module, new SoloComm(4, false));
        final List<String> never = Operation.values().stream().filter(o -> !table.intra(o).skipEmpty()).map(Operation::id).toList();
        assertEquals(List.of("alltoallv", "alltoallw", "barrier", "gatherv", "neighbor_allgather", "neighbor_allgatherv",
            "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw", "scatterv"), never);
    }

    @Test
    void shouldNameAlgorithmsAsInParameters() {
        final Table table = SoloComm.tableOf(module, new SoloComm(4, false));
        assertEquals("binomial", table.intra(Operation.BCAST).name());
        assertEquals("recursive_doubling", table.intra(Operation.ALLREDUCE).name());
        assertEquals("dissemination", table.intra(Operation.BARRIER).name());
    }

    @Test
    void shouldDeclareTheOperationsThatItOffers() throws IOException {
        final Annotation declared = annotation(ProvidesCollectives.class);
        final List<String> operations = element(declared, "operations") instanceof AnnotationValue.OfArray a
            ? a.values().stream().map(v -> ((AnnotationValue.OfString) v).stringValue()).toList() : List.of();
        assertEquals(Operation.values().stream().map(Operation::id).toList(), operations);
        assertEquals("basic", ((AnnotationValue.OfString) element(declared, "value")).stringValue());
    }

    private static AnnotationValue element(final Annotation annotation, final String name) {
        return annotation.elements().stream().filter(e -> e.name().equalsString(name)).map(AnnotationElement::value).findFirst().orElseThrow();
    }

    private static Annotation annotation(final Class<?> type) throws IOException {
        try (var in = BasicModule.class.getResourceAsStream("BasicModule.class")) {
            return ClassFile.of().parse(in.readAllBytes()).findAttribute(Attributes.runtimeInvisibleAnnotations()).orElseThrow().annotations()
                .stream().filter(a -> a.classSymbol().descriptorString().equals(type.descriptorString())).findFirst().orElseThrow();
        }
    }
}
