package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.IntBuffer;
import java.util.Arrays;
import mpi.Comm;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Op;
import mpi.Prequest;
import mpi.UserFunction;

/** Elements with data before the slice of an array at which they begin, in messages, collectives and local calls. */
public final class BeforeSlices {
    private static final Intracomm WORLD = MPI.COMM_WORLD;
    private static final int AT = 6;
    private static int rank;
    private static int size;

    private BeforeSlices() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        rank = WORLD.getRank();
        size = WORLD.getSize();
        messages();
        blocks();
        local();
        errors();
    }

    /** An int three places before the element, and one behind it; the next element is a place further down. */
    private static Datatype around() throws MPIException {
        final Datatype type = Datatype.createResized(Datatype.createIndexed(new int[] {1, 1}, new int[] {-3, 1}, MPI.INT), 0, -4);
        type.commit();
        return type;
    }

    private static int[] numbers(final int from) {
        final int[] numbers = new int[10];
        Arrays.setAll(numbers, i -> 100 * from + i);
        return numbers;
    }

    /** Two elements at the slice: places 3, 7 and 2, 6. */
    private static int[] received(final int from) {
        final int[] expected = new int[10];
        for (final int place : new int[] {2, 3, 6, 7}) {
            expected[place] = 100 * from + place;
        }
        return expected;
    }

    private static void messages() throws MPIException {
        final Datatype type = around();
        final int next = (rank + 1) % size;
        final int previous = (rank + size - 1) % size;
        final int[] got = new int[10];
        WORLD.sendRecv(MPI.slice(numbers(rank), AT), 2, type, next, 0, MPI.slice(got, AT), 2, type, previous, 0);
        assertArrayEquals(received(previous), got);
        final int[] again = new int[10];
        final Prequest receive = WORLD.recvInit(MPI.slice(again, AT), 2, type, previous, 1);
        final Prequest send = WORLD.sendInit(MPI.slice(numbers(rank), AT), 2, type, next, 1);
        for (int i = 0; i < 2; i++) {
            Arrays.fill(again, 0);
            receive.start();
            send.start();
            receive.waitFor();
            send.waitFor();
            assertArrayEquals(received(previous), again);
        }
        receive.free();
        send.free();
        final int[] replaced = numbers(rank);
        WORLD.sendRecvReplace(MPI.slice(replaced, AT), 2, type, next, 2, previous, 2);
        final int[] expected = numbers(rank);
        for (final int place : new int[] {2, 3, 6, 7}) {
            expected[place] = 100 * previous + place;
        }
        assertArrayEquals(expected, replaced);
        // a part of a message: one element and a half
        final int[] part = new int[10];
        WORLD.sendRecv(new int[] {7, 8, 9}, 3, MPI.INT, next, 3, MPI.slice(part, AT), 2, type, previous, 3);
        assertArrayEquals(new int[] {0, 0, 9, 7, 0, 0, 0, 8, 0, 0}, part);
        final int[] cast = rank == 0 ? numbers(5) : new int[10];
        WORLD.iBcast(MPI.slice(cast, AT), 2, type, 0).waitFor();
        assertArrayEquals(rank == 0 ? numbers(5) : received(5), cast);
        type.free();
    }

    /** Blocks with negative displacements, of contiguous types and others. */
    private static void blocks() throws MPIException {
        final int[] counts = new int[size];
        final int[] displs = new int[size];
        Arrays.fill(counts, 1);
        Arrays.setAll(displs, i -> -i - 1);
        final int[] all = new int[size + 2];
        WORLD.allGatherv(new int[] {rank + 1}, 1, MPI.INT, MPI.slice(all, size), counts, displs, MPI.INT);
        for (int r = 0; r < size; r++) {
            assertEquals(r + 1, all[size - 1 - r]);
        }
        final Datatype before = Datatype.createIndexed(new int[] {1}, new int[] {-1}, MPI.INT);
        before.commit();
        final int[] from = new int[size + 2];
        Arrays.setAll(from, i -> 10 * i);
        final int[] one = new int[2];
        // element i of the root begins at place size - i, and its data is a place before it
        WORLD.scatterv(MPI.slice(from, size), counts, Arrays.stream(displs).map(d -> d + 1).toArray(), before, MPI.slice(one, 1), 1, before, 0);
        assertArrayEquals(new int[] {10 * (size - 1 - rank), 0}, one);
        before.free();
    }

    private static void local() throws MPIException {
        final Datatype type = around();
        final byte[] packed = new byte[16];
        assertEquals(16, WORLD.pack(MPI.slice(numbers(1), AT), 2, type, packed, 0));
        final int[] got = new int[10];
        assertEquals(16, WORLD.unpack(packed, 0, MPI.slice(got, AT), 2, type));
        assertArrayEquals(received(1), got);
        final Op add = new Op(new UserFunction() {
            @Override
            public void call(final Object in, final Object inOut, final int count, final Datatype t) {
                for (int i = 0; i < ((int[]) in).length; i++) {
                    ((int[]) inOut)[i] += ((int[]) in)[i];
                }
            }
        }, true);
        final Datatype before = Datatype.createIndexed(new int[] {1}, new int[] {-1}, MPI.INT);
        before.commit();
        final int[] sum = {1, 2, 3, 4};
        final int[] left = {10, 20, 30, 40};
        Comm.reduceLocal(MPI.slice(left, 2), MPI.slice(sum, 3), 1, before, add);
        assertArrayEquals(new int[] {1, 2, 23, 4}, sum);
        // the memory of the operands overlaps though their slices do not
        final int[] shared = new int[8];
        final MPIException e = assertThrows(MPIException.class,
            () -> Comm.reduceLocal(MPI.slice(shared, 3), IntBuffer.wrap(shared, 0, 3).slice(), 1, before, add));
        assertTrue(e.getMessage().contains("begins before the buffer"), e.getMessage());
        before.free();
        type.free();
    }

    private static void errors() throws MPIException {
        final Datatype type = around();
        final int[] array = new int[10];
        // the data of the second element would begin before the array
        refused("data begins before the buffer: first byte=-16", () -> WORLD.send(MPI.slice(array, 3), 2, type, rank, 0));
        refused("data begins before the buffer: first byte=-12", () -> WORLD.send(array, 1, type, rank, 0));
        refused("buffer too small", () -> WORLD.send(MPI.slice(array, 9), 1, type, rank, 0));
        // direct memory has no array, and an array that may only be read is not known
        refused("data begins before the buffer", () -> WORLD.send(MPI.slice(MPI.newIntBuffer(10), AT), 1, type, rank, 0));
        refused("data begins before the buffer", () -> WORLD.send(MPI.slice(array, AT).asReadOnlyBuffer(), 1, type, rank, 0));
        type.free();
    }

    private static void refused(final String message, final org.junit.jupiter.api.function.Executable call) {
        final MPIException e = assertThrows(MPIException.class, call);
        assertEquals(MPI.ERR_BUFFER, e.getErrorClass());
        assertTrue(e.getMessage().startsWith(message), e.getMessage());
    }
}
