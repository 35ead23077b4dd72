package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static programs.Groups.fails;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import mpi.CartComm;
import mpi.Comm;
import mpi.GraphComm;
import mpi.Group;
import mpi.Info;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import org.junit.jupiter.api.function.Executable;

/** Creates communicators in every way and frees them, on at least 2 ranks. */
public final class Communicators {
    private Communicators() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        MPI.COMM_SELF.setErrhandler(MPI.ERRORS_RETURN);
        final int size = MPI.COMM_WORLD.getSize();
        final int rank = MPI.COMM_WORLD.getRank();
        duplicates(size);
        parts(size, rank);
        groups(size, rank);
        topologies(size, rank);
        nothing();
        errors();
    }

    private static void topologies(final int size, final int rank) throws MPIException {
        final CartComm line = MPI.COMM_WORLD.createCart(new int[] {size}, new boolean[] {true}, false);
        final CartComm later = line.iDup();
        later.getRequest().waitFor();
        for (final CartComm copy : new CartComm[] {line.dup(), line.clone(), line.dupWithInfo(MPI.INFO_NULL), later}) {
            assertEquals(MPI.CART, copy.getTopology());
            assertEquals((rank + 1) % size, copy.shift(0, 1).getRankDest());
            copy.free();
        }
        // a part of a grid has no topology
        assertEquals(MPI.UNDEFINED, line.split(0, 0).getTopology());
        final GraphComm star = line.createDistGraphAdjacent(new int[] {0}, new int[] {0}, MPI.INFO_NULL, false);
        assertEquals(MPI.DIST_GRAPH, star.dup().getTopology());
        line.free();
    }

    private static void assertWorks(final Comm comm, final int size) throws MPIException {
        final int[] one = {1};
        comm.allReduce(one, 1, MPI.INT, MPI.SUM);
        assertEquals(size, one[0]);
        assertEquals(size, comm.getSize());
        assertFalse(comm.isNull());
        assertFalse(comm.isInter());
        assertEquals(MPI.UNDEFINED, comm.getTopology());
    }

    private static void duplicates(final int size) throws MPIException {
        final Info hints = new Info();
        hints.set("colour", "blue");
        MPI.COMM_WORLD.setInfo(hints);
        final Intracomm dup = MPI.COMM_WORLD.dup();
        assertWorks(dup, size);
        assertEquals("", dup.getName());
        dup.setName("mine");
        assertEquals("mine", dup.getName());
        assertEquals("MPI_COMM_WORLD", MPI.COMM_WORLD.getName());
        assertEquals("blue", dup.getInfo().get("colour"));
        assertSame(MPI.ERRORS_RETURN, dup.getErrhandler());
        assertEquals(MPI.CONGRUENT, Comm.compare(MPI.COMM_WORLD, dup));
        assertEquals(MPI.IDENT, Comm.compare(dup, dup));
        assertTrue(dup.getRequest().isNull());
        final Comm clone = ((Comm) dup).clone();
        assertNotSame(dup, clone);
        assertWorks(clone, size);
        assertEquals("", clone.getName());
        clone.free();
        hints.set("colour", "red");
        final Intracomm other = dup.dupWithInfo(hints);
        assertEquals("red", other.getInfo().get("colour"));
        other.disconnect();
        final Intracomm plain = dup.dupWithInfo(MPI.INFO_NULL);
        assertEquals(4, plain.getInfo().size(), "the assertions of MPI");
        plain.free();
        final Intracomm later = dup.iDup();
        final Intracomm latest = dup.iDup();
        final Request[] requests = {latest.getRequest(), later.getRequest()};
        Request.waitAll(requests);
        assertSame(requests[0], latest.getRequest());
        assertWorks(later, size);
        assertWorks(latest, size);
        later.free();
        latest.free();
        dup.free();
        assertTrue(dup.isNull());
    }

    private static void parts(final int size, final int rank) throws MPIException {
        try (Intracomm reversed = MPI.COMM_WORLD.split(0, -rank); Intracomm pairs = reversed.split(rank / 2, rank)) {
            assertEquals(size - 1 - rank, reversed.getRank());
            assertEquals(size == 1 ? MPI.CONGRUENT : MPI.SIMILAR, Comm.compare(reversed, MPI.COMM_WORLD));
            assertWorks(pairs, rank / 2 * 2 + 1 < size ? 2 : 1);
            assertEquals(rank % 2, pairs.getRank());
            assertEquals(pairs.getSize() == 1 ? MPI.CONGRUENT : MPI.UNEQUAL, Comm.compare(pairs, MPI.COMM_SELF));
        }
        final Intracomm none = MPI.COMM_WORLD.split(rank == 0 ? MPI.UNDEFINED : 1, 0);
        assertEquals(rank == 0, none.isNull());
        // closing a null communicator has no effect
        none.close();
        none.close();
        final Intracomm node = MPI.COMM_WORLD.splitType(Comm.TYPE_SHARED, rank, MPI.INFO_NULL);
        final byte[] mine = Arrays.copyOf(MPI.getNodeName().getBytes(StandardCharsets.UTF_8), 16);
        final byte[] first = mine.clone();
        node.bcast(first, 16, MPI.BYTE, 0);
        assertArrayEquals(mine, first);
        node.free();
        assertTrue(MPI.COMM_WORLD.splitType(MPI.UNDEFINED, 0, MPI.INFO_NULL).isNull());
        splitsByLevel(rank);
    }

    private static void splitsByLevel(final int rank) throws MPIException {
        final Info level = new Info();
        for (final String name : List.of("jvm", "host")) {
            level.set("mpi_hw_resource_type", name);
            final Intracomm made = MPI.COMM_WORLD.splitType(Comm.TYPE_HW_GUIDED, -rank, level);
            final Intracomm node = MPI.COMM_WORLD.splitType(Comm.TYPE_SHARED, -rank, MPI.INFO_NULL);
            assertEquals(MPI.CONGRUENT, Intracomm.compare(made, node), name);
            made.free();
            node.free();
        }
        level.set("mpi_hw_resource_type", "switch3");
        assertTrue(MPI.COMM_WORLD.splitType(Comm.TYPE_HW_GUIDED, 0, level).isNull(), "no node has switches");
        level.set("mpi_hw_resource_type", "rack");
        fails(MPI.ERR_INFO, "no level of locality in hint mpi_hw_resource_type: value=rack, known=hwthread, core, cache, numa, socket, jvm, host, "
            + "switch, switch2 and so on", () -> MPI.COMM_WORLD.splitType(Comm.TYPE_HW_GUIDED, 0, level));
        fails(MPI.ERR_INFO, "no level of locality in hint mpi_hw_resource_type: value=null, known=hwthread, core, cache, numa, socket, jvm, host, "
            + "switch, switch2 and so on", () -> MPI.COMM_WORLD.splitType(Comm.TYPE_HW_GUIDED, 0, MPI.INFO_NULL));
        try (Intracomm part = MPI.COMM_WORLD.splitType(Comm.TYPE_HW_UNGUIDED, rank, MPI.INFO_NULL)) {
            assertTrue(part.isNull() || part.getSize() < MPI.COMM_WORLD.getSize());
        }
    }

    private static void groups(final int size, final int rank) throws MPIException {
        final Group all = MPI.COMM_WORLD.getGroup();
        final Group last = all.incl(new int[] {size - 1});
        final Intracomm made = MPI.COMM_WORLD.create(last);
        assertEquals(rank != size - 1, made.isNull());
        if (!made.isNull()) {
            assertWorks(made, 1);
            made.free();
        }
        if (rank < 2) {
            final Intracomm two = MPI.COMM_WORLD.createGroup(all.incl(new int[] {1, 0}), 5);
            assertWorks(two, 2);
            assertEquals(1 - rank, two.getRank());
            assertEquals(MPI.IDENT, Group.compare(two.getGroup(), all.incl(new int[] {1, 0})));
            two.free();
        }
    }

    private static void nothing() throws MPIException {
        final Intracomm none = MPI.COMM_WORLD.split(MPI.UNDEFINED, 0);
        assertTrue(none.isNull());
        fails(MPI.ERR_COMM, "communicator is null", none::getSize);
        fails(MPI.ERR_COMM, "communicator is null", none::free);
        fails(MPI.ERR_COMM, "communicator is null", none::dup);
        fails(MPI.ERR_COMM, "communicator is null", none::barrier);
        fails(MPI.ERR_COMM, "communicator is null", () -> none.send(new int[1], 1, MPI.INT, 0, 0));
        fails(MPI.ERR_COMM, "communicator is null", () -> none.iBarrier());
        fails(MPI.ERR_COMM, "communicator is null", none::explain);
        fails(MPI.ERR_COMM, "communicator is null", () -> Comm.compare(none, MPI.COMM_WORLD));
        fails(MPI.ERR_COMM, "communicator is null", () -> Comm.compare(MPI.COMM_WORLD, null));
        final Intracomm freed = MPI.COMM_WORLD.dup();
        freed.free();
        final Intracomm named = MPI.COMM_WORLD.dup();
        named.setName("halo");
        assertEquals("halo", named.toString());
        named.free();
        fails(MPI.ERR_COMM, "communicator has been freed: comm=halo", named::barrier);
        failsFreed(freed::getRank);
        failsFreed(freed::free);
        failsFreed(() -> freed.bcast(new int[1], 1, MPI.INT, 0));
        assertTrue(assertThrows(IllegalStateException.class, none::clone).getMessage().startsWith("communicator is null"));
    }

    /** Errors of a null communicator are raised on COMM_WORLD. */
    private static void failsFreed(final Executable call) {
        final MPIException e = assertThrows(MPIException.class, call);
        assertTrue(e.getMessage().startsWith("communicator has been freed: comm=comm "), e.getMessage());
        assertTrue(e.getMessage().contains(" on MPI_COMM_WORLD, "), e.getMessage());
        assertEquals(MPI.ERR_COMM, e.getErrorClass());
    }

    private static void errors() throws MPIException {
        fails(MPI.ERR_COMM, "predefined communicator cannot be freed: comm=MPI_COMM_WORLD", MPI.COMM_WORLD::free);
        fails(MPI.ERR_COMM, "predefined communicator cannot be freed: comm=MPI_COMM_SELF", MPI.COMM_SELF::close);
        fails(MPI.ERR_COMM, "predefined communicator cannot be freed: comm=MPI_COMM_WORLD", MPI.COMM_WORLD::disconnect);
        fails(MPI.ERR_ARG, "colour is negative and not UNDEFINED: color=-2", () -> MPI.COMM_WORLD.split(-2, 0));
        fails(MPI.ERR_ARG, "no such split type: type=7, known=Comm.TYPE_SHARED, Comm.TYPE_HW_GUIDED, Comm.TYPE_HW_UNGUIDED, "
            + "MPI.UNDEFINED",
            () -> MPI.COMM_WORLD.splitType(7, 0, MPI.INFO_NULL));
        fails(MPI.ERR_INFO, "info is null", () -> MPI.COMM_WORLD.dupWithInfo(null));
        fails(MPI.ERR_INFO, "info is null", () -> MPI.COMM_WORLD.setInfo(null));
        fails(MPI.ERR_GROUP, "group is null", () -> MPI.COMM_WORLD.create(null));
        fails(MPI.ERR_TAG, "tag out of range: tag=-4, range=0..2147483647",
            () -> MPI.COMM_WORLD.createGroup(MPI.COMM_WORLD.getGroup(), -4));
    }
}
