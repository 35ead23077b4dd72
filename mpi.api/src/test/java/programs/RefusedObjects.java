package programs;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import mpi.Comm;
import mpi.Datatype;
import mpi.Info;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Message;
import mpi.Op;
import mpi.UserFunction;
import org.junit.jupiter.api.function.Executable;
import tutti.checkpoint.Checkpoint;

/** Error codes, arrays, operations, info, ports, spawned processes that calls must refuse, as a table. On two ranks. */
public final class RefusedObjects {
    private static final Intracomm W = MPI.COMM_WORLD;
    private static final int[] A = new int[8];

    private final List<Executable> rows = new ArrayList<>();

    private RefusedObjects() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        W.setErrhandler(MPI.ERRORS_RETURN);
        MPI.COMM_SELF.setErrhandler(MPI.ERRORS_RETURN);
        final RefusedObjects table = new RefusedObjects();
        table.codes();
        table.counts();
        table.arrays();
        table.operations();
        table.messages();
        table.jobs();
        assertAll(table.rows);
        W.barrier();
    }

    private void row(final int errorClass, final String text, final Executable call) {
        rows.add(() -> {
            final MPIException e = assertThrows(MPIException.class, call, text);
            assertTrue(e.getMessage().startsWith(text + " ["), e.getMessage());
            assertEquals(errorClass, e.getErrorClass(), text);
        });
    }

    private void codes() throws MPIException {
        final int code = MPI.addErrorCode(MPI.addErrorClass());
        row(MPI.ERR_ARG, "no such error class: class=7777", () -> MPI.addErrorCode(7777));
        row(MPI.ERR_ARG, "no such error code: code=7777, last=" + code, () -> W.callErrhandler(7777));
        row(MPI.ERR_ARG, "error code was not added by the program: code=" + MPI.ERR_TAG, () -> MPI.addErrorString(MPI.ERR_TAG, "text"));
        row(MPI.ERR_ARG, "length of error text out of range: length=256, range=0..255", () -> MPI.addErrorString(code, "x".repeat(256)));
        row(MPI.ERR_ARG, "error handler is null: use MPI.ERRORS_RETURN or another", () -> W.setErrhandler(null));
        row(MPI.ERR_ARG, "predefined error handler cannot be freed: handler=MPI_ERRORS_RETURN", MPI.ERRORS_RETURN::free);
        row(MPI.ERR_INFO, "info cannot be changed: info=MPI_INFO_ENV", () -> MPI.INFO_ENV.set("k", "v"));
        row(MPI.ERR_ARG, "type exceeds 63 bits: type=resized(1," + Long.MAX_VALUE + ",INT)",
            () -> Datatype.createResized(MPI.INT, 1, Long.MAX_VALUE));
    }

    private void counts() {
        row(MPI.ERR_COUNT, "count too large: count=" + Long.MAX_VALUE + ", max=" + Long.MAX_VALUE / 2,
            () -> W.allGather(A, 1L, MPI.INT, A, Long.MAX_VALUE, MPI.INT));
    }

    private void arrays() throws MPIException {
        final int other = 1 - W.getRank();
        row(MPI.ERR_ARG, "block lengths are null", () -> Datatype.createIndexed(null, new int[1], MPI.INT));
        row(MPI.ERR_ARG, "displacements are null", () -> Datatype.createIndexed(new int[1], null, MPI.INT));
        row(MPI.ERR_ARG, "destinations are null", () -> W.createDistGraphAdjacent(new int[0], null, null, false));
        row(MPI.ERR_BUFFER, "IN_PLACE is allowed at the root only: rank=" + W.getRank(),
            () -> W.gatherv(A, new int[] {1, 1}, new int[] {0, 1}, MPI.INT, other));
        row(MPI.ERR_BUFFER, "IN_PLACE is allowed at the root only: rank=" + W.getRank(),
            () -> W.scatterv(A, new int[] {1, 1}, new int[] {0, 1}, MPI.INT, other));
        row(MPI.ERR_ARG, "count is negative: count=-1", () -> {
            MPI.COMM_SELF.bSend(A, 0, MPI.INT, 0, 7);
            MPI.COMM_SELF.recv(A, 0, MPI.INT, 0, 7).setElements(MPI.INT, -1);
        });
        row(MPI.ERR_COMM, "a checkpoint needs a communicator with all ranks of the job: size=1, job=2", () -> Checkpoint.force(MPI.COMM_SELF));
    }

    private void operations() throws MPIException {
        row(MPI.ERR_OP, "operation of one-sided communication in a reduction: op=REPLACE", () -> W.allReduce(A, 1, MPI.INT, MPI.REPLACE));
        final Op none = new Op(new UserFunction() {}, true);
        rows.add(() -> {
            final MPIException e = assertThrows(MPIException.class, () -> Comm.reduceLocal(A, new int[8], 1, MPI.INT, none));
            assertTrue(e.getMessage().contains("user function does not take arrays: class=programs.RefusedObjects$"), e.getMessage());
        });
    }

    private void messages() {
        row(MPI.ERR_REQUEST, "message is null: nothing was found, or it has been received", () -> new Message().imRecv(A, 1L, MPI.INT));
        row(MPI.ERR_REQUEST, "message has not been received yet: receive it, or use another object of class Message", () -> {
            final Message message = new Message();
            MPI.COMM_SELF.bSend(A, 0, MPI.INT, 0, 7);
            message.mProbe(0, 7, MPI.COMM_SELF);
            try {
                message.mProbe(0, 7, MPI.COMM_SELF);
            } finally {
                message.mRecv(A, 0, MPI.INT);
            }
        });
    }

    private void jobs() {
        row(MPI.ERR_PORT, "port name is empty", () -> Intracomm.publishName("service", ""));
        row(MPI.ERR_PORT, "not the name of a port: expected a name that openPort or lookupName returned: name=door", () -> W.connect("door", 0));
        row(MPI.ERR_NAME, "service name is empty", () -> Intracomm.lookupName(""));
        row(MPI.ERR_NAME, "name is not published in this cluster: name=service", () -> Intracomm.lookupName("service"));
        row(MPI.ERR_SERVICE, "name was not published by this job on this node: name=service", () -> Intracomm.unpublishName("service", "door"));
        row(MPI.ERR_INFO_VALUE, "time limit is not a number of seconds: timeout=soon", () -> W.connect("door", timeout("soon"), 0));
        row(MPI.ERR_INFO_VALUE, "time limit out of range: timeout=0, expected more than 0 and at most 2147483647 seconds",
            () -> W.connect("door", timeout("0"), 0));
        row(MPI.ERR_ARG, "spawn needs a command, and a number of processes for each",
            () -> W.spawnMultiple(new String[] {"A"}, null, new int[0], null, 0, null));
        row(MPI.ERR_SPAWN, "command is empty: index=0", () -> W.spawn(" ", null, 1, null, 0, null));
        row(MPI.ERR_ARG, "number of processes out of range: maxprocs=0, min=1, command=A", () -> W.spawn("A", null, 0, null, 0, null));
        row(MPI.ERR_ARG, "socket is not connected: socket=Socket[unconnected]", () -> Intercomm.join(new Socket()));
    }

    private static Info timeout(final String value) throws MPIException {
        final Info info = new Info();
        info.set("timeout", value);
        return info;
    }
}
