package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import mpi.CartComm;
import mpi.Comm;
import mpi.Errhandler;
import mpi.GraphComm;
import mpi.Info;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/** Every way to create a communicator passes on the current error handler. On an even number of ranks. */
public final class InheritedHandlers {
    private static final List<String> HEARD = new ArrayList<>();
    private static final int[] NONE = {};

    private InheritedHandlers() {}

    /** A way to create a communicator. */
    private interface Way {
        Comm make() throws MPIException;
    }

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        final Errhandler handler = new Errhandler((comm, e) -> HEARD.add(comm.getName()));
        final Errhandler ofParent = MPI.ERRORS_RETURN;
        final int rank = MPI.COMM_WORLD.getRank();
        final int size = MPI.COMM_WORLD.getSize();
        final Intracomm intra = MPI.COMM_WORLD.dup();
        final Intracomm half = intra.split(rank % 2, 0);
        assertSame(MPI.ERRORS_ARE_FATAL, half.getErrhandler());
        intra.setErrhandler(handler);
        half.setErrhandler(handler);
        final int[] dims = {size / 2, 2};
        final CartComm cart = intra.createCart(dims, new boolean[2], false);
        final GraphComm graph = intra.createGraph(new int[size], NONE, false);
        final Intercomm inter = intra.createIntercomm(half, 0, 1 - rank % 2, 1);
        final Map<String, Way> ways = new LinkedHashMap<>();
        final Map<String, Comm> all = new LinkedHashMap<>(Map.of("intra", intra, "cart", cart, "graph", graph, "inter", inter));
        all.forEach((name, comm) -> {
            ways.put(name + " dup", comm::dup);
            ways.put(name + " iDup", () -> {
                final Comm made = comm.iDup();
                made.getRequest().waitFor();
                return made;
            });
            ways.put(name + " dupWithInfo", () -> comm.dupWithInfo(new Info()));
            ways.put(name + " clone", comm::clone);
        });
        ways.put("split", () -> intra.split(rank / 2, 0));
        ways.put("splitType", () -> intra.splitType(Comm.TYPE_SHARED, 0, MPI.INFO_NULL));
        ways.put("create", () -> intra.create(intra.getGroup()));
        ways.put("createGroup", () -> intra.createGroup(intra.getGroup(), 0));
        ways.put("createCart", () -> intra.createCart(dims, new boolean[2], false));
        ways.put("sub", () -> cart.sub(new boolean[] {true, false}));
        ways.put("createGraph", () -> intra.createGraph(new int[size], NONE, false));
        ways.put("createDistGraph", () -> intra.createDistGraph(NONE, NONE, NONE, NONE, new Info(), false));
        ways.put("createDistGraph without weights", () -> intra.createDistGraph(NONE, NONE, NONE, MPI.INFO_NULL, false));
        ways.put("createDistGraphAdjacent", () -> intra.createDistGraphAdjacent(NONE, NONE, NONE, NONE, new Info(), false));
        ways.put("createDistGraphAdjacent without weights", () -> intra.createDistGraphAdjacent(NONE, NONE, MPI.INFO_NULL, false));
        ways.put("createIntercomm", () -> MPI.COMM_WORLD.createIntercomm(half, 0, 1 - rank % 2, 1));
        ways.put("merge", () -> inter.merge(rank % 2 == 1));
        ways.put("inter split", () -> inter.split(0, 0));
        ways.put("inter create", () -> inter.create(inter.getGroup()));
        for (final Map.Entry<String, Way> way : ways.entrySet()) {
            final Comm made = way.getValue().make();
            assertFalse(made.isNull(), way.getKey());
            made.setName(way.getKey());
            assertHeard(made, List.of(way.getKey()));
            // from now on each communicator has its own handler
            made.setErrhandler(ofParent);
            assertHeard(made, List.of());
            made.free();
        }
        assertSame(handler, intra.getErrhandler());
        all.put("half", half);
        for (final Comm comm : all.values()) {
            assertSame(handler, comm.getErrhandler());
            comm.free();
        }
        assertSame(MPI.ERRORS_ARE_FATAL, MPI.COMM_WORLD.getErrhandler());
    }

    private static void assertHeard(final Comm comm, final List<String> expected) throws MPIException {
        HEARD.clear();
        assertEquals(MPI.ERR_RANK, assertThrows(MPIException.class, () -> comm.send(new int[1], 1, MPI.INT, 99, 0)).getErrorClass());
        assertEquals(expected, HEARD);
    }
}
