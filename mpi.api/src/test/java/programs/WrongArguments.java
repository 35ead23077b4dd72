package programs;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;
import mpi.Comm;
import mpi.Datatype;
import mpi.Group;
import mpi.Info;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.Request;
import mpi.UserFunction;
import org.junit.jupiter.api.function.Executable;

/** Every call with arguments that it must refuse, as a table: error class, message and call. On two ranks. */
public final class WrongArguments {
    private static final Intracomm W = MPI.COMM_WORLD;
    private static final int[] A = new int[8];
    private static final int[] B = new int[8];
    private static final int[] ONE = {1, 1};
    private static final int[] AT = {0, 1};
    private static final Datatype[] INTS = {MPI.INT, MPI.INT};
    private static final IntBuffer DIRECT = MPI.newIntBuffer(8);
    private static final IntBuffer READ_ONLY = IntBuffer.wrap(new int[8]).asReadOnlyBuffer();
    private static final String TAKEN = "; -p check.kinds=off takes the memory as it is";

    private final List<Executable> rows = new ArrayList<>();
    private final String where = ", rank " + W.getRank() + " of 2]";
    private final int rank = W.getRank();

    private WrongArguments() throws MPIException {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        W.setErrhandler(MPI.ERRORS_RETURN);
        MPI.COMM_SELF.setErrhandler(MPI.ERRORS_RETURN);
        final WrongArguments table = new WrongArguments();
        table.messages();
        table.buffers();
        table.collectives();
        table.overlaps();
        table.types();
        table.objects();
        table.local();
        assertAll(table.rows);
        W.barrier();
    }

    private void row(final int errorClass, final String text, final String name, final Executable call) {
        rows.add(() -> {
            final MPIException e = assertThrows(MPIException.class, call, text);
            assertEquals(text + " [" + name + " on MPI_COMM_WORLD" + where, e.getMessage());
            assertEquals(errorClass, e.getErrorClass(), text);
        });
    }

    private void messages() {
        row(MPI.ERR_RANK, "destination out of range: dest=2, size=2", "send", () -> W.send(A, 1, MPI.INT, 2, 0));
        row(MPI.ERR_RANK, "destination out of range: dest=-1, size=2", "bSend", () -> W.bSend(A, 1, MPI.INT, -1, 0));
        row(MPI.ERR_RANK, "destination out of range: dest=9, size=2", "sSend", () -> W.sSend(A, 1, MPI.INT, 9, 0));
        row(MPI.ERR_RANK, "destination out of range: dest=9, size=2", "irSend", () -> W.irSend(DIRECT, 1, MPI.INT, 9, 0));
        row(MPI.ERR_RANK, "source out of range: source=2, size=2", "recv", () -> W.recv(A, 1, MPI.INT, 2, 0));
        row(MPI.ERR_RANK, "source out of range: source=-3, size=2", "iRecv", () -> W.iRecv(DIRECT, 1, MPI.INT, -3, 0));
        row(MPI.ERR_RANK, "source out of range: source=5, size=2", "probe", () -> W.probe(5, 0));
        row(MPI.ERR_RANK, "source out of range: source=5, size=2", "iProbe", () -> W.iProbe(5, 0));
        row(MPI.ERR_TAG, "tag out of range: tag=-1, range=0..2147483647", "send", () -> W.send(A, 1, MPI.INT, 0, MPI.ANY_TAG));
        row(MPI.ERR_TAG, "tag out of range: tag=-2, range=0..2147483647", "iSend", () -> W.iSend(DIRECT, 1, MPI.INT, 0, -2));
        row(MPI.ERR_TAG, "tag out of range: tag=-2, range=0..2147483647 or any (-1)", "recv", () -> W.recv(A, 1, MPI.INT, 0, -2));
        row(MPI.ERR_TAG, "tag out of range: tag=-2, range=0..2147483647 or any (-1)", "probe", () -> W.probe(0, -2));
        row(MPI.ERR_COUNT, "count is negative: count=-1", "send", () -> W.send(A, -1, MPI.INT, 0, 0));
        row(MPI.ERR_COUNT, "count is negative: count=-3", "iRecv", () -> W.iRecv(DIRECT, -3, MPI.INT, 0, 0));
        row(MPI.ERR_COUNT, "count is negative: count=-1", "sendRecv",
            () -> W.sendRecv(A, -1, MPI.INT, rank, 0, B, 1, MPI.INT, MPI.PROC_NULL, 0));
        row(MPI.ERR_COUNT, "count is negative: count=-1", "sendRecvReplace", () -> W.sendRecvReplace(A, -1, MPI.INT, rank, 0, rank, 0));
        row(MPI.ERR_COUNT, "count is negative: count=-1", "iSendRecvReplace", () -> W.iSendRecvReplace(A, -1, MPI.INT, rank, 0, rank, 0));
        row(MPI.ERR_COUNT, "count is negative: count=-1", "iSendRecv",
            () -> W.iSendRecv(A, 1, MPI.INT, rank, 0, B, -1, MPI.INT, rank, 0));
        row(MPI.ERR_RANK, "source out of range: source=2, size=2", "iSendRecv",
            () -> W.iSendRecv(A, 1, MPI.INT, rank, 0, B, 1, MPI.INT, 2, 0));
        row(MPI.ERR_BUFFER, "send and receive buffer overlap: use the form with one buffer, which replaces", "iSendRecv",
            () -> W.iSendRecv(A, 1, MPI.INT, rank, 0, A, 1, MPI.INT, rank, 0));
        row(MPI.ERR_RANK, "destination out of range: dest=2, size=2", "sendRecvReplace", () -> W.sendRecvReplace(A, 1, MPI.INT, 2, 0, rank, 0));
    }

    private void buffers() {
        row(MPI.ERR_BUFFER, "buffer is null", "send", () -> W.send(null, 1, MPI.INT, 0, 0));
        row(MPI.ERR_BUFFER, "buffer is null", "iRecv", () -> W.iRecv(null, 1, MPI.INT, 0, 0));
        row(MPI.ERR_BUFFER, "not a buffer: class=java.lang.String, use an array of a primitive type or a java.nio buffer", "send",
            () -> W.send("text", 1, MPI.INT, 0, 0));
        row(MPI.ERR_BUFFER, "buffer too small: need=36, have=32 bytes (count=9, type=INT)", "send", () -> W.send(A, 9, MPI.INT, 0, 0));
        row(MPI.ERR_BUFFER, "buffer too small: need=36, have=32 bytes (count=9, type=INT)", "iRecv", () -> W.iRecv(DIRECT, 9, MPI.INT, 0, 0));
        row(MPI.ERR_BUFFER, "receive buffer is read only: count=1, type=INT", "recv", () -> W.recv(READ_ONLY, 1, MPI.INT, 0, 0));
        row(MPI.ERR_BUFFER, "receive buffer is read only: count=1, type=INT", "iBcast", () -> W.iBcast(READ_ONLY, 1, MPI.INT, 1 - rank));
        row(MPI.ERR_BUFFER,
            "buffer of another kind than the type: buffer=int[], type=DOUBLE, use elements of kind double or bytes" + TAKEN,
            "send",
            () -> W.send(A, 1, MPI.DOUBLE, 0, 0));
        row(MPI.ERR_BUFFER,
            "buffer of another kind than the type: buffer=HeapLongBuffer, type=INT, use elements of kind int or bytes" + TAKEN,
            "recv",
            () -> W.recv(LongBuffer.allocate(4), 1, MPI.INT, 0, 0));
        row(MPI.ERR_BUFFER,
            "buffer of another kind than the type: buffer=char[], type=SHORT, use elements of kind short or bytes" + TAKEN,
            "allReduce",
            () -> W.allReduce(new char[4], 1, MPI.SHORT, MPI.SUM));
    }

    private void collectives() {
        row(MPI.ERR_ROOT, "root out of range: root=2, size=2", "bcast", () -> W.bcast(A, 1, MPI.INT, 2));
        row(MPI.ERR_ROOT, "root out of range: root=-1, size=2", "iGather", () -> W.iGather(DIRECT, 1, MPI.INT, -1));
        row(MPI.ERR_ROOT, "root out of range: root=-4, size=2", "scatter", () -> W.scatter(A, 1, MPI.INT, MPI.ROOT));
        row(MPI.ERR_ROOT, "root out of range: root=7, size=2", "reduce", () -> W.reduce(A, 1, MPI.INT, MPI.SUM, 7));
        row(MPI.ERR_ROOT, "root out of range: root=7, size=2", "gatherv", () -> W.gatherv(A, 1, MPI.INT, B, ONE, AT, MPI.INT, 7));
        row(MPI.ERR_ROOT, "root out of range: root=7, size=2", "iScatterv", () -> W.iScatterv(DIRECT, ONE, AT, MPI.INT, 7));
        row(MPI.ERR_COUNT, "count is negative: count=-1", "bcast", () -> W.bcast(A, -1, MPI.INT, 0));
        row(MPI.ERR_COUNT, "count is negative: count=-1", "allGather", () -> W.allGather(A, -1, MPI.INT));
        row(MPI.ERR_COUNT, "count is negative: count=-1", "allToAll", () -> W.allToAll(A, 1, MPI.INT, B, -1, MPI.INT));
        row(MPI.ERR_COUNT, "count is negative: count=-2", "scan", () -> W.scan(A, -2, MPI.INT, MPI.SUM));
        row(MPI.ERR_COUNT, "count is negative: count=-2", "reduceScatterBlock", () -> W.reduceScatterBlock(A, -2, MPI.INT, MPI.SUM));
        row(MPI.ERR_COUNT, "count is negative: count=-1, block=1", "allGatherv", () -> W.allGatherv(A, new int[] {1, -1}, AT, MPI.INT));
        row(MPI.ERR_COUNT, "count is negative: count=-1, block=0", "reduceScatter",
            () -> W.reduceScatter(A, new int[] {-1, 1}, MPI.INT, MPI.SUM));
        row(MPI.ERR_COUNT, "a count per rank is needed: counts=1, ranks=2", "allGatherv", () -> W.allGatherv(A, new int[1], AT, MPI.INT));
        row(MPI.ERR_COUNT, "a count per rank is needed: counts=null, ranks=2", "reduceScatter",
            () -> W.reduceScatter(A, (int[]) null, MPI.INT, MPI.SUM));
        row(MPI.ERR_ARG, "a displacement per rank is needed: displacements=null, ranks=2", "allToAllv",
            () -> W.allToAllv(A, ONE, AT, MPI.INT, B, ONE, null, MPI.INT));
        row(MPI.ERR_ARG, "displacement out of range: block=1, at=-4 bytes, have=32", "allGatherv",
            () -> W.allGatherv(A, ONE, new int[] {0, -1}, MPI.INT));
        row(MPI.ERR_BUFFER, "buffer too small: need=4, have=0 bytes (count=1, type=INT)", "allGatherv",
            () -> W.allGatherv(A, ONE, new int[] {0, 8}, MPI.INT));
        row(MPI.ERR_TYPE, "a datatype per rank is needed: types=1, ranks=2", "allToAllw",
            () -> W.allToAllw(A, ONE, AT, INTS, B, ONE, AT, new Datatype[] {MPI.INT}));
        row(MPI.ERR_TYPE, "datatype is null", "allToAllw", () -> W.allToAllw(A, ONE, AT, INTS, B, ONE, AT, new Datatype[2]));
        row(MPI.ERR_BUFFER, "buffer too small: need=40, have=32 bytes (count=10, type=INT)", "allGather", () -> W.allGather(A, 5, MPI.INT));
        row(MPI.ERR_TRUNCATE, "own block differs in length between send and receive buffer: bytes=8, other=4", "allGather",
            () -> W.allGather(A, 2, MPI.INT, B, 1, MPI.INT));
        row(MPI.ERR_BUFFER, "buffer is null", "allReduce", () -> W.allReduce(null, 1, MPI.INT, MPI.SUM));
        row(MPI.ERR_OP, "operation is null", "allReduce", () -> W.allReduce(A, 1, MPI.INT, null));
        row(MPI.ERR_OP, "operation not defined on type: op=BAND, type=DOUBLE", "iAllReduce",
            () -> W.iAllReduce(MPI.newDoubleBuffer(1), 1, MPI.DOUBLE, MPI.BAND));
        row(MPI.ERR_OP, "operation not defined on type: op=MAXLOC, type=INT", "reduce", () -> W.reduce(A, 1, MPI.INT, MPI.MAXLOC, 0));
        row(MPI.ERR_OP, "operation not defined on type: op=MAX, type=FLOAT_COMPLEX", "exScan",
            () -> W.exScan(new float[2], 1, MPI.FLOAT_COMPLEX, MPI.MAX));
    }

    private void overlaps() {
        final String inPlace = "send and receive buffer overlap: use the form without a send buffer, which is in place";
        row(MPI.ERR_BUFFER, inPlace, "allReduce", () -> W.allReduce(A, A, 1, MPI.INT, MPI.SUM));
        row(MPI.ERR_BUFFER, inPlace, "allGather", () -> W.allGather(A, 1, MPI.INT, A, 1, MPI.INT));
        row(MPI.ERR_BUFFER, inPlace, "iAllToAll", () -> W.iAllToAll(DIRECT, 1, MPI.INT, MPI.slice(DIRECT, 1), 1, MPI.INT));
        row(MPI.ERR_BUFFER, inPlace, "scan", () -> W.scan(IntBuffer.wrap(A), A, 8, MPI.INT, MPI.SUM));
        row(MPI.ERR_BUFFER, inPlace, "allToAllv", () -> W.allToAllv(A, ONE, AT, MPI.INT, A, ONE, new int[] {1, 2}, MPI.INT));
        row(MPI.ERR_BUFFER, "send and receive buffer overlap: use the form with one buffer, which replaces", "sendRecv",
            () -> W.sendRecv(A, 8, MPI.INT, rank, 0, A, 8, MPI.INT, rank, 0));
        // halves of one buffer, and the odd and even elements of one array, do not overlap
        rows.add(() -> W.allReduce(MPI.slice(DIRECT, 4), DIRECT, 4, MPI.INT, MPI.SUM));
        rows.add(() -> W.allToAllv(A, ONE, AT, MPI.INT, A, ONE, new int[] {2, 3}, MPI.INT));
        rows.add(() -> {
            final Datatype sparse = Datatype.createVector(2, 1, 2, MPI.INT);
            sparse.commit();
            W.sendRecv(MPI.slice(A, 1), 1, sparse, rank, 0, IntBuffer.wrap(A), 1, sparse, rank, 0);
        });
    }

    private void types() throws MPIException {
        final Datatype made = Datatype.createContiguous(2, MPI.INT);
        final Datatype freed = Datatype.createContiguous(2, MPI.INT);
        freed.commit();
        freed.free();
        final String notCommitted = "datatype is not committed: type=contiguous(2,INT), call commit() before communication";
        final String wasFreed = "datatype was freed: type=contiguous(2,INT)";
        row(MPI.ERR_TYPE, notCommitted, "send", () -> W.send(A, 1, made, 0, 0));
        row(MPI.ERR_TYPE, notCommitted, "iRecv", () -> W.iRecv(DIRECT, 1, made, 0, 0));
        row(MPI.ERR_TYPE, notCommitted, "bcast", () -> W.bcast(A, 1, made, 0));
        row(MPI.ERR_TYPE, notCommitted, "allToAllw", () -> W.allToAllw(A, ONE, AT, new Datatype[] {MPI.INT, made}, B, ONE, AT, INTS));
        row(MPI.ERR_TYPE, notCommitted, "pack", () -> W.pack(A, 1, made, new byte[8], 0));
        row(MPI.ERR_TYPE, wasFreed, "send", () -> W.send(A, 1, freed, 0, 0));
        row(MPI.ERR_TYPE, wasFreed, "allReduce", () -> W.allReduce(A, 1, freed, MPI.SUM));
        row(MPI.ERR_TYPE, wasFreed, "getSize", freed::getSize);
        row(MPI.ERR_TYPE, wasFreed, "commit", freed::commit);
        row(MPI.ERR_TYPE, wasFreed, "free", freed::free);
        row(MPI.ERR_TYPE, wasFreed, "createVector", () -> Datatype.createVector(1, 1, 1, freed));
        row(MPI.ERR_TYPE, "datatype is null", "send", () -> W.send(A, 1, null, 0, 0));
        row(MPI.ERR_TYPE, "datatype is NULL", "send", () -> W.send(A, 0, MPI.DATATYPE_NULL, 0, 0));
        row(MPI.ERR_TYPE, "datatype is null", "allGather", () -> W.allGather(A, 1, null));
        row(MPI.ERR_TYPE, "datatype is null", "allGatherv", () -> W.allGatherv(A, new int[2], AT, null));
        row(MPI.ERR_COUNT, "count is negative: count=-1", "createContiguous", () -> Datatype.createContiguous(-1, MPI.INT));
        row(MPI.ERR_ARG, "block length is negative: block=0, length=-1", "createVector", () -> Datatype.createVector(1, -1, 1, MPI.INT));
        row(MPI.ERR_ARG, "block length is negative: block=1, length=-1", "createIndexed",
            () -> Datatype.createIndexed(new int[] {1, -1}, AT, MPI.INT));
        row(MPI.ERR_ARG, "displacements are null", "createIndexed", () -> Datatype.createIndexed(ONE, null, MPI.INT));
        row(MPI.ERR_ARG, "number of displacements differs from number of block lengths: displacements=1, blocks=2", "createHIndexed",
            () -> Datatype.createHIndexed(ONE, new int[1], MPI.INT));
        row(MPI.ERR_ARG, "number of types differs from number of blocks: types=null, blocks=2", "createStruct",
            () -> Datatype.createStruct(ONE, AT, null));
        row(MPI.ERR_TYPE, "datatype is null", "createStruct", () -> Datatype.createStruct(ONE, AT, new Datatype[2]));
        row(MPI.ERR_TYPE, "datatype is null", "createResized", () -> Datatype.createResized(null, 0, 1));
        row(MPI.ERR_TYPE, "predefined datatype cannot be freed: type=MPI_INT", "free", MPI.INT::free);
        // datatypes that are only part of others need no commit
        rows.add(() -> {
            final Datatype outer = Datatype.createContiguous(2, made);
            outer.commit();
            W.sendRecv(A, 1, outer, rank, 0, B, 1, outer, rank, 0);
        });
        // a datatype that is not significant may be anything
        rows.add(() -> W.gather(A, 1, MPI.INT, B, 1, rank == 0 ? MPI.INT : made, 0));
        // so may other arguments, and a buffer without elements
        rows.add(() -> W.gather(A, 1, MPI.INT, rank == 0 ? B : null, 1, rank == 0 ? MPI.INT : null, 0));
        rows.add(() -> W.scatterv(rank == 0 ? A : null, rank == 0 ? ONE : null, rank == 0 ? AT : null, rank == 0 ? MPI.INT : null, B, 1, MPI.INT, 0));
        rows.add(() -> W.sendRecv(null, 0, MPI.INT, rank, 0, null, 1, MPI.INT, MPI.PROC_NULL, 0));
        rows.add(() -> W.iBcast(null, 0, MPI.INT, 0).waitFor());
    }

    private void objects() throws MPIException {
        final Op op = new Op(new UserFunction() {}, true);
        op.free();
        row(MPI.ERR_OP, "operation was freed", "allReduce", () -> W.allReduce(A, 1, MPI.INT, op));
        row(MPI.ERR_OP, "predefined operation cannot be freed: op=MPI_SUM", "free", MPI.SUM::free);
        final Group group = W.getGroup();
        group.free();
        row(MPI.ERR_GROUP, "group is null", "getSize", group::getSize);
        final Info info = new Info();
        info.free();
        row(MPI.ERR_INFO, "info is null", "set", () -> info.set("a", "b"));
        row(MPI.ERR_INFO, "info is null", "setInfo", () -> W.setInfo(info));
        row(MPI.ERR_INFO, "info is null", "setInfo", () -> W.setInfo(null));
        row(MPI.ERR_INFO_NOKEY, "no such key in info: key=a", "delete", () -> new Info().delete("a"));
        row(MPI.ERR_INFO_VALUE, "value of info out of range: length=null, range=1..256, key=a", "set", () -> new Info().set("a", null));
        row(MPI.ERR_INFO_KEY, "key of info out of range: length=37, range=1..36", "get", () -> new Info().get("k".repeat(37)));
        final Request request = W.iRecv(DIRECT, 1, MPI.INT, MPI.PROC_NULL, 0);
        request.free();
        final String gone = "request is null: it is complete, was freed or is MPI.REQUEST_NULL";
        row(MPI.ERR_REQUEST, gone, "cancel", request::cancel);
        row(MPI.ERR_REQUEST, gone, "cancel", MPI.REQUEST_NULL::cancel);
        row(MPI.ERR_REQUEST, "array of requests is null", "waitAll", () -> Request.waitAll(null));
        row(MPI.ERR_REQUEST, "request missing in array: index=1, use MPI.REQUEST_NULL", "testSome",
            () -> Request.testSome(new Request[] {MPI.REQUEST_NULL, null}));
        row(MPI.ERR_ARG, "name is null", "setName", () -> W.setName(null));
        row(MPI.ERR_COMM, "predefined communicator cannot be freed: comm=MPI_COMM_WORLD", "free", W::free);
    }

    private void local() {
        final ByteBuffer bytes = ByteBuffer.allocate(8);
        row(MPI.ERR_ARG, "position out of range: position=-1, size=8", "pack", () -> W.pack(A, 1, MPI.INT, bytes.array(), -1));
        row(MPI.ERR_TRUNCATE, "packed buffer too small: need=4, have=2 bytes (position=6, size=8)", "unpack",
            () -> W.unpack(bytes.array(), 6, A, 1, MPI.INT));
        row(MPI.ERR_BUFFER, "buffer is null", "pack", () -> W.pack(A, 1, MPI.INT, null, 0));
        row(MPI.ERR_COUNT, "count is negative: count=-1", "packSize", () -> W.packSize(-1, MPI.INT));
        row(MPI.ERR_BUFFER, "both operands are the same memory: count=1, type=INT", "reduceLocal", () -> Comm.reduceLocal(A, A, 1, MPI.INT, MPI.SUM));
        row(MPI.ERR_OP, "operation not defined on type: op=BAND, type=DOUBLE", "reduceLocal",
            () -> Comm.reduceLocal(new double[1], new double[1], 1, MPI.DOUBLE, MPI.BAND));
        row(MPI.ERR_ARG, "no such operation: name=x, known=" + tutti.coll.Operation.values(), "explain", () -> W.explain("x"));
        row(MPI.ERR_BUFFER, "no buffer is attached", "detachBuffer", MPI::detachBuffer);
        row(MPI.ERR_OTHER, "Init was called already", "Init", () -> MPI.Init(new String[0]));
    }
}
