package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import mpi.MPI;
import mpi.MPIException;

/** Calls from a second thread, at the level that the first argument names; the second says whether they are refused. One rank. */
public final class ThreadLevels {
    private ThreadLevels() { }

    /** The program. */
    public static void main(final String[] args) throws Exception {
        MPI.InitThread(args, Integer.parseInt(args[0]));
        MPI.COMM_SELF.setErrhandler(MPI.ERRORS_RETURN);
        final boolean refused = Boolean.parseBoolean(args[1]);
        if (Integer.parseInt(args[0]) == MPI.THREAD_SERIALIZED) {
            twoAtOnce(refused);
        } else {
            final String error = CompletableFuture.supplyAsync(ThreadLevels::call).get(10, TimeUnit.SECONDS);
            assertEquals(refused, error.startsWith("call from a thread that may not call: thread="), error);
            assertTrue(!refused || error.contains(", level="), error);
        }
        MPI.Finalize();
    }

    private static String call() {
        try {
            MPI.COMM_SELF.barrier();
            return "";
        } catch (final MPIException e) {
            return e.getMessage();
        }
    }

    private static void twoAtOnce(final boolean refused) throws Exception {
        final CountDownLatch waiting = new CountDownLatch(1);
        final CompletableFuture<String> other = CompletableFuture.supplyAsync(() -> {
            try {
                waiting.countDown();
                MPI.COMM_SELF.recv(new int[1], 1, MPI.INT, 0, 0);
                return "";
            } catch (final MPIException e) {
                return e.getMessage();
            }
        });
        waiting.await(10, TimeUnit.SECONDS);
        String error = call();
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(refused ? 10 : 0);
        while (refused && error.isEmpty() && System.nanoTime() < end) {
            error = call();
        }
        assertEquals(refused, error.startsWith("call while another thread is in one: thread="), error);
        if (!refused) {
            MPI.COMM_SELF.send(new int[1], 1, MPI.INT, 0, 0);
            assertEquals("", other.get(10, TimeUnit.SECONDS));
        } else {
            throw new IllegalStateException("refused");
        }
    }
}
