import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * Two groups of ranks that communicate: creates an intercommunicator, calls its collective operations, and merges the groups.
 *
 * <p>Run it with {@code ./tutti run -n 5 examples/TwoGroups.java}. Ranks with an even number form one group, those with an odd number the
 * other. Each group receives the sum of the other group, the first group's root broadcasts to the second group, and both groups are merged.
 */
public final class TwoGroups {
    private TwoGroups() {}

    /** Runs the program, without arguments. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final int rank = MPI.COMM_WORLD.getRank();
        if (MPI.COMM_WORLD.getSize() < 2) {
            System.err.println("two groups need two ranks: -n 2");
            System.exit(2);
        }
        final boolean even = rank % 2 == 0;
        final Intracomm group = MPI.COMM_WORLD.split(even ? 0 : 1, rank);
        final Intercomm both = MPI.COMM_WORLD.createIntercomm(group, 0, even ? 1 : 0, 7);

        final int[] numbers = {rank};
        final int[] remoteSum = new int[1];
        both.allReduce(numbers, remoteSum, 1, MPI.INT, MPI.SUM);

        final int[] value = {even && group.getRank() == 0 ? 4711 : 0};
        both.bcast(value, 1, MPI.INT, !even ? 0 : group.getRank() == 0 ? MPI.ROOT : MPI.PROC_NULL);

        final Intracomm all = both.merge(!even);
        final int[] line = {rank, all.getRank(), both.getRemoteSize(), remoteSum[0], value[0]};
        final int[] lines = new int[line.length * all.getSize()];
        all.gather(line, line.length, MPI.INT, lines, line.length, MPI.INT, 0);
        for (int i = 0; all.getRank() == 0 && i < lines.length; i += line.length) {
            System.out.printf("rank %d is %d of all, its %d partners have the sum %d, and it knows %d%n",
                lines[i], lines[i + 1], lines[i + 2], lines[i + 3], lines[i + 4]);
        }
        all.free();
        both.free();
        group.free();
        MPI.Finalize();
    }
}
