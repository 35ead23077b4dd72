package mpi;

/** The dimensions of a grid, and where the calling rank is in it. */
public final class CartParms {
    private final int[] dims;
    private final boolean[] periods;
    private final int[] coords;

    CartParms(final int[] dims, final boolean[] periods, final int[] coords) {
        this.dims = dims;
        this.periods = periods;
        this.coords = coords;
    }

    /** How many dimensions there are. */
    public int getDimCount() {
        return dims.length;
    }

    /** The length of dimension {@code i}. */
    public int getDim(final int i) {
        return dims[i];
    }

    /** Whether dimension {@code i} is periodic. */
    public boolean getPeriod(final int i) {
        return periods[i];
    }

    /** The calling rank's coordinate in dimension {@code i}. */
    public int getCoord(final int i) {
        return coords[i];
    }
}
