package mpi;

import tutti.runtime.comm.Communicator;
import tutti.runtime.error.MpiFailure;

/** A communicator whose ranks are arranged in a grid, in row-major order. Threads as the rank's thread level says. */
public final class CartComm extends Intracomm {
    private final CartTopology grid;

    CartComm(final Communicator handle, final String name, final CartTopology grid) {
        super(handle, name);
        this.grid = grid;
    }

    @Override
    CartComm like(final Communicator other) {
        return new CartComm(other, "", grid);
    }

    /** As {@link #dup}. */
    @Override
    public CartComm clone() {
        return (CartComm) super.clone();
    }

    @Override
    public CartComm dup() throws MPIException {
        return (CartComm) super.dup();
    }

    @Override
    public CartComm iDup() throws MPIException {
        return (CartComm) super.iDup();
    }

    @Override
    public CartComm dupWithInfo(final Info hints) throws MPIException {
        return (CartComm) super.dupWithInfo(hints);
    }

    @Override
    Topology topology() {
        return grid;
    }

    /**
     * Sets the entries of {@code dims} that are 0 so that their product is {@code nNodes} and they are as close to each other as possible, in falling
     * order.
     */
    public static void createDims(final int nNodes, final int[] dims) throws MPIException {
        try {
            BalancedDims.fill(nNodes, dims);
        } catch (final MpiFailure e) {
            throw ErrorHandling.error(e);
        }
    }

    /** The dimensions, and where the calling rank is. */
    public CartParms getTopo() throws MPIException {
        checkUsable();
        return grid.parms(handle.rank());
    }

    /** The rank at a place; coordinates of periodic dimensions may be out of range. */
    public int getRank(final int[] coords) throws MPIException {
        checkUsable();
        try {
            return grid.rankAt(coords);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** The place of a rank. */
    public int[] getCoords(final int rank) throws MPIException {
        checkUsable();
        try {
            return grid.coordsOf(rank);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** From whom data comes and to whom it goes that is moved by {@code disp} steps along a dimension. */
    public ShiftParms shift(final int direction, final int disp) throws MPIException {
        checkUsable();
        try {
            return new ShiftParms(grid.along(handle.rank(), direction, -(long) disp), grid.along(handle.rank(), direction, disp));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Cuts the grid into grids of the dimensions that remain; the calling rank gets the one that it is in. */
    public CartComm sub(final boolean[] remainDims) throws MPIException {
        checkUsable();
        try {
            final CartTopology part = grid.sub(remainDims);
            final int color = grid.project(handle.rank(), remainDims, false);
            return handedOn(new CartComm(handle.split(color, grid.project(handle.rank(), remainDims, true)), "", part));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** The rank that suits the calling rank in a grid like that: its own, or {@code MPI.UNDEFINED} when it is not needed. */
    public int map(final int[] dims, final boolean[] periods) throws MPIException {
        checkUsable();
        try {
            return handle.rank() < CartTopology.of(dims, periods, handle.size()).size() ? handle.rank() : Constants.UNDEFINED;
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }
}
