package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;
import mpi.Status;

/** Several threads of each rank at once: messages, probes, waits, and collectives on different communicators. */
public final class Threads {
    private static final int THREADS = 4;
    private static final int ROUNDS = 200;

    private Threads() {}

    /** Runs the program. */
    public static void main(final String[] args) throws Exception {
        final ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        final List<Intracomm> own = List.of(MPI.COMM_WORLD, MPI.COMM_SELF);
        final List<Future<Void>> all = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            final int thread = t;
            all.add(pool.submit((Callable<Void>) () -> work(thread, thread < own.size() ? own.get(thread) : null)));
        }
        for (final Future<Void> f : all) {
            f.get(60, TimeUnit.SECONDS);
        }
        pool.shutdown();
    }

    private static Void work(final int thread, final Intracomm own) throws Exception {
        final Intracomm world = MPI.COMM_WORLD;
        final int rank = world.getRank();
        final int size = world.getSize();
        final int next = (rank + 1) % size;
        final int previous = (rank + size - 1) % size;
        final int[] got = new int[1];
        for (int i = 0; i < ROUNDS; i++) {
            final Request sent = world.iSend(MPI.slice(new int[] {1000 * rank + i}, 0), 1, MPI.INT, next, thread);
            final Status status = world.probe(MPI.ANY_SOURCE, thread);
            assertEquals(previous, status.getSource());
            world.recv(got, 1, MPI.INT, previous, thread);
            assertEquals(1000 * previous + i, got[0]);
            sent.waitFor();
            if (own != null) {
                collectives(own);
            }
        }
        return null;
    }

    private static void collectives(final Intracomm comm) throws Exception {
        final int size = comm.getSize();
        final int[] sum = {comm.getRank()};
        comm.allReduce(sum, 1, MPI.INT, MPI.SUM);
        assertEquals(size * (size - 1) / 2, sum[0]);
        final Request barrier = comm.iBarrier();
        while (!barrier.test()) {
            Thread.onSpinWait();
        }
    }
}
