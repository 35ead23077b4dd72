package programs;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import mpi.Comm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/** Tasks of the common pool that wait in MPI for each other: more than the pool has threads. */
public final class PooledCalls {
    private static final int TASKS = 4;

    private PooledCalls() {}

    /** A call that may fail. */
    private interface Call {
        void run() throws MPIException;
    }

    private static CompletableFuture<Void> task(final Call call) {
        return CompletableFuture.runAsync(() -> {
            try {
                call.run();
            } catch (final MPIException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void await(final List<CompletableFuture<Void>> tasks) throws Exception {
        for (final CompletableFuture<Void> task : tasks) {
            task.get(100, TimeUnit.SECONDS);
        }
    }

    /** Runs the program. */
    public static void main(final String[] args) throws Exception {
        final int rank = MPI.COMM_WORLD.getRank();
        final int next = (rank + 1) % MPI.COMM_WORLD.getSize();
        task(MPI.COMM_WORLD::barrier).get(100, TimeUnit.SECONDS);
        final List<Comm> comms = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            comms.add(MPI.COMM_WORLD.dup());
        }
        final List<CompletableFuture<Void>> barriers = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            barriers.add(task(comms.get((i + rank) % TASKS)::barrier));
        }
        await(barriers);
        final List<CompletableFuture<Void>> receives = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            final Comm comm = comms.get(i);
            final int[] got = {-1};
            receives.add(task(() -> {
                Request.waitAny(new Request[] {comm.iRecv(got, 1, MPI.INT, MPI.ANY_SOURCE, 1)});
                comm.send(got, 1, MPI.INT, next, 2);
            }));
            receives.add(task(() -> comm.send(new int[] {rank}, 1, MPI.INT, next, 1)));
            receives.add(task(() -> comm.recv(new int[1], 1, MPI.INT, MPI.ANY_SOURCE, 2)));
        }
        await(receives);
        for (final Comm comm : comms) {
            comm.free();
        }
    }
}
