import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import mpi.Group;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.ProcessFailedException;
import mpi.RevokedException;

/**
 * Heat conduction on a plate, by ranks that go on when others are lost.
 *
 * <p>Run it with {@code ./tutti run -n 6 --on-loss=report examples/HeatSurvives.java die=2@130}, and with {@code --spares 1}. Each rank computes some
 * rows of the plate. After every 50 steps it sends a copy of them to another rank, half of the ranks away and so normally on another node. Then all
 * ranks agree that they have come so far. If they do not, spare ranks take the places of those that were lost; where there are too few, the others go
 * on without them. They take the rows of the step on which all had agreed, from the ranks that computed them or from the copies, share them out anew,
 * and go on. They begin again if a rank is lost together with the holder of its copy. The result is the same to the last bit, whatever the number of
 * ranks, and whichever of them are lost.
 *
 * <p>Arguments are the number of rows, 300 by default, that of steps, 400 by default, and ranks that throw in a step, {@code die=RANK@STEP}.
 */
public final class HeatSurvives {
    private static final int COLUMNS = 400;
    private static final int EVERY = 50;

    /** What a rank keeps of a step that the ranks of a group have made: its own rows, and those that another rank has sent to it. */
    private record Copies(Group ranks, int step, double[] own, double[] other) {}

    private final int rows;
    private final int steps;
    private final List<String> deaths;
    private Intracomm comm = MPI.COMM_WORLD;
    /** The rows of this rank, between a row of each neighbour, before and after a step. */
    private double[] plate;
    private double[] next;
    private int step;
    /** The copies on which all ranks have agreed; null before the first ones. */
    private Copies agreed;

    private HeatSurvives(final int rows, final int steps, final List<String> deaths) {
        this.rows = rows;
        this.steps = steps;
        this.deaths = deaths;
    }

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        // failures are exceptions; communicators that are made from this one inherit that
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        final List<String> numbers = Arrays.stream(args).filter(a -> !a.startsWith("die=")).toList();
        final int rows = numbers.isEmpty() ? 300 : Integer.parseInt(numbers.getFirst());
        new HeatSurvives(rows, numbers.size() > 1 ? Integer.parseInt(numbers.get(1)) : 400, List.of(args)).run();
        MPI.Finalize();
    }

    private void run() throws MPIException {
        boolean hasRows = false;
        while (!hasRows || step < steps) {
            Copies copies = null;
            try {
                if (!hasRows) {
                    takeRows();
                }
                compute(Math.min(step + EVERY, steps));
                copies = copy();
                if (step == steps) {
                    printSum();
                }
            } catch (final ProcessFailedException | RevokedException e) {
                // ends the calls of those that wait for this rank
                comm.revoke();
                copies = null;
            }
            hasRows = agree(copies != null);
            if (hasRows) {
                agreed = copies;
            } else {
                comm = replaceOrShrink();
            }
        }
        print("have finished");
    }

    /** Returns a communicator of the same size if there are enough spare ranks, else one of the ranks that are left. */
    private Intracomm replaceOrShrink() throws MPIException {
        try {
            return comm.replace();
        } catch (final MPIException e) {
            if (e.getErrorClass() == MPI.ERR_SPAWN) {
                return comm.shrink();
            }
            throw e;
        }
    }

    private void print(final String text) throws MPIException {
        if (comm.getRank() == 0) {
            System.out.println(comm.getSize() + " of " + MPI.COMM_WORLD.getSize() + " ranks " + text);
        }
    }

    /** Returns, on all ranks the same, whether all of them have succeeded and none has failed. */
    private boolean agree(final boolean hasSucceeded) throws MPIException {
        final int[] flag = {hasSucceeded ? 1 : 0};
        try {
            comm.agree(flag);
            return flag[0] == 1;
        } catch (final ProcessFailedException e) {
            return false;
        }
    }

    /** Returns the first row of a rank, of so many among which the plate is shared out. */
    private int first(final int rank, final int size) {
        return (int) ((long) rows * rank / size);
    }

    /** Takes this rank's part of the plate as it was when all ranks had agreed, or as it is at the beginning. */
    private void takeRows() throws MPIException {
        final int rank = comm.getRank();
        final int size = comm.getSize();
        plate = new double[(first(rank + 1, size) - first(rank, size) + 2) * COLUMNS];
        // the upper edge is hot, all other edges are cold
        Arrays.setAll(plate, i -> rank == 0 && i < COLUMNS ? 100 + Math.abs(i - COLUMNS / 2) : 0);
        String text = "begin";
        step = 0;
        // ranks that have taken the place of others have no copies
        final int[] teller = {agreed == null ? size : rank};
        comm.allReduce(teller, 1, MPI.INT, MPI.MIN);
        if (teller[0] < size) {
            final int[] known = agreed == null ? new int[2] : new int[] {agreed.step, agreed.ranks.getSize()};
            comm.bcast(known, 2, MPI.INT, teller[0]);
            final int before = known[1];
            // the ranks that they have in this communicator
            final int[] now = agreed == null ? new int[before]
                : Group.translateRanks(agreed.ranks, IntStream.range(0, before).toArray(), comm.getGroup());
            comm.bcast(now, before, MPI.INT, teller[0]);
            final int[] holders = IntStream.range(0, before).map(r -> now[r] == MPI.UNDEFINED ? now[holder(r, before)] : now[r]).toArray();
            final boolean isLost = Arrays.stream(holders).anyMatch(h -> h == MPI.UNDEFINED);
            for (int r = 0; r < before && !isLost; r++) {
                share(r, before, holders[r], holders[r] != rank ? null : now[r] == rank ? agreed.own : agreed.other);
            }
            step = isLost ? 0 : known[0];
            text = isLost ? "begin again, as rows and their copy are lost" : "go on after step " + step;
        }
        next = plate.clone();
        print(text);
    }

    /** Returns the rank that holds the copy of the rows of another. */
    private static int holder(final int rank, final int size) {
        return (rank + size / 2) % size;
    }

    /** Sends the rows that a rank had before, among so many, from the rank that holds them now to those that take them. */
    private void share(final int before, final int sizeBefore, final int holder, final double[] block) throws MPIException {
        final int rank = comm.getRank();
        final int size = comm.getSize();
        for (int taker = 0; taker < size; taker++) {
            final int begin = Math.max(first(before, sizeBefore), first(taker, size));
            final int count = (Math.min(first(before + 1, sizeBefore), first(taker + 1, size)) - begin) * COLUMNS;
            final int from = (begin - first(before, sizeBefore)) * COLUMNS;
            final int to = (begin - first(taker, size) + 1) * COLUMNS;
            if (count > 0 && holder == rank && taker == rank) {
                System.arraycopy(block, from, plate, to, count);
            } else if (count > 0 && holder == rank) {
                comm.send(MPI.slice(block, from), count, MPI.DOUBLE, taker, 0);
            } else if (count > 0 && taker == rank) {
                comm.recv(MPI.slice(plate, to), count, MPI.DOUBLE, holder, 0);
            }
        }
    }

    /** Computes the plate up to a step. */
    private void compute(final int end) throws MPIException {
        final int above = comm.getRank() == 0 ? MPI.PROC_NULL : comm.getRank() - 1;
        final int below = comm.getRank() == comm.getSize() - 1 ? MPI.PROC_NULL : comm.getRank() + 1;
        final int last = plate.length - 2 * COLUMNS;
        for (; step < end; step++) {
            if (MPI.getIncarnation() == 0 && deaths.contains("die=" + MPI.COMM_WORLD.getRank() + "@" + step)) {
                throw new IllegalStateException("dies in step " + step);
            }
            comm.sendRecv(MPI.slice(plate, COLUMNS), COLUMNS, MPI.DOUBLE, above, 1, MPI.slice(plate, last + COLUMNS), COLUMNS, MPI.DOUBLE, below, 1);
            comm.sendRecv(MPI.slice(plate, last), COLUMNS, MPI.DOUBLE, below, 2, plate, COLUMNS, MPI.DOUBLE, above, 2);
            for (int row = COLUMNS; row <= last; row += COLUMNS) {
                for (int i = row + 1; i < row + COLUMNS - 1; i++) {
                    next[i] = 0.25 * (plate[i - COLUMNS] + plate[i + COLUMNS] + plate[i - 1] + plate[i + 1]);
                }
            }
            final double[] old = plate;
            plate = next;
            next = old;
        }
    }

    /** Copies the rows of this rank, for itself and for the rank that holds its copy. */
    private Copies copy() throws MPIException {
        final int size = comm.getSize();
        final int from = (comm.getRank() + size - size / 2) % size;
        final double[] own = Arrays.copyOfRange(plate, COLUMNS, plate.length - COLUMNS);
        final double[] other = new double[(first(from + 1, size) - first(from, size)) * COLUMNS];
        comm.sendRecv(own, own.length, MPI.DOUBLE, holder(comm.getRank(), size), 3, other, other.length, MPI.DOUBLE, from, 3);
        return new Copies(comm.getGroup(), step, own, other);
    }

    /** Prints the sum of the plate, row by row. Another rank prints it again if this one is lost before all ranks have agreed on the last step. */
    private void printSum() throws MPIException {
        final int size = comm.getSize();
        final int[] starts = IntStream.range(0, size).map(r -> first(r, size) * COLUMNS).toArray();
        final int[] counts = IntStream.range(0, size).map(r -> first(r + 1, size) * COLUMNS - starts[r]).toArray();
        final double[] whole = comm.getRank() == 0 ? new double[rows * COLUMNS] : null;
        comm.gatherv(MPI.slice(plate, COLUMNS), counts[comm.getRank()], MPI.DOUBLE, whole, counts, starts, MPI.DOUBLE, 0);
        if (comm.getRank() == 0) {
            System.out.println("after " + steps + " steps the sum is " + Arrays.stream(whole).sequential().reduce(0, Double::sum)
                + ", the hash code " + Integer.toHexString(Arrays.hashCode(whole)));
        }
    }
}
