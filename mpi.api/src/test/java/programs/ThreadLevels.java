package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import mpi.Grequest;
import mpi.Intracomm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/**
 * Calls from a second thread, at the thread level that the first argument names, or after {@code Init}; the second argument says whether they are
 * refused. One rank.
 */
public final class ThreadLevels {
    private ThreadLevels() {}

    /** Runs the program. */
    public static void main(final String[] args) throws Exception {
        final boolean refused = Boolean.parseBoolean(args[1]);
        final int level = init(args, refused ? MPI.THREAD_SINGLE : MPI.THREAD_MULTIPLE);
        assertEquals(level, MPI.queryThread());
        MPI.COMM_SELF.setErrhandler(MPI.ERRORS_RETURN);
        if (level == MPI.THREAD_SERIALIZED) {
            twoAtOnce(refused, args.length > 2);
        } else {
            final String error = CompletableFuture.supplyAsync(ThreadLevels::call, ThreadLevels::begin).get(60, TimeUnit.SECONDS);
            assertEquals(refused, error.startsWith("call from a thread that may not call: thread="), error);
            assertTrue(!refused || error.contains(", level="), error);
            waitElsewhere(refused);
        }
        helpers();
        MPI.Finalize();
    }

    /** Returns the level that is expected: the required one, or that of {@code Init}. */
    private static int init(final String[] args, final int levelOfInit) throws MPIException {
        if (args[0].equals("init")) {
            MPI.Init(args);
            return levelOfInit;
        }
        final int required = Integer.parseInt(args[0]);
        assertEquals(required, MPI.InitThread(args, required));
        return required;
    }

    /** A request that this thread started, and another thread waits for or tests. */
    private static void waitElsewhere(final boolean refused) throws Exception {
        final Request request = MPI.COMM_SELF.iRecv(new int[1], 1L, MPI.INT, 0, 3);
        for (final Attempt attempt : new Attempt[] {request::test, request::testStatus, () -> Request.testAny(new Request[] {request})}) {
            assertRefused(refused, attempt);
        }
        if (refused) {
            assertRefused(true, request::waitStatus);
            assertRefused(true, () -> Request.waitAny(new Request[] {request}));
            assertRefused(true, () -> Request.waitSome(new Request[] {request}));
            assertThrows(ExecutionException.class, () -> elsewhere(() -> Request.waitAllStatus(new Request[] {request})));
        }
        // the request has not changed
        assertFalse(request.isNull());
        MPI.COMM_SELF.send(new int[1], 1, MPI.INT, 0, 3);
        request.waitFor();
        assertTrue(request.isNull());
    }

    private static void assertRefused(final boolean refused, final Attempt attempt) throws Exception {
        if (refused) {
            final Throwable thrown = assertThrows(ExecutionException.class, () -> elsewhere(attempt)).getCause();
            assertTrue(thrown.getMessage().startsWith("call from a thread that may not call: thread="), thrown::toString);
        } else {
            elsewhere(attempt);
        }
    }

    private static void elsewhere(final Attempt attempt) throws Exception {
        final FutureTask<Object> task = new FutureTask<>(attempt::call);
        begin(task);
        task.get(60, TimeUnit.SECONDS);
    }

    /** Helper threads count as this thread, whether or not it waits. */
    private static void helpers() throws Exception {
        for (int i = 0; i < 20; i++) {
            final Intracomm made = MPI.COMM_SELF.iDup();
            if (i % 2 == 0) {
                MPI.COMM_SELF.barrier();
            }
            final CountDownLatch told = new CountDownLatch(1);
            final Request received = MPI.COMM_SELF.iRecv(new int[1], 1L, MPI.INT, 0, 4);
            received.toCompletionStage().thenRun(() -> {
                call();
                told.countDown();
            });
            final Request generalized = Grequest.start(s -> {}, s -> {
                MPI.COMM_SELF.iProbe(MPI.ANY_SOURCE, 77);
                return true;
            }, (s, status) -> {}, s -> {}, null);
            generalized.waitFor();
            final Grequest completed = Grequest.start((s, status) -> {}, s -> {}, (s, isComplete) -> {}, null);
            elsewhere(() -> {
                completed.complete();
                return null;
            });
            completed.waitFor();
            made.getRequest().waitFor();
            MPI.COMM_SELF.send(new int[1], 1, MPI.INT, 0, 4);
            assertTrue(told.await(60, TimeUnit.SECONDS));
            made.free();
        }
    }

    /** Runs a task on a thread of its own: a call that is refused on the other thread may leave it waiting. */
    private static void begin(final Runnable task) {
        Thread.ofPlatform().daemon().start(task);
    }

    private interface Attempt {
        Object call() throws Exception;
    }

    private static String call() {
        try {
            MPI.COMM_SELF.barrier();
            return "";
        } catch (final MPIException e) {
            return e.getMessage();
        }
    }

    private static void twoAtOnce(final boolean refused, final boolean isAny) throws Exception {
        helpers();
        final CountDownLatch waiting = new CountDownLatch(1);
        final CompletableFuture<String> other = CompletableFuture.supplyAsync(() -> {
            try {
                waiting.countDown();
                if (isAny) {
                    Request.waitAny(new Request[] {MPI.COMM_SELF.iRecv(new int[1], 1L, MPI.INT, 0, 0)});
                } else {
                    MPI.COMM_SELF.recv(new int[1], 1, MPI.INT, 0, 0);
                }
                return "";
            } catch (final MPIException e) {
                return e.getMessage();
            }
        }, ThreadLevels::begin);
        waiting.await(60, TimeUnit.SECONDS);
        String error = call();
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(refused ? 60 : 0);
        while (refused && error.isEmpty() && System.nanoTime() < end) {
            error = call();
        }
        assertEquals(refused, error.startsWith("call while another thread is in one: thread="), error);
        if (!refused) {
            MPI.COMM_SELF.send(new int[1], 1, MPI.INT, 0, 0);
            assertEquals("", other.get(60, TimeUnit.SECONDS));
        } else {
            throw new IllegalStateException("refused");
        }
    }
}
