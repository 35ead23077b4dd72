package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import mpi.CartComm;
import mpi.Comm;
import mpi.Errhandler;
import mpi.File;
import mpi.GraphComm;
import mpi.Info;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Message;
import mpi.Prequest;
import mpi.Request;
import mpi.RevokedException;
import mpi.Status;
import mpi.Win;
import org.junit.jupiter.api.function.Executable;

/** Communicators that a rank revokes while others wait. On any number of ranks. */
public final class RevokedComms {
    private static final int[] DATA = new int[8];
    private static final int LONG = 1 << 18;
    private static final int TAG = 1;

    private RevokedComms() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        final Intracomm comm = MPI.COMM_WORLD.dup();
        final int last = comm.getSize() - 1;
        whileOthersWait(comm, last);
        refused(comm);
        local(comm);
        continues(comm);
        topologies();
        whenAllRevoke();
        inCollectives();
        assertFalse(MPI.COMM_WORLD.isRevoked());
        FailuresOfNone.sums(MPI.COMM_WORLD);
    }

    static RevokedException revoked(final Executable call) {
        final RevokedException e = assertThrows(RevokedException.class, call);
        assertEquals(MPI.ERR_REVOKED, e.getErrorClass());
        return e;
    }

    private static void whileOthersWait(final Intracomm comm, final int last) throws MPIException {
        final boolean revokes = comm.getRank() == last;
        final Request one = comm.iRecv(new int[1], 1L, MPI.INT, last, TAG);
        final Prequest started = comm.recvInit(new int[1], 1L, MPI.INT, MPI.ANY_SOURCE, TAG);
        started.start();
        final Request[] several = {comm.iRecv(new int[1], 1L, MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG), MPI.REQUEST_NULL,
            revokes ? comm.iRecv(new int[1], 1L, MPI.INT, 0, TAG) : comm.iBarrier()};
        MPI.COMM_WORLD.barrier();
        if (revokes) {
            comm.revoke();
            assertTrue(comm.isRevoked());
        } else {
            final RevokedException e = revoked(() -> comm.recv(new int[1], 1, MPI.INT, last, TAG));
            assertTrue(e.getMessage().contains("[recv on "), e.getMessage());
            assertTrue(comm.isRevoked());
        }
        revoked(one::waitFor);
        assertTrue(one.isNull());
        revoked(started::waitFor);
        assertFalse(started.isNull());
        final MPIException all = assertThrows(MPIException.class, () -> Request.waitAll(several));
        assertEquals(MPI.ERR_IN_STATUS, all.getErrorClass());
        assertInstanceOf(RevokedException.class, all.getCause());
        assertEquals(List.of(MPI.ERR_REVOKED, MPI.SUCCESS, MPI.ERR_REVOKED), Arrays.stream(all.getStatuses()).map(Status::getError).toList());
        revoked(() -> {
            started.start();
            started.waitFor();
        });
        started.free();
        comm.revoke();
    }

    private static void refused(final Intracomm comm) throws MPIException {
        final int self = comm.getRank();
        final List<Executable> calls = new ArrayList<>(List.of(
            () -> comm.send(DATA, 1, MPI.INT, self, TAG),
            () -> comm.sSend(DATA, 1, MPI.INT, self, TAG),
            () -> comm.recv(DATA, 1, MPI.INT, self, TAG),
            () -> comm.iSend(DATA, 1L, MPI.INT, self, TAG).waitFor(),
            () -> comm.iRecv(DATA, 1L, MPI.INT, MPI.ANY_SOURCE, TAG).waitFor(),
            () -> comm.sendRecv(DATA, 1, MPI.INT, self, TAG, new int[1], 1, MPI.INT, self, TAG),
            () -> comm.sendRecvReplace(DATA, 1, MPI.INT, self, TAG, self, TAG),
            () -> comm.probe(self, TAG),
            () -> comm.iProbe(self, TAG),
            () -> new Message().mProbe(self, TAG, comm),
            comm::barrier,
            () -> comm.bcast(DATA, 1, MPI.INT, 0),
            () -> comm.allReduce(DATA, 1, MPI.INT, MPI.SUM),
            () -> comm.iAllGather(DATA, 1, MPI.INT).waitFor()));
        calls.addAll(List.of(
            comm::dup,
            () -> comm.iDup().getRequest().waitFor(),
            () -> comm.dupWithInfo(new Info()),
            () -> comm.setInfo(new Info()),
            () -> comm.split(0, 0),
            () -> comm.splitType(Comm.TYPE_SHARED, 0, MPI.INFO_NULL),
            () -> comm.create(comm.getGroup()),
            () -> comm.createGroup(comm.getGroup(), TAG),
            () -> comm.createCart(new int[] {comm.getSize()}, new boolean[1], false),
            () -> comm.createDistGraphAdjacent(new int[0], new int[0], MPI.INFO_NULL, false),
            () -> MPI.COMM_WORLD.createIntercomm(comm, 0, 0, TAG),
            () -> new Win(8, 1, MPI.INFO_NULL, comm, null, Win.FLAVOR_PRIVATE),
            () -> new File(comm, "none", MPI.MODE_RDONLY)));
        calls.forEach(RevokedComms::revoked);
        assertInstanceOf(RevokedException.class, assertThrows(IllegalStateException.class, comm::clone).getCause());
        final List<String> heard = new ArrayList<>();
        comm.setErrhandler(new Errhandler((on, error) -> heard.add((on == comm) + " " + error.getClass().getName())));
        revoked(comm::barrier);
        assertEquals(List.of("true mpi.RevokedException"), heard);
        comm.setErrhandler(MPI.ERRORS_RETURN);
    }

    private static void local(final Comm comm) throws MPIException {
        assertEquals(MPI.COMM_WORLD.getRank(), comm.getRank());
        assertEquals(MPI.COMM_WORLD.getSize(), comm.getSize());
        assertEquals(comm.getSize(), comm.getGroup().getSize());
        assertEquals(MPI.CONGRUENT, Comm.compare(comm, MPI.COMM_WORLD));
        assertEquals(MPI.IDENT, Comm.compare(comm, comm));
        localOnEvery(comm);
        assertFalse(comm.isInter());
        final byte[] packed = new byte[comm.packSize(1, MPI.INT)];
        assertEquals(packed.length, comm.pack(new int[] {7}, 1, MPI.INT, packed, 0));
        final int[] unpacked = new int[1];
        comm.unpack(packed, 0, unpacked, 1, MPI.INT);
        assertEquals(7, unpacked[0]);
    }

    /** Makes the local calls that every communicator has. */
    static void localOnEvery(final Comm comm) throws MPIException {
        final int key = Comm.createKeyval();
        comm.setAttr(key, "kept");
        assertEquals("kept", comm.getAttr(key));
        comm.deleteAttr(key);
        Comm.freeKeyval(key);
        comm.setName("revoked");
        assertEquals("revoked", comm.getName());
        assertSame(MPI.ERRORS_RETURN, comm.getErrhandler());
        comm.callErrhandler(MPI.ERR_OTHER);
        assertEquals("false", comm.getInfo().get("mpi_assert_no_any_tag"));
        assertEquals(MPI.UNDEFINED, comm.getTopology());
        assertFalse(comm.isNull());
        assertSame(MPI.GROUP_EMPTY, comm.getFailed());
        assertEquals(0, comm.ackFailed(1));
        assertTrue(comm.isRevoked());
    }

    private static void continues(final Intracomm comm) throws MPIException {
        FailuresOfNone.agrees(comm);
        final int[] flag = {3};
        comm.iAgree(flag).waitFor();
        assertEquals(3, flag[0]);
        final Intracomm shrunk = comm.shrink();
        assertTrue(comm.isRevoked());
        assertFalse(shrunk.isRevoked());
        assertEquals(MPI.CONGRUENT, Comm.compare(comm, shrunk));
        assertSame(MPI.ERRORS_RETURN, shrunk.getErrhandler());
        comm.free();
        assertTrue(comm.isNull());
        FailuresOfNone.sums(shrunk);
        try (Intracomm dup = shrunk.dup()) {
            FailuresOfNone.sums(dup);
        }
        shrunk.free();
    }

    private static void topologies() throws MPIException {
        final int size = MPI.COMM_WORLD.getSize();
        final int rank = MPI.COMM_WORLD.getRank();
        final CartComm grid = MPI.COMM_WORLD.createCart(new int[] {size}, new boolean[] {true}, false);
        final GraphComm graph = MPI.COMM_WORLD.createGraph(new int[size], new int[0], false);
        final GraphComm edges = MPI.COMM_WORLD.createDistGraphAdjacent(new int[0], new int[0], MPI.INFO_NULL, false);
        // some may not have created the last one
        MPI.COMM_WORLD.barrier();
        for (final Intracomm comm : List.of(grid, graph, edges)) {
            comm.revoke();
        }
        revoked(() -> grid.sub(new boolean[] {true}));
        revoked(() -> grid.neighborAllGather(new int[1], 1, MPI.INT, new int[2], 1, MPI.INT));
        assertEquals(MPI.CART, grid.getTopology());
        assertEquals(size, grid.getTopo().getDim(0));
        assertEquals(rank, grid.getRank(new int[] {rank}));
        assertEquals(rank, grid.getCoords(rank)[0]);
        assertEquals((rank + 1) % size, grid.shift(0, 1).getRankDest());
        assertEquals(rank, grid.map(new int[] {size}, new boolean[1]));
        assertEquals(size, graph.getDims().getIndexCount());
        assertEquals(0, graph.getNeighbors(rank).length);
        assertEquals(rank, graph.map(new int[size], new int[0]));
        assertEquals(0, edges.getDistGraphNeighbors().getInDegree());
        for (final Intracomm comm : List.of(grid, graph, edges)) {
            comm.shrink().free();
            comm.free();
        }
    }

    private static void whenAllRevoke() throws MPIException {
        for (int round = 0; round < 5; round++) {
            final Intracomm comm = MPI.COMM_WORLD.dup();
            MPI.COMM_WORLD.barrier();
            comm.revoke();
            revoked(comm::barrier);
            final int[] flag = {round};
            comm.agree(flag);
            assertEquals(round, flag[0]);
            comm.free();
        }
    }

    /** Revokes while the other ranks are in a call that cannot succeed without the rank that revokes, and continues on the shrunk communicator. */
    private static void inCollectives() throws MPIException {
        Intracomm comm = MPI.COMM_WORLD.dup();
        final int rank = comm.getRank();
        for (int round = 0; round < 12; round++) {
            final Intracomm on = comm;
            final int revoking = round % comm.getSize();
            final int kind = round % 4;
            FailuresOfNone.sums(comm);
            // some may not have left the calls
            MPI.COMM_WORLD.barrier();
            if (rank == revoking) {
                comm.revoke();
            } else {
                revoked(switch (kind) {
                    case 0 -> on::barrier;
                    case 1 -> () -> on.allReduce(new int[LONG], LONG, MPI.INT, MPI.SUM);
                    case 2 -> () -> on.iBcast(new int[LONG], (long) LONG, MPI.INT, revoking).waitFor();
                    default -> () -> on.sSend(new int[LONG], LONG, MPI.INT, revoking, TAG);
                });
            }
            final int[] flag = {~rank};
            comm.agree(flag);
            final Intracomm next = comm.shrink();
            comm.free();
            comm = next;
        }
        FailuresOfNone.sums(comm);
        comm.free();
    }
}
