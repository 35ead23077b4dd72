package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import mpi.CartComm;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Status;

/** The unit of each argument and result that is not a plain number of elements: bytes, extents of a datatype, or entries of an array. */
public final class Units {
    private static final Intracomm WORLD = MPI.COMM_WORLD;
    private static final int ROWS = 3;
    private static int rank;
    private static int size;
    private static int[] ones;

    private Units() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        rank = WORLD.getRank();
        size = WORLD.getSize();
        ones = new int[size];
        Arrays.fill(ones, 1);
        columns();
        block();
        displacements();
        neighbors();
        packed();
        slices();
        statuses();
    }

    /** One column of a matrix with a column per rank, whose next element is the next column: 4 bytes further on. */
    private static Datatype column() throws MPIException {
        final Datatype type = Datatype.createResized(Datatype.createVector(ROWS, 1, size, MPI.INT), 0, 4);
        type.commit();
        return type;
    }

    private static int[] numbered(final int length) {
        final int[] numbers = new int[length];
        Arrays.setAll(numbers, i -> i + 1);
        return numbers;
    }

    private static int[] columnOf(final int r) {
        return new int[] {1 + r, 1 + r + size, 1 + r + 2 * size};
    }

    private static void columns() throws MPIException {
        final Datatype column = column();
        assertEquals(1, column.getExtent());
        final int[] own = new int[ROWS];
        WORLD.scatter(numbered(ROWS * size), 1, column, own, ROWS, MPI.INT, 0);
        assertArrayEquals(columnOf(rank), own);
        final int[] matrix = new int[ROWS * size];
        WORLD.allGather(own, ROWS, MPI.INT, matrix, 1, column);
        assertArrayEquals(numbered(ROWS * size), matrix);
    }

    /** A block of 2 x 3 in a matrix with rows of 5, made of rows whose next one begins 40 bytes further on. */
    private static void block() throws MPIException {
        final Datatype row = Datatype.createResized(Datatype.createContiguous(3, MPI.DOUBLE), 0, 5 * 8);
        assertEquals(5, row.getExtent());
        final Datatype block = Datatype.createContiguous(2, row);
        block.commit();
        final double[] matrix = new double[20];
        Arrays.setAll(matrix, i -> i);
        final double[] got = new double[6];
        WORLD.sendRecv(MPI.slice(matrix, 6), 1, block, rank, 0, got, 6, MPI.DOUBLE, rank, 0);
        assertArrayEquals(new double[] {6, 7, 8, 11, 12, 13}, got);
    }

    /** Blocks in the opposite order of the ranks: in extents of the datatype, but in bytes where each block has a datatype. */
    private static void displacements() throws MPIException {
        final Datatype column = column();
        final int[] extents = new int[size];
        final int[] bytes = new int[size];
        for (int r = 0; r < size; r++) {
            extents[r] = size - 1 - r;
            bytes[r] = 4 * extents[r];
        }
        final int[] own = new int[ROWS];
        WORLD.scatterv(numbered(ROWS * size), ones, extents, column, own, ROWS, MPI.INT, 0);
        assertArrayEquals(columnOf(size - 1 - rank), own);
        final int[] matrix = new int[ROWS * size];
        WORLD.allGatherv(own, ROWS, MPI.INT, matrix, ones, extents, column);
        assertArrayEquals(numbered(ROWS * size), matrix);
        final int[] rows = new int[ROWS * size];
        final int[] threes = new int[size];
        final int[] starts = new int[size];
        final int[] starting = new int[size];
        Arrays.fill(threes, ROWS);
        Arrays.setAll(starts, r -> ROWS * r);
        Arrays.setAll(starting, r -> 4 * ROWS * r);
        WORLD.allToAllv(matrix, ones, extents, column, rows, threes, starts, MPI.INT);
        final int[] expected = new int[ROWS * size];
        Arrays.setAll(expected, i -> columnOf(size - 1 - rank)[i % ROWS]);
        assertArrayEquals(expected, rows);
        final Datatype[] columns = new Datatype[size];
        final Datatype[] ints = new Datatype[size];
        Arrays.fill(columns, column);
        Arrays.fill(ints, MPI.INT);
        Arrays.fill(rows, 0);
        WORLD.allToAllw(matrix, ones, bytes, columns, rows, threes, starting, ints);
        assertArrayEquals(expected, rows);
    }

    private static void neighbors() throws MPIException {
        final CartComm ring = WORLD.createCart(new int[] {size}, new boolean[] {true}, false);
        final int up = (rank + 1) % size;
        final int down = (rank + size - 1) % size;
        final Datatype pair = Datatype.createResized(MPI.INT, 0, 8);
        pair.commit();
        final int[] two = {1, 1};
        final int[] got = new int[4];
        final int[] sent = {10 * rank, -1, 10 * rank + 1, -1};
        ring.neighborAllToAllv(sent, two, new int[] {0, 1}, pair, got, two, new int[] {1, 0}, pair);
        assertArrayEquals(new int[] {10 * up, 0, 10 * down + 1, 0}, got);
        Arrays.fill(got, 0);
        final Datatype[] pairs = {pair, pair};
        ring.neighborAllToAllw(sent, two, new int[] {0, 8}, pairs, got, two, new int[] {4, 0}, pairs);
        assertArrayEquals(new int[] {10 * up, 10 * down + 1, 0, 0}, got);
        final int[] all = new int[4];
        ring.neighborAllGatherv(new int[] {rank + 5}, 1, MPI.INT, all, two, new int[] {1, 0}, pair);
        assertArrayEquals(new int[] {up + 5, 0, down + 5, 0}, all);
        ring.free();
    }

    /** Positions and sizes are bytes, and so are the strides and displacements of these datatypes. */
    private static void packed() throws MPIException {
        final Datatype[] types = {Datatype.createHVector(2, 1, 8, MPI.INT), Datatype.createHIndexed(new int[] {1, 1}, new int[] {0, 8}, MPI.INT),
            Datatype.createStruct(new int[] {1, 1}, new int[] {0, 8}, new Datatype[] {MPI.INT, MPI.INT}),
            Datatype.createVector(2, 1, 2, MPI.INT), Datatype.createIndexed(new int[] {1, 1}, new int[] {0, 2}, MPI.INT)};
        for (final Datatype type : types) {
            type.commit();
            assertEquals(8, WORLD.packSize(1, type), type::toString);
            final byte[] bytes = new byte[20];
            assertEquals(12, WORLD.pack(new int[] {7, 8, 9}, 1, type, bytes, 4), type::toString);
            final int[] back = new int[3];
            assertEquals(12, WORLD.unpack(bytes, 4, back, 1, type), type::toString);
            assertArrayEquals(new int[] {7, 0, 9}, back, type::toString);
        }
    }

    /** The offset of a slice counts entries of its array or buffer, whatever the datatype. */
    private static void slices() throws MPIException {
        final byte[] bytes = new byte[12];
        WORLD.sendRecv(new int[] {0x01010101}, 1, MPI.INT, rank, 0, MPI.slice(bytes, 8), 1, MPI.INT, rank, 0);
        assertArrayEquals(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, bytes);
        final int[] ints = new int[3];
        WORLD.sendRecv(MPI.slice(bytes, 8), 4, MPI.BYTE, rank, 0, MPI.slice(MPI.slice(ints, 1), 1), 4, MPI.BYTE, rank, 0);
        assertArrayEquals(new int[] {0, 0, 0x01010101}, ints);
    }

    private static void statuses() throws MPIException {
        final Datatype struct = Datatype.createStruct(new int[] {1, 2}, new int[] {0, 8}, new Datatype[] {MPI.INT, MPI.DOUBLE});
        struct.commit();
        final Status status = WORLD.sendRecv(new byte[48], 2, struct, rank, 0, new byte[48], 2, struct, rank, 0);
        assertEquals(2, status.getCount(struct));
        assertEquals(40, status.getCount(MPI.BYTE));
        assertEquals(6, status.getElements(struct));
        assertEquals(10, status.getElements(MPI.INT));
    }
}
