import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * Two groups of ranks that talk to each other: an intercommunicator, its collective operations, and its end as one group.
 *
 * <p>Run it with {@code ./tutti run -n 5 examples/TwoGroups.java}. Ranks with an even number are one group, those with an odd number the
 * other. Each group learns the other's sum, the first group's root sends to all of the second, and at last both are merged.
 */
public final class TwoGroups {
    private TwoGroups() { }

    /** Takes no arguments. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final int rank = MPI.COMM_WORLD.getRank();
        if (MPI.COMM_WORLD.getSize() < 2) {
            System.err.println("two groups need two ranks: -n 2");
            System.exit(2);
        }
        final boolean even = rank % 2 == 0;
        final Intracomm mine = MPI.COMM_WORLD.split(even ? 0 : 1, rank);
        final Intercomm both = MPI.COMM_WORLD.createIntercomm(mine, 0, even ? 1 : 0, 7);

        final int[] numbers = {rank};
        final int[] theirs = new int[1];
        both.allReduce(numbers, theirs, 1, MPI.INT, MPI.SUM);

        final int[] word = {even && mine.getRank() == 0 ? 4711 : 0};
        both.bcast(word, 1, MPI.INT, !even ? 0 : mine.getRank() == 0 ? MPI.ROOT : MPI.PROC_NULL);

        final Intracomm all = both.merge(!even);
        final int[] line = {rank, all.getRank(), both.getRemoteSize(), theirs[0], word[0]};
        final int[] lines = new int[line.length * all.getSize()];
        all.gather(line, line.length, MPI.INT, lines, line.length, MPI.INT, 0);
        for (int i = 0; all.getRank() == 0 && i < lines.length; i += line.length) {
            System.out.printf("rank %d is %d of all, its %d partners have the sum %d, and it knows %d%n",
                lines[i], lines[i + 1], lines[i + 2], lines[i + 3], lines[i + 4]);
        }
        all.free();
        both.free();
        mine.free();
        MPI.Finalize();
    }
}
