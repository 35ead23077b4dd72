package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import mpi.Explanation;
import mpi.MPI;
import mpi.MPIException;

/** Explanations on ranks where a module has declined. */
public final class Declined {
    private Declined() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        final Explanation e = MPI.COMM_WORLD.explain("allreduce");
        assertEquals(1, e.others().size());
        assertEquals("DecliningModule 1.0.0", e.others().getFirst().module());
        assertEquals(List.of(e.operation() + "  BasicModule 1.0.0, algorithm " + e.algorithm() + ", priority 10",
            "  not DecliningModule 1.0.0: " + e.others().getFirst().reason()), e.toString().lines().toList());
        assertEquals(true, e.others().getFirst().reason().contains("declines every communicator"), e.toString());
    }
}
