package mpi;

import java.util.Arrays;
import tutti.runtime.collective.Neighborhood;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;

/** A Cartesian topology: ranks in row-major order of their coordinates. A topology without dimensions has one rank. */
final class CartTopology implements Topology {
    private final int[] dims;
    private final boolean[] periods;

    private CartTopology(final int[] dims, final boolean[] periods) {
        this.dims = dims;
        this.periods = periods;
    }

    /** Creates a grid of at most {@code size} ranks; the arrays are checked and copied. */
    static CartTopology of(final int[] dims, final boolean[] periods, final int size) {
        if (dims == null || periods == null || dims.length != periods.length) {
            // Cause: arrays of different lengths, or null. Remedy: as many of both.
            throw new MpiFailure(ErrorClass.ARG, "numbers of dimensions and periods differ: dims=" + (dims == null ? "null" : dims.length)
                + ", periods=" + (periods == null ? "null" : periods.length));
        }
        long ranks = 1;
        for (int i = 0; i < dims.length; i++) {
            if (dims[i] < 1) {
                throw new MpiFailure(ErrorClass.DIMS, "dimension out of range: dimension=" + i + ", length=" + dims[i] + ", min=1");
            }
            ranks = Math.min(ranks * dims[i], Integer.MAX_VALUE + 1L);
        }
        if (ranks > size) {
            // Cause: the product of the lengths exceeds the ranks. Remedy: a smaller grid, or more ranks.
            throw new MpiFailure(ErrorClass.DIMS, "grid is larger than the communicator: dims=" + Arrays.toString(dims) + ", ranks=" + size);
        }
        return new CartTopology(dims.clone(), periods.clone());
    }

    @Override
    public String describe() {
        return "dimensions " + Arrays.toString(dims) + ", periodic " + Arrays.toString(periods);
    }

    int dimensions() {
        return dims.length;
    }

    int length(final int dimension) {
        return dims[checked(dimension)];
    }

    boolean isPeriodic(final int dimension) {
        return periods[checked(dimension)];
    }

    private int checked(final int dimension) {
        if (dimension < 0 || dimension >= dims.length) {
            throw new MpiFailure(ErrorClass.DIMS, "dimension out of range: dimension=" + dimension + ", dimensions=" + dims.length);
        }
        return dimension;
    }

    /** Returns the number of ranks. */
    int size() {
        int size = 1;
        for (final int d : dims) {
            size *= d;
        }
        return size;
    }

    /** Returns the rank at some coordinates; coordinates of periodic dimensions are taken modulo the length. */
    int rankAt(final int[] coords) {
        if (coords == null || coords.length < dims.length) {
            // Cause: the array has another length than the grid has dimensions. Remedy: one coordinate for each dimension.
            throw new MpiFailure(ErrorClass.ARG, "a coordinate per dimension is needed: coords=" + (coords == null ? "null" : coords.length)
                + ", dimensions=" + dims.length);
        }
        int rank = 0;
        for (int i = 0; i < dims.length; i++) {
            if (!periods[i] && (coords[i] < 0 || coords[i] >= dims[i])) {
                // Cause: the dimension is not periodic. Remedy: 0 to length - 1.
                throw new MpiFailure(ErrorClass.ARG, "coordinate out of range: dimension=" + i + ", coordinate=" + coords[i] + ", length=" + dims[i]);
            }
            rank = rank * dims[i] + Math.floorMod(coords[i], dims[i]);
        }
        return rank;
    }

    /** Returns the coordinates of a rank. */
    int[] coordsOf(final int rank) {
        if (rank < 0 || rank >= size()) {
            // Cause: the communicator or group has no such rank; `index` is that in an array. Remedy: 0 to size - 1.
            throw new MpiFailure(ErrorClass.RANK, "rank out of range: rank=" + rank + ", size=" + size());
        }
        final int[] coords = new int[dims.length];
        int rest = rank;
        for (int i = dims.length - 1; i >= 0; i--) {
            coords[i] = rest % dims[i];
            rest /= dims[i];
        }
        return coords;
    }

    /** Returns the rank that is {@code steps} steps along a dimension from a rank; {@link Reserved#PROC_NULL} beyond an end. */
    int shift(final int rank, final int dimension, final long steps) {
        final int[] coords = coordsOf(rank);
        final long at = coords[checked(dimension)] + steps;
        if (!periods[dimension] && (at < 0 || at >= dims[dimension])) {
            return Reserved.PROC_NULL;
        }
        coords[dimension] = (int) Math.floorMod(at, (long) dims[dimension]);
        return rankAt(coords);
    }

    /** Returns the neighbours in the order of the standard: for each dimension the rank before and the rank behind. */
    @Override
    public Neighborhood neighborhood(final int rank) {
        final int[] neighbors = new int[2 * dims.length];
        for (int i = 0; i < dims.length; i++) {
            neighbors[2 * i] = shift(rank, i, -1);
            neighbors[2 * i + 1] = shift(rank, i, 1);
        }
        return Neighborhood.opposite(neighbors);
    }

    /** Returns the grid of the dimensions that remain. */
    CartTopology sub(final boolean[] remain) {
        checkRemain(remain);
        int n = 0;
        final int[] lengths = new int[dims.length];
        final boolean[] wraps = new boolean[dims.length];
        for (int i = 0; i < dims.length; i++) {
            if (remain[i]) {
                lengths[n] = dims[i];
                wraps[n++] = periods[i];
            }
        }
        return new CartTopology(Arrays.copyOf(lengths, n), Arrays.copyOf(wraps, n));
    }

    /** Returns the position of a rank in the grid of the dimensions that remain or, if {@code remaining} is false, of the other dimensions. */
    int project(final int rank, final boolean[] remain, final boolean remaining) {
        checkRemain(remain);
        final int[] coords = coordsOf(rank);
        int number = 0;
        for (int i = 0; i < dims.length; i++) {
            if (remain[i] == remaining) {
                number = number * dims[i] + coords[i];
            }
        }
        return number;
    }

    private void checkRemain(final boolean[] remain) {
        if (remain == null || remain.length < dims.length) {
            // Cause: `sub` got an array of another length. Remedy: one flag for each dimension.
            throw new MpiFailure(ErrorClass.ARG, "a flag per dimension is needed: flags=" + (remain == null ? "null" : remain.length)
                + ", dimensions=" + dims.length);
        }
    }

    /** Returns the parameters for a rank. */
    CartParms parms(final int rank) {
        return new CartParms(dims, periods, coordsOf(rank));
    }
}
