import mpi.Info;
import mpi.Intercomm;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;

/**
 * A job that starts more processes while it runs: {@code ./tutti run -n 2 examples/SpawnWorkers.java}.
 *
 * <p>The ranks spawn three workers, which run class {@link Worker}. Each worker computes a part of a sum, and rank 0 prints the
 * sum. Then all ranks and workers meet in one communicator, and disconnect.
 */
public final class SpawnWorkers {
    private static final int WORKERS = 3;
    private static final long NUMBERS = 1_000_000;

    private SpawnWorkers() {}

    /** Runs the program, without arguments. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        final boolean isRoot = MPI.COMM_WORLD.getRank() == 0;
        final int[] codes = new int[WORKERS];
        final Intercomm workers = MPI.COMM_WORLD.spawn(Worker.class.getName(), new String[] {String.valueOf(NUMBERS)}, WORKERS, new Info(), 0, codes);
        final long[] sum = new long[1];
        workers.reduce(null, sum, 1, MPI.LONG, MPI.SUM, isRoot ? MPI.ROOT : MPI.PROC_NULL);
        if (isRoot) {
            System.out.println("the sum of 1 to " + NUMBERS + " is " + sum[0]);
        }
        final Intracomm all = workers.merge(false);
        all.barrier();
        all.disconnect();
        workers.disconnect();
        MPI.Finalize();
    }

    /** A worker, which is started by another job. */
    public static final class Worker {
        private Worker() {}

        /** Adds a part of the numbers from 1 to the first argument. */
        public static void main(final String[] args) throws MPIException {
            MPI.Init(args);
            final Intercomm parent = Intercomm.getParent();
            final int rank = MPI.COMM_WORLD.getRank();
            final long[] sum = new long[1];
            for (long n = rank + 1L; n <= Long.parseLong(args[0]); n += MPI.COMM_WORLD.getSize()) {
                sum[0] += n;
            }
            parent.reduce(sum, null, 1, MPI.LONG, MPI.SUM, 0);
            final Intracomm all = parent.merge(true);
            all.barrier();
            System.out.println("worker " + rank + " is rank " + all.getRank() + " of " + all.getSize());
            all.disconnect();
            parent.disconnect();
            MPI.Finalize();
        }
    }
}
