package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import mpi.Comm;
import mpi.Explanation;
import mpi.MPI;
import mpi.MPIException;

/** Explanations on ranks that have only module basic. */
public final class Explanations {
    private Explanations() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        for (final Comm comm : List.of(MPI.COMM_WORLD, MPI.COMM_SELF)) {
            final List<Explanation> all = comm.explain();
            assertEquals(22, all.size());
            assertEquals(all.stream().map(Explanation::operation).sorted().toList(), all.stream().map(Explanation::operation).toList());
            for (final Explanation e : all) {
                assertTrue(e.module().equals("BasicModule 1.0.0") && e.priority() == 10 && !e.algorithm().isBlank(), e.toString());
                assertEquals(List.of(), e.others());
                assertEquals(e, comm.explain(e.operation()));
                final Explanation mega = comm.explain(e.operation(), 1 << 20);
                assertEquals(List.of(), mega.choices());
                assertEquals(List.of(), comm.explainParts(e.operation(), 1 << 20));
                assertEquals(e.module() + e.algorithm(), mega.module() + mega.algorithm());
                assertEquals(List.of(new Explanation.Choice("", 0, Long.MAX_VALUE, e.module(), e.algorithm(), null)), e.choices());
                assertEquals(e.operation() + "  " + e.module() + ", algorithm " + e.algorithm() + ", priority 10",
                    e.toString().replace("\n  links between nodes: tcp", ""));
            }
        }
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        assertEquals("dissemination", MPI.COMM_WORLD.explain("barrier").algorithm());
        final MPIException unknown = assertThrows(MPIException.class, () -> MPI.COMM_WORLD.explain("allReduce"));
        assertEquals(MPI.ERR_ARG, unknown.getErrorClass());
        assertThrows(MPIException.class, () -> MPI.COMM_WORLD.explain("bcast", -1));
        assertThrows(MPIException.class, () -> MPI.COMM_WORLD.explain("allReduce", 8));
        assertThrows(MPIException.class, () -> MPI.COMM_WORLD.explainParts("bcast", -1));
        assertThrows(MPIException.class, () -> MPI.COMM_WORLD.explainParts("allReduce", 8));
        assertTrue(unknown.getMessage().startsWith("no such operation: name=allReduce, known=[allgather, allgatherv, allreduce,"),
            unknown.getMessage());
    }
}
