package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;
import mpi.Comm;
import mpi.Datatype;
import mpi.MPI;
import mpi.MPIException;
import mpi.Prequest;
import mpi.Request;

/** Every form of the neighbour collectives with a block of one entry for each destination; the entry encodes the sender and its block. */
final class NeighborForms {
    private static final Datatype INT = MPI.INT;
    private static final int OLD = -7;

    private final Comm comm;
    private final int[] send;
    private final int[] expected;

    /**
     * Creates the test for a topology.
     *
     * @param destinations number of blocks sent
     * @param expected {@link #value} for each source
     */
    NeighborForms(final Comm comm, final int destinations, final int... expected) throws MPIException {
        final int me = comm.getRank();
        this.comm = comm;
        this.send = IntStream.range(0, destinations).map(i -> value(me, i)).toArray();
        this.expected = expected;
    }

    /** Returns the value that a rank sends in a block; for {@code MPI.PROC_NULL} the initial value of a block. */
    static int value(final int rank, final int block) {
        return rank == MPI.PROC_NULL ? OLD : 1 + 100 * rank + block;
    }

    static int[] ones(final int n) {
        final int[] data = new int[n];
        Arrays.fill(data, 1);
        return data;
    }

    void check() throws MPIException {
        exchanges();
        gathers();
    }

    private void exchanges() throws MPIException {
        final int[] n = ones(expected.length);
        final int[] at = steps(expected.length, 1);
        final int[] bytes = steps(expected.length, Integer.BYTES);
        final Datatype[] types = types(expected.length);
        final int[] sendN = ones(send.length);
        final int[] sendAt = steps(send.length, 1);
        final int[] sendBytes = steps(send.length, Integer.BYTES);
        final Datatype[] sendTypes = types(send.length);
        blocking(expected, r -> comm.neighborAllToAll(send, 1, INT, r, 1, INT));
        blocking(expected, r -> comm.neighborAllToAll(send, 1L, INT, r, 1L, INT));
        blocking(expected, r -> comm.neighborAllToAllv(send, sendN, sendAt, INT, r, n, at, INT));
        blocking(expected, r -> comm.neighborAllToAllv(send, longs(sendN), longs(sendAt), INT, r, longs(n), longs(at), INT));
        blocking(expected, r -> comm.neighborAllToAllw(send, sendN, sendBytes, sendTypes, r, n, bytes, types));
        blocking(expected, r -> comm.neighborAllToAllw(send, longs(sendN), longs(sendBytes), sendTypes, r, longs(n), longs(bytes), types));
        started(expected, r -> comm.iNeighborAllToAll(send, 1, INT, r, 1, INT));
        started(expected, r -> comm.iNeighborAllToAllv(send, sendN, sendAt, INT, r, n, at, INT));
        started(expected, r -> comm.iNeighborAllToAllv(send, longs(sendN), longs(sendAt), INT, r, longs(n), longs(at), INT));
        started(expected, r -> comm.iNeighborAllToAllw(send, sendN, sendBytes, sendTypes, r, n, bytes, types));
        started(expected, r -> comm.iNeighborAllToAllw(send, longs(sendN), longs(sendBytes), sendTypes, r, longs(n), longs(bytes), types));
        started(expected, r -> comm.neighborAllToAllInit(send, 1, INT, r, 1, INT));
        started(expected, r -> comm.neighborAllToAllvInit(send, sendN, sendAt, INT, r, n, at, INT));
        started(expected, r -> comm.neighborAllToAllvInit(send, longs(sendN), longs(sendAt), INT, r, longs(n), longs(at), INT));
        started(expected, r -> comm.neighborAllToAllwInit(send, sendN, sendBytes, sendTypes, r, n, bytes, types));
        started(expected, r -> comm.neighborAllToAllwInit(send, longs(sendN), longs(sendBytes), sendTypes, r, longs(n), longs(bytes), types));
        final IntBuffer from = buffer(send);
        buffered(expected, r -> comm.iNeighborAllToAll(from, 1, INT, r, 1, INT));
        buffered(expected, r -> comm.iNeighborAllToAllv(from, sendN, sendAt, INT, r, n, at, INT));
    }

    /** Sends the first block to all destinations; receives the first block of each source. */
    private void gathers() throws MPIException {
        final int[] n = ones(expected.length);
        final int[] at = steps(expected.length, 1);
        final int[] mine = {value(comm.getRank(), 0)};
        final int[] all = Arrays.stream(expected).map(v -> v == OLD ? OLD : v - (v - 1) % 100).toArray();
        blocking(all, r -> comm.neighborAllGather(mine, 1, INT, r, 1, INT));
        blocking(all, r -> comm.neighborAllGather(mine, 1L, INT, r, 1L, INT));
        blocking(all, r -> comm.neighborAllGatherv(mine, 1, INT, r, n, at, INT));
        blocking(all, r -> comm.neighborAllGatherv(mine, 1, INT, r, longs(n), longs(at), INT));
        started(all, r -> comm.iNeighborAllGather(mine, 1, INT, r, 1, INT));
        started(all, r -> comm.iNeighborAllGatherv(mine, 1, INT, r, n, at, INT));
        started(all, r -> comm.iNeighborAllGatherv(mine, 1, INT, r, longs(n), longs(at), INT));
        started(all, r -> comm.neighborAllGatherInit(mine, 1, INT, r, 1, INT));
        started(all, r -> comm.neighborAllGathervInit(mine, 1, INT, r, n, at, INT));
        started(all, r -> comm.neighborAllGathervInit(mine, 1, INT, r, longs(n), longs(at), INT));
        final IntBuffer from = buffer(mine);
        buffered(all, r -> comm.iNeighborAllGather(from, 1, INT, r, 1, INT));
        buffered(all, r -> comm.iNeighborAllGatherv(from, 1, INT, r, n, at, INT));
    }

    /** A blocking call that fills the array. */
    private interface Blocking {
        void run(int[] recv) throws MPIException;
    }

    /** A call that returns a request, persistent or not. */
    private interface Started {
        Request run(int[] recv) throws MPIException;
    }

    /** A call that returns a request and fills a direct buffer. */
    private interface Buffered {
        Request run(IntBuffer recv) throws MPIException;
    }

    private static void blocking(final int[] want, final Blocking call) throws MPIException {
        final int[] recv = old(want.length);
        call.run(recv);
        assertArrayEquals(want, recv);
    }

    private static void started(final int[] want, final Started call) throws MPIException {
        final int[] recv = old(want.length);
        final Request request = call.run(recv);
        if (request instanceof Prequest persistent) {
            persistent.start();
            persistent.waitFor();
            assertArrayEquals(want, recv);
            Arrays.fill(recv, OLD);
            persistent.start();
        }
        request.waitFor();
        assertArrayEquals(want, recv);
        if (!request.isNull()) {
            request.free();
        }
    }

    private static void buffered(final int[] want, final Buffered call) throws MPIException {
        final IntBuffer recv = buffer(old(want.length));
        call.run(recv).waitFor();
        final int[] got = new int[want.length];
        recv.get(0, got);
        assertArrayEquals(want, got);
    }

    private static IntBuffer buffer(final int... data) {
        return MPI.newIntBuffer(data.length).put(0, data);
    }

    private static int[] old(final int n) {
        final int[] data = new int[n];
        Arrays.fill(data, OLD);
        return data;
    }

    private static int[] steps(final int n, final int step) {
        return IntStream.range(0, n).map(i -> step * i).toArray();
    }

    private static Datatype[] types(final int n) {
        final Datatype[] types = new Datatype[n];
        Arrays.fill(types, INT);
        return types;
    }

    private static long[] longs(final int... values) {
        return Arrays.stream(values).asLongStream().toArray();
    }
}
