package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.IntBuffer;
import mpi.Comm;
import mpi.Datatype;
import mpi.MPI;
import mpi.MPIException;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/** Persistent messages between ranks 0 and 1. */
public final class PersistentRequests {
    private static final Comm WORLD = MPI.COMM_WORLD;
    private static int rank;
    private static int peer;

    private PersistentRequests() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        rank = WORLD.getRank();
        peer = 1 - rank;
        MPI.attachBuffer(new byte[1 << 20]);
        modes();
        arraysAndTypes();
        inactive();
        mixed();
        errors();
        cancelled();
        procNull();
        closed();
        MPI.detachBuffer();
    }

    private static void modes() throws MPIException {
        final int sizes = 4;
        final int[] counts = {1, 3000, 20_000, 0};
        for (int s = 0; s < sizes; s++) {
            final int count = counts[s];
            final IntBuffer out = MPI.newIntBuffer(4 * 20_000);
            final IntBuffer in = MPI.newIntBuffer(4 * 20_000);
            final Prequest[] receives = new Prequest[4];
            for (int i = 0; i < 4; i++) {
                receives[i] = WORLD.recvInit(MPI.slice(in, i * 20_000), count, MPI.INT, peer, i);
            }
            final Prequest[] sends = {
                WORLD.sendInit(out, count, MPI.INT, peer, 0),
                WORLD.bSendInit(MPI.slice(out, 20_000), count, MPI.INT, peer, 1),
                WORLD.sSendInit(MPI.slice(out, 40_000), count, MPI.INT, peer, 2),
                WORLD.rSendInit(MPI.slice(out, 60_000), count, MPI.INT, peer, 3)};
            for (int round = 0; round < 20; round++) {
                for (int i = 0; i < out.capacity(); i++) {
                    out.put(i, 1_000_000 * rank + i + round);
                }
                Prequest.startAll(receives);
                WORLD.barrier();
                Prequest.startAll(sends);
                Request.waitAll(sends);
                final Status[] statuses = Request.waitAllStatus(receives);
                for (int i = 0; i < 4; i++) {
                    assertEquals(count, statuses[i].getCount(MPI.INT));
                    assertEquals(i, statuses[i].getTag());
                    for (int k = 0; k < count; k++) {
                        assertEquals(1_000_000 * peer + 20_000 * i + k + round, in.get(20_000 * i + k));
                    }
                }
            }
            for (int i = 0; i < 4; i++) {
                receives[i].free();
                sends[i].free();
                assertTrue(receives[i].isNull());
            }
        }
    }

    private static void arraysAndTypes() throws MPIException {
        final boolean[] flags = new boolean[3];
        final boolean[] gotFlags = new boolean[3];
        final Datatype column = Datatype.createVector(3, 1, 2, MPI.INT);
        column.commit();
        final int[] matrix = new int[5];
        final int[] got = {-1, -1, -1, -1, -1};
        final Prequest[] all = {WORLD.recvInit(gotFlags, 3L, MPI.BOOLEAN, peer, 1), WORLD.recvInit(got, 1L, column, peer, 2),
            WORLD.sendInit(flags, 3L, MPI.BOOLEAN, peer, 1), WORLD.sendInit(matrix, 1L, column, peer, 2)};
        for (int round = 0; round < 5; round++) {
            flags[1] = round % 2 == 0;
            matrix[2] = 10 * rank + round;
            got[1] = round;
            Prequest.startAll(all);
            Request.waitAll(all);
            assertArrayEquals(new boolean[] {false, round % 2 == 0, false}, gotFlags);
            assertArrayEquals(new int[] {0, round, 10 * peer + round, -1, 0}, got);
        }
        for (final Prequest p : all) {
            p.free();
        }
        column.free();
    }

    private static void inactive() throws MPIException {
        final Prequest receive = WORLD.recvInit(MPI.newIntBuffer(1), 1, MPI.INT, peer, 0);
        assertFalse(receive.isNull());
        for (int i = 0; i < 2; i++) {
            final Request[] only = {receive, MPI.REQUEST_NULL};
            assertEquals(MPI.ANY_SOURCE, receive.waitStatus().getSource());
            assertTrue(receive.test());
            assertEquals(MPI.ANY_TAG, receive.testStatus().getTag());
            assertEquals(0, receive.getStatus().getCount(MPI.INT));
            assertEquals(MPI.UNDEFINED, Request.waitAny(only));
            assertEquals(MPI.UNDEFINED, Request.testAny(only));
            assertEquals(MPI.UNDEFINED, Request.testAnyStatus(only).getIndex());
            assertNull(Request.waitSome(only));
            assertNull(Request.testSome(only));
            assertTrue(Request.testAll(only));
            assertEquals(2, Request.waitAllStatus(only).length);
            receive.cancel();
            // again, after it was active
            receive.start();
            WORLD.sendRecv(new int[] {5}, 1, MPI.INT, peer, 0, new int[1], 1, MPI.INT, MPI.PROC_NULL, 1);
            receive.waitFor();
        }
        receive.free();
    }

    private static void mixed() throws MPIException {
        final int[] a = new int[1];
        final int[] b = new int[1];
        final Prequest idle = WORLD.recvInit(new int[1], 1L, MPI.INT, peer, 99);
        final Prequest first = WORLD.recvInit(a, 1L, MPI.INT, peer, 1);
        for (int round = 0; round < 10; round++) {
            first.start();
            final Request[] requests = {idle, first, WORLD.iRecv(b, 1L, MPI.INT, peer, 2), WORLD.iBarrier()};
            WORLD.send(new int[] {round}, 1, MPI.INT, peer, 1);
            WORLD.send(new int[] {-round}, 1, MPI.INT, peer, 2);
            int done = 0;
            while (done < 3) {
                final Status status = Request.waitAnyStatus(requests);
                assertTrue(status.getIndex() > 0);
                done++;
            }
            assertEquals(MPI.UNDEFINED, Request.waitAny(requests));
            assertFalse(first.isNull());
            assertTrue(requests[2].isNull());
            assertEquals(round, a[0]);
            assertEquals(-round, b[0]);
        }
        idle.free();
        first.free();
    }

    private static void errors() throws MPIException {
        final int[] data = new int[1];
        final Prequest one = WORLD.recvInit(data, 1L, MPI.INT, peer, 0);
        final Prequest other = WORLD.recvInit(new int[1], 1L, MPI.INT, peer, 0);
        one.start();
        refused("persistent request is active", one::start);
        refused("persistent request is active: wait for it before it is started again: index=1",
            () -> Prequest.startAll(new Prequest[] {other, one}));
        refused("request is in the array twice: index=1", () -> Prequest.startAll(new Prequest[] {other, other}));
        // none of them was started
        assertTrue(other.test());
        // a pending operation completes when its request is freed
        one.free();
        refused("request is null", one::start);
        one.free();
        one.waitFor();
        assertTrue(one.isNull());
        // an inactive request has nothing to cancel, and a null one is an error
        other.cancel();
        refused("request is null", one::cancel);
        refused("request is null: it was freed: index=1", () -> Prequest.startAll(new Prequest[] {other, one}));
        WORLD.barrier();
        WORLD.send(new int[] {77}, 1, MPI.INT, peer, 0);
        WORLD.barrier();
        final Request last = WORLD.iRecv(new int[1], 1L, MPI.INT, peer, 1);
        WORLD.send(new int[] {78}, 1, MPI.INT, peer, 1);
        last.waitFor();
        assertEquals(77, data[0]);
        other.free();
        // truncation does not end a persistent receive
        final int[] two = {1, 2};
        final Prequest small = WORLD.recvInit(data, 1L, MPI.INT, peer, 3);
        for (int i = 0; i < 2; i++) {
            small.start();
            WORLD.send(two, 2, MPI.INT, peer, 3);
            final MPIException e = assertThrows(MPIException.class, small::waitFor);
            assertEquals(MPI.ERR_TRUNCATE, e.getErrorClass());
            small.start();
            WORLD.send(new int[] {9}, 1, MPI.INT, peer, 3);
            small.waitFor();
            assertEquals(9, data[0]);
        }
        small.free();
    }

    private static void refused(final String message, final org.junit.jupiter.api.function.Executable call) {
        final MPIException e = assertThrows(MPIException.class, call);
        assertEquals(MPI.ERR_REQUEST, e.getErrorClass());
        assertTrue(e.getMessage().startsWith(message), e.getMessage());
    }

    private static void cancelled() throws MPIException {
        final int[] data = new int[1];
        final Prequest receive = WORLD.recvInit(data, 1L, MPI.INT, peer, 0);
        for (int i = 0; i < 3; i++) {
            receive.start();
            receive.cancel();
            assertTrue(receive.waitStatus().isCancelled());
            WORLD.barrier();
            receive.start();
            WORLD.send(new int[] {i + 1}, 1, MPI.INT, peer, 0);
            assertFalse(receive.waitStatus().isCancelled());
            assertEquals(i + 1, data[0]);
        }
        receive.free();
    }

    private static void procNull() throws MPIException {
        final Prequest send = WORLD.sendInit(new int[1], 1L, MPI.INT, MPI.PROC_NULL, 0);
        final Prequest buffered = WORLD.bSendInit(new int[1], 1L, MPI.INT, MPI.PROC_NULL, 0);
        final Prequest receive = WORLD.recvInit(new int[1], 1L, MPI.INT, MPI.PROC_NULL, 0);
        for (int i = 0; i < 2; i++) {
            Prequest.startAll(new Prequest[] {send, buffered, receive});
            send.waitFor();
            buffered.waitFor();
            final Status status = receive.waitStatus();
            assertEquals(MPI.PROC_NULL, status.getSource());
            assertEquals(MPI.ANY_TAG, status.getTag());
            assertEquals(0, status.getCount(MPI.INT));
        }
        receive.free();
        send.free();
        buffered.free();
    }

    private static void closed() throws MPIException {
        final int[] data = new int[1];
        final Prequest made;
        try (Prequest receive = WORLD.recvInit(data, 1L, MPI.INT, peer, 0); Request send = WORLD.iSend(new int[] {3}, 1L, MPI.INT, peer, 0)) {
            made = receive;
            receive.start();
            assertFalse(receive.isNull());
            assertFalse(send.isNull());
        }
        assertEquals(3, data[0]);
        assertTrue(made.isNull());
        MPI.REQUEST_NULL.close();
    }
}
