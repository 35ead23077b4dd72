package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import mpi.Explanation;
import mpi.MPI;
import mpi.MPIException;

/** What serves the collectives of a rank where another module has declined. */
public final class Declined {
    private Declined() { }

    /** The program. */
    public static void main(final String[] args) throws MPIException {
        final Explanation e = MPI.COMM_WORLD.explain("allreduce");
        assertEquals(1, e.others().size());
        assertEquals("Shy 1.0.0", e.others().getFirst().module());
        assertEquals(List.of(e.operation() + "  BasicModule 1.0.0, algorithm " + e.algorithm() + ", priority 10",
            "  not Shy 1.0.0: " + e.others().getFirst().reason()), e.toString().lines().toList());
        assertEquals(true, e.others().getFirst().reason().contains("is shy"), e.toString());
    }
}
