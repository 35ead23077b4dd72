package mpi;

/** The dimensions of a Cartesian topology and the coordinates of the calling rank. */
public final class CartParms {
    private final int[] dims;
    private final boolean[] periods;
    private final int[] coords;

    CartParms(final int[] dims, final boolean[] periods, final int[] coords) {
        this.dims = dims;
        this.periods = periods;
        this.coords = coords;
    }

    /** Returns the number of dimensions. */
    public int getDimCount() {
        return dims.length;
    }

    /** Returns the length of dimension {@code i}. */
    public int getDim(final int i) {
        return dims[i];
    }

    /** Returns whether dimension {@code i} is periodic. */
    public boolean getPeriod(final int i) {
        return periods[i];
    }

    /** Returns the calling rank's coordinate in dimension {@code i}. */
    public int getCoord(final int i) {
        return coords[i];
    }
}
