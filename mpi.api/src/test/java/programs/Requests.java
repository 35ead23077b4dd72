package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.IntBuffer;
import mpi.Comm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import mpi.Status;

/** Rank 0 receives from rank 1, which sends one message after the other on request. */
public final class Requests {
    private static final Comm WORLD = MPI.COMM_WORLD;
    private static final int GO = 100;
    private static final IntBuffer BUFFER = MPI.newIntBuffer(16);

    private Requests() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        if (WORLD.getRank() == 1) {
            serve();
        } else {
            single();
            any();
            some();
            all();
            cancelled();
            failed();
            WORLD.send(new int[] {-1}, 1, MPI.INT, 1, GO);
        }
        MPI.attachBuffer(new byte[Integer.BYTES + MPI.BSEND_OVERHEAD]);
        modes();
        MPI.detachBuffer();
    }

    /** Sends messages with the requested tags in synchronous mode, so that they have been matched when it reports completion. */
    private static void serve() throws MPIException {
        final int[] tag = new int[1];
        for (WORLD.recv(tag, 1, MPI.INT, 0, GO); tag[0] >= 0; WORLD.recv(tag, 1, MPI.INT, 0, GO)) {
            WORLD.sSend(new int[] {tag[0] * 10, 0}, 2, MPI.INT, 0, tag[0]);
            WORLD.send(tag, 1, MPI.INT, 0, GO);
        }
    }

    private static void let(final int tag) throws MPIException {
        WORLD.sendRecv(new int[] {tag}, 1, MPI.INT, 1, GO, new int[1], 1, MPI.INT, 1, GO);
    }

    private static Request[] receives(final int n) throws MPIException {
        final Request[] requests = new Request[n];
        for (int i = 0; i < n; i++) {
            requests[i] = WORLD.iRecv(MPI.slice(BUFFER, 2 * i), 2, MPI.INT, 1, i);
        }
        return requests;
    }

    private static void single() throws MPIException {
        final Request request = receives(1)[0];
        assertFalse(request.test());
        assertNull(request.testStatus());
        assertNull(request.getStatus());
        assertFalse(request.isNull());
        let(0);
        while (request.getStatus() == null) {
            Thread.onSpinWait();
        }
        assertFalse(request.isNull());
        final Status status = request.testStatus();
        assertEquals(0, status.getTag());
        assertEquals(1, status.getSource());
        assertEquals(MPI.UNDEFINED, status.getIndex());
        assertTrue(request.isNull());
        assertTrue(request.test());
        assertEquals(MPI.ANY_TAG, request.getStatus().getTag());
        assertThrows(MPIException.class, request::cancel);
        request.free();
        request.free();
        assertTrue(request.isNull());
        MPI.REQUEST_NULL.free();
        request.waitFor();
        // a request that is complete and was not waited for
        final Request complete = receives(1)[0];
        let(0);
        while (complete.getStatus() == null) {
            Thread.onSpinWait();
        }
        complete.cancel();
        complete.free();
        complete.free();
        assertTrue(complete.isNull());
    }

    private static void any() throws MPIException {
        final Request[] requests = receives(3);
        assertEquals(MPI.UNDEFINED, Request.testAny(requests));
        assertNull(Request.testAnyStatus(requests));
        assertNull(Request.getStatusAny(requests));
        let(1);
        Status seen = Request.getStatusAny(requests);
        while (seen == null) {
            seen = Request.getStatusAny(requests);
        }
        assertEquals(1, seen.getIndex());
        assertEquals(1, seen.getTag());
        assertFalse(requests[1].isNull());
        final Status status = Request.waitAnyStatus(requests);
        assertEquals(1, status.getIndex());
        assertEquals(1, status.getTag());
        assertTrue(requests[1].isNull());
        assertEquals(10, BUFFER.get(2));
        let(2);
        int index = Request.testAny(requests);
        while (index == MPI.UNDEFINED) {
            index = Request.testAny(requests);
        }
        assertEquals(2, index);
        let(0);
        assertEquals(0, Request.waitAny(requests));
        assertEquals(MPI.UNDEFINED, Request.waitAny(requests));
        assertEquals(MPI.UNDEFINED, Request.getStatusAny(requests).getIndex());
    }

    private static void some() throws MPIException {
        final Request[] requests = receives(4);
        assertEquals(0, Request.testSome(requests).length);
        assertEquals(0, Request.testSomeStatus(requests).length);
        assertEquals(0, Request.getStatusSome(requests).length);
        let(3);
        Status[] seen = Request.getStatusSome(requests);
        while (seen.length == 0) {
            seen = Request.getStatusSome(requests);
        }
        assertEquals(3, seen[0].getIndex());
        assertFalse(requests[3].isNull());
        assertArrayEquals(new int[] {3}, Request.waitSome(requests));
        let(0);
        let(2);
        int done = 0;
        while (done < 2) {
            final Status[] statuses = Request.waitSomeStatus(requests);
            for (final Status s : statuses) {
                assertEquals(s.getIndex(), s.getTag());
                assertTrue(requests[s.getIndex()].isNull());
            }
            done += statuses.length;
        }
        assertFalse(requests[1].isNull());
        let(1);
        assertArrayEquals(new int[] {1}, Request.waitSome(requests));
        assertNull(Request.waitSome(requests));
        assertNull(Request.testSome(requests));
        assertNull(Request.getStatusSome(requests));
    }

    private static void all() throws MPIException {
        final Request[] requests = receives(3);
        requests[1].cancel();
        requests[1].waitFor();
        let(0);
        assertFalse(Request.testAll(requests));
        assertNull(Request.testAllStatus(requests));
        assertNull(Request.getStatusAll(requests));
        assertFalse(requests[0].isNull());
        let(2);
        Status[] seen = Request.getStatusAll(requests);
        while (seen == null) {
            seen = Request.getStatusAll(requests);
        }
        assertEquals(2, seen[2].getTag());
        assertEquals(MPI.ANY_TAG, seen[1].getTag());
        assertFalse(requests[0].isNull() || requests[2].isNull());
        Status[] statuses = Request.testAllStatus(requests);
        while (statuses == null) {
            statuses = Request.testAllStatus(requests);
        }
        assertEquals(2, statuses[2].getTag());
        assertEquals(MPI.ANY_TAG, statuses[1].getTag());
        final Request[] more = receives(2);
        let(1);
        let(0);
        assertEquals(2, Request.waitAllStatus(more)[1].getCount(MPI.INT));
        assertTrue(more[0].isNull() && more[1].isNull());
    }

    private static void cancelled() throws MPIException {
        final Request request = receives(1)[0];
        request.cancel();
        final Status status = request.waitStatus();
        assertTrue(status.isCancelled());
        assertTrue(request.isNull());
        receives(1)[0].free();
        let(0);
    }

    private static void failed() throws MPIException {
        final Request[] requests = receives(2);
        requests[1].cancel();
        requests[1].waitFor();
        requests[1] = WORLD.iRecv(MPI.slice(BUFFER, 2), 1, MPI.INT, 1, 1);
        let(0);
        let(1);
        final MPIException seen = assertThrows(MPIException.class, () -> {
            while (Request.getStatusAll(requests) == null) {
                Thread.onSpinWait();
            }
        });
        assertEquals(MPI.ERR_IN_STATUS, seen.getErrorClass());
        assertEquals(MPI.ERR_TRUNCATE, seen.getStatuses()[1].getError());
        assertEquals(MPI.ERR_IN_STATUS, assertThrows(MPIException.class, () -> Request.getStatusSome(requests)).getErrorClass());
        assertFalse(requests[0].isNull() || requests[1].isNull());
        final MPIException e = assertThrows(MPIException.class, () -> Request.waitAll(requests));
        assertEquals(MPI.ERR_IN_STATUS, e.getErrorClass());
        assertTrue(e.getMessage().startsWith("request failed: index=1, error="), e.getMessage());
        assertEquals(MPI.ERR_TRUNCATE, ((MPIException) e.getCause()).getErrorClass());
        assertEquals(2, e.getStatuses().length);
        assertEquals(MPI.SUCCESS, e.getStatuses()[0].getError());
        assertEquals(2, e.getStatuses()[0].getCount(MPI.INT));
        assertEquals(MPI.ERR_TRUNCATE, e.getStatuses()[1].getError());
        assertEquals(1, e.getStatuses()[1].getTag());
        assertEquals(1, e.getStatuses()[1].getIndex());
        assertTrue(requests[0].isNull() && requests[1].isNull());
        final Request one = WORLD.iRecv(MPI.slice(BUFFER, 2), 1, MPI.INT, 1, 1);
        let(1);
        assertEquals(MPI.ERR_TRUNCATE, assertThrows(MPIException.class, one::waitFor).getErrorClass());
        assertTrue(one.isNull());
    }

    private static void modes() throws MPIException {
        final int rank = WORLD.getRank();
        final int peer = 1 - rank;
        final IntBuffer out = MPI.newIntBuffer(4);
        out.put(0, 5).put(1, 6).put(2, 7).put(3, 8);
        final Request[] in = new Request[4];
        for (int i = 0; i < 4; i++) {
            in[i] = WORLD.iRecv(MPI.slice(BUFFER, i), 1, MPI.INT, peer, i);
        }
        WORLD.barrier();
        Request.waitAll(new Request[] {WORLD.iSend(out, 1, MPI.INT, peer, 0), WORLD.ibSend(MPI.slice(out, 1), 1, MPI.INT, peer, 1),
            WORLD.isSend(MPI.slice(out, 2), 1, MPI.INT, peer, 2), WORLD.irSend(MPI.slice(out, 3), 1, MPI.INT, peer, 3)});
        final Status[] statuses = Request.waitAllStatus(in);
        for (int i = 0; i < 4; i++) {
            assertNotNull(statuses[i]);
            assertEquals(5 + i, BUFFER.get(i));
        }
    }
}
