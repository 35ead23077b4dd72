import java.util.List;
import java.util.SplittableRandom;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.ProcessFailedException;
import mpi.RevokedException;

/**
 * Computes pi by random points, on ranks that go on when others are lost.
 *
 * <p>Run it with {@code ./tutti run -n 4 --on-loss=report examples/PiSurvives.java die=2@5}. In each round all ranks draw points and add up how many
 * are in the circle. When a rank is lost, the others add up their points of the round again, without it. So there are fewer points, and the estimate
 * is as good as their number allows.
 *
 * <p>Arguments are ranks that throw in a round, {@code die=RANK@ROUND}.
 */
public final class PiSurvives {
    private static final int ROUNDS = 20;
    private static final int POINTS = 200_000;

    private PiSurvives() {}

    /** Runs the program. */
    public static void main(final String[] args) throws MPIException {
        MPI.Init(args);
        // failures are exceptions; communicators that are made from this one inherit that
        MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
        final int number = MPI.COMM_WORLD.getRank();
        Intracomm comm = MPI.COMM_WORLD;
        long inside = 0;
        long points = 0;
        for (int round = 1; round <= ROUNDS; round++) {
            final long own = draw(number, round);
            if (List.of(args).contains("die=" + number + "@" + round)) {
                throw new IllegalStateException("dies in round " + round);
            }
            long[] sums = add(comm, own);
            while (sums == null) {
                comm = comm.shrink();
                if (comm.getRank() == 0) {
                    System.out.println("round " + round + ": " + comm.getSize() + " of " + MPI.COMM_WORLD.getSize() + " ranks are left");
                }
                sums = add(comm, own);
            }
            inside += sums[0];
            points += sums[1];
        }
        // rank 0 of those that are left
        if (comm.getRank() == 0) {
            final double pi = 4.0 * inside / points;
            System.out.printf("pi is approximately %.6f, error %.1e, by %d points%n", pi, Math.abs(pi - Math.PI), points);
            System.out.println(comm.getSize() + " of " + MPI.COMM_WORLD.getSize() + " ranks have finished");
        }
        MPI.Finalize();
    }

    /** Returns how many points of a rank are in the circle in a round. */
    private static long draw(final int number, final int round) {
        final SplittableRandom random = new SplittableRandom((long) number << Integer.SIZE | round);
        long inside = 0;
        for (int i = 0; i < POINTS; i++) {
            final double x = random.nextDouble();
            final double y = random.nextDouble();
            inside += x * x + y * y < 1 ? 1 : 0;
        }
        return inside;
    }

    /** Returns the sums of the points in the circle and of all points, on all ranks; null, on all ranks, if one was lost. */
    private static long[] add(final Intracomm comm, final long own) throws MPIException {
        final long[] sums = {own, POINTS};
        final int[] hasSums = {0};
        try {
            comm.allReduce(sums, 2, MPI.LONG, MPI.SUM);
            hasSums[0] = 1;
        } catch (final ProcessFailedException | RevokedException e) {
            // ends the calls of those that wait for this rank
            comm.revoke();
        }
        try {
            // some ranks may have the sums where others do not
            comm.agree(hasSums);
            return hasSums[0] == 1 ? sums : null;
        } catch (final ProcessFailedException e) {
            return null;
        }
    }
}
