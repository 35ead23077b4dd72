import mpi.CartComm;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Prequest;
import mpi.ProcessFailedException;
import mpi.Request;
import mpi.RevokedException;
import mpi.ShiftParms;
import tutti.checkpoint.Checkpoint;

/**
 * Heat conduction on a plate whose edges keep their temperatures. The ranks form a grid; each computes a block of the plate.
 *
 * <p>Run it with {@code ./tutti run -n 6 examples/Heat.java}. Ranks exchange the edges of their blocks with their neighbours in a Cartesian
 * communicator, by persistent requests; columns are a derived datatype. Rank 0 collects the plate and compares it with the result of a
 * computation on one rank: every number must be the same to the last bit.
 *
 * <p>The program can be saved after each step, by {@code tutti checkpoint JOB} or with {@code -p checkpoint.every=100}, and continued with
 * {@code tutti run --restart JOB}. With {@code --on-loss=report --spares 1 -p checkpoint.memory=1+1} it goes on when a rank or a node is lost:
 * another rank takes the place, and all go back to the last step, of which ranks keep the states of others in memory. Arguments are the number of
 * steps, 400 by default, and a pause after each in milliseconds, none by default.
 */
public final class Heat {
    private static final int ROWS = 180;
    private static final int COLUMNS = 240;
    private static final int EVERY = 100;

    private final Checkpoint state;
    private final Intracomm comm;
    private final CartComm grid;
    private final int steps;
    private final int top;
    private final int left;
    private final int rows;
    private final int columns;
    private final int width;
    private final double[][] plate;
    private final Prequest[][] exchange = new Prequest[2][];
    /** The next step, from 1. */
    private int step;

    private Heat(final Checkpoint state, final Intracomm comm, final CartComm grid, final int steps) throws MPIException {
        this.state = state;
        this.comm = comm;
        this.grid = grid;
        this.steps = steps;
        final int[] at = grid.getCoords(grid.getRank());
        this.top = first(ROWS, 0, at[0]);
        this.left = first(COLUMNS, 1, at[1]);
        this.rows = first(ROWS, 0, at[0] + 1) - top;
        this.columns = first(COLUMNS, 1, at[1] + 1) - left;
        this.width = columns + 2;
        this.plate = new double[2][(rows + 2) * width];
    }

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException, InterruptedException {
        MPI.Init(args);
        // with --on-loss=report the loss of a rank is an exception
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        Intracomm comm = MPI.COMM_WORLD;
        boolean same = false;
        final int[] isDone = {0};
        while (isDone[0] == 0) {
            CartComm grid = null;
            try {
                final Checkpoint state = Checkpoint.of(comm);
                grid = grid(state, comm);
                same = new Heat(state, comm, grid, args.length > 0 ? Integer.parseInt(args[0]) : 400)
                    .run(args.length > 1 ? Long.parseLong(args[1]) : 0);
                grid.free();
                isDone[0] = 1;
            } catch (final ProcessFailedException | RevokedException e) {
                // ends the calls of those that wait for this rank
                if (grid != null) {
                    grid.revoke();
                }
                comm.revoke();
            }
            agree(comm, isDone);
            if (isDone[0] == 0) {
                comm = comm.replace();
            }
        }
        MPI.Finalize();
        if (!same) {
            System.exit(1);
        }
    }

    /** Sets the flag to 0 on all ranks if it is 0 on any. */
    private static void agree(final Intracomm comm, final int[] flag) throws MPIException {
        try {
            comm.agree(flag);
        } catch (final ProcessFailedException e) {
            // the flag is set nevertheless
        }
    }

    private static CartComm grid(final Checkpoint state, final Intracomm comm) throws MPIException {
        final int[] dims = new int[2];
        CartComm.createDims(comm.getSize(), dims);
        final CartComm grid = state.comm("grid", () -> comm.createCart(dims, new boolean[2], true));
        if (grid.getRank() == 0 && !state.isRestart()) {
            System.out.println(dims[0] + " x " + dims[1] + " ranks, plate of " + ROWS + " x " + COLUMNS);
        }
        return grid;
    }

    /** Returns the first cell of the block at index {@code i} of a dimension. */
    private int first(final int cells, final int dimension, final int i) throws MPIException {
        return (int) ((long) cells * i / grid.getTopo().getDim(dimension));
    }

    private boolean run(final long pause) throws MPIException, InterruptedException {
        warm(plate[0], top, left, columns);
        warm(plate[1], top, left, columns);
        final Datatype column = state.type("column", () -> Datatype.createVector(rows, 1, width, MPI.DOUBLE));
        column.commit();
        // a job that continues gets what was saved
        state.array("even steps", plate[0]);
        state.array("odd steps", plate[1]);
        step = state.value("step", 1, () -> step);
        if (state.isRestart() && grid.getRank() == 0) {
            System.out.println("continues with step " + step);
        }
        exchange[0] = neighbours(plate[0], column);
        exchange[1] = neighbours(plate[1], column);
        while (step <= steps) {
            final int now = (step + 1) % 2;
            Prequest.startAll(exchange[now]);
            Request.waitAll(exchange[now]);
            final double[] change = {spread(plate[now], plate[1 - now], rows, columns)};
            if (step % EVERY == 0) {
                grid.allReduce(change, 1, MPI.DOUBLE, MPI.MAX);
                if (grid.getRank() == 0) {
                    System.out.printf("step %d: greatest change %.6f%n", step, change[0]);
                }
            }
            Thread.sleep(pause);
            step++;
            Checkpoint.here(comm);
        }
        for (final Prequest[] requests : exchange) {
            for (final Prequest r : requests) {
                r.free();
            }
        }
        column.free();
        return compare(plate[steps % 2]);
    }

    /** Creates the requests that exchange edges with the neighbours. Where a neighbour is missing, the edge of the plate does not change. */
    private Prequest[] neighbours(final double[] block, final Datatype column) throws MPIException {
        final ShiftParms down = grid.shift(0, 1);
        final ShiftParms right = grid.shift(1, 1);
        final int above = down.getRankSource();
        final int below = down.getRankDest();
        final int before = right.getRankSource();
        final int behind = right.getRankDest();
        return new Prequest[] {
            grid.recvInit(MPI.slice(block, at(0, 1)), columns, MPI.DOUBLE, above, 0),
            grid.recvInit(MPI.slice(block, at(rows + 1, 1)), columns, MPI.DOUBLE, below, 1),
            grid.recvInit(MPI.slice(block, at(1, 0)), 1, column, before, 2),
            grid.recvInit(MPI.slice(block, at(1, columns + 1)), 1, column, behind, 3),
            grid.sendInit(MPI.slice(block, at(rows, 1)), columns, MPI.DOUBLE, below, 0),
            grid.sendInit(MPI.slice(block, at(1, 1)), columns, MPI.DOUBLE, above, 1),
            grid.sendInit(MPI.slice(block, at(1, columns)), 1, column, behind, 2),
            grid.sendInit(MPI.slice(block, at(1, 1)), 1, column, before, 3),
        };
    }

    private int at(final int row, final int column) {
        return row * width + column;
    }

    /** Sets the temperatures of the hot upper edge of the plate; all other cells are cold. */
    private static void warm(final double[] block, final int top, final int left, final int columns) {
        if (top == 0) {
            for (int c = 0; c < columns + 2; c++) {
                block[c] = 100 + Math.abs(left + c - COLUMNS / 2);
            }
        }
    }

    /** Computes one step, and returns the greatest change. */
    private static double spread(final double[] from, final double[] to, final int rows, final int columns) {
        final int width = columns + 2;
        double greatest = 0;
        for (int r = 1; r <= rows; r++) {
            for (int c = 1; c <= columns; c++) {
                final int i = r * width + c;
                to[i] = 0.25 * (from[i - width] + from[i + width] + from[i - 1] + from[i + 1]);
                greatest = Math.max(greatest, Math.abs(to[i] - from[i]));
            }
        }
        return greatest;
    }

    /** Sends the blocks to rank 0, with a datatype that excludes the borders, and compares them there. */
    private boolean compare(final double[] own) throws MPIException {
        final int[] place = {top, left, rows, columns};
        final int size = grid.getSize();
        final int[] places = new int[place.length * size];
        grid.gather(place, place.length, MPI.INT, places, place.length, MPI.INT, 0);
        final Datatype block = Datatype.createVector(rows, columns, width, MPI.DOUBLE);
        block.commit();
        final Request sending = grid.iSend(MPI.slice(own, at(1, 1)), 1, block, 0, 4);
        boolean same = true;
        if (grid.getRank() == 0) {
            final double[] whole = new double[(ROWS + 2) * (COLUMNS + 2)];
            for (int r = 0; r < size; r++) {
                final int[] p = java.util.Arrays.copyOfRange(places, r * place.length, (r + 1) * place.length);
                final Datatype target = Datatype.createVector(p[2], p[3], COLUMNS + 2, MPI.DOUBLE);
                target.commit();
                grid.recv(MPI.slice(whole, (p[0] + 1) * (COLUMNS + 2) + p[1] + 1), 1, target, r, 4);
                target.free();
            }
            same = isWhatOneComputes(whole, steps);
            System.out.println(same ? "the same as on one rank, to the last bit" : "NOT the same as on one rank");
        }
        sending.waitFor();
        block.free();
        return same;
    }

    private static boolean isWhatOneComputes(final double[] whole, final int steps) {
        final double[][] alone = new double[2][whole.length];
        warm(alone[0], 0, 0, COLUMNS);
        warm(alone[1], 0, 0, COLUMNS);
        for (int step = 1; step <= steps; step++) {
            spread(alone[(step + 1) % 2], alone[step % 2], ROWS, COLUMNS);
        }
        for (int r = 1; r <= ROWS; r++) {
            for (int c = 1; c <= COLUMNS; c++) {
                final int i = r * (COLUMNS + 2) + c;
                if (alone[steps % 2][i] != whole[i]) {
                    return false;
                }
            }
        }
        return true;
    }
}
