package mpi;

import java.util.Objects;
import tutti.runtime.comm.Communicator;
import tutti.runtime.model.MpiFailure;

/**
 * A communicator with a Cartesian topology: ranks are arranged in a grid in row-major order. Threads may call as the rank's thread level allows.
 */
public final class CartComm extends Intracomm {
    private final CartTopology grid;

    CartComm(final Communicator handle, final String name, final CartTopology grid) {
        super(handle, name);
        this.grid = grid;
    }

    @Override
    CartComm wrap(final Communicator other) {
        return new CartComm(other, "", grid);
    }

    /** Duplicates this communicator as {@link #dup} does. */
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
     * Selects a balanced distribution of ranks over dimensions: sets the entries of {@code dims} that are 0, so that the product of all entries
     * is {@code nNodes} and the lengths are as close to each other as possible, in descending order.
     *
     * @param nNodes number of ranks in the grid
     * @param dims   lengths of the dimensions; entries that are 0 are set
     */
    public static void createDims(final int nNodes, final int[] dims) throws MPIException {
        try {
            BalancedDims.fill(nNodes, dims);
        } catch (final MpiFailure e) {
            throw ErrorHandling.error(e);
        }
    }

    /** Returns the dimensions and the coordinates of the calling rank. */
    public CartParms getTopo() throws MPIException {
        checkReady();
        return grid.parms(handle.rank());
    }

    /** Returns the rank at some coordinates; coordinates of periodic dimensions may be out of range. */
    public int getRank(final int[] coords) throws MPIException {
        checkReady();
        try {
            return grid.rankAt(coords);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Returns the coordinates of a rank. */
    public int[] getCoords(final int rank) throws MPIException {
        checkReady();
        try {
            return grid.coordsOf(rank);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Returns the source and destination of a shift along a dimension.
     *
     * @param direction dimension, from 0
     * @param disp      number of steps; negative for a shift downwards
     * @return the ranks, which are {@code MPI.PROC_NULL} beyond an end of a dimension that is not periodic
     */
    public ShiftParms shift(final int direction, final int disp) throws MPIException {
        checkReady();
        try {
            return new ShiftParms(grid.shift(handle.rank(), direction, -(long) disp), grid.shift(handle.rank(), direction, disp));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Partitions the grid into grids of lower dimension. All ranks must call it.
     *
     * @param remainDims for each dimension, whether the new grids have it
     * @return the communicator of the grid to which the calling rank belongs
     */
    public CartComm sub(final boolean[] remainDims) throws MPIException {
        checkUsable();
        try {
            final CartTopology part = grid.sub(remainDims);
            final int color = grid.project(handle.rank(), remainDims, false);
            final Communicator made = handle.split(color, grid.project(handle.rank(), remainDims, true));
            return inheritErrhandler(new CartComm(Objects.requireNonNull(made, "every rank has a grid"), "", part));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Returns the rank that suits the calling rank in such a grid: its own rank, or {@code MPI.UNDEFINED} if the grid does not need it. Local.
     */
    public int map(final int[] dims, final boolean[] periods) throws MPIException {
        checkReady();
        try {
            return handle.rank() < CartTopology.of(dims, periods, handle.size()).size() ? handle.rank() : MPI.UNDEFINED;
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }
}
