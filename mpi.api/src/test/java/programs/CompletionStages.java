package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import mpi.Comm;
import mpi.Grequest;
import mpi.MPI;
import mpi.MPIException;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/** Requests as completion stages: dependent actions run on a thread of the calling rank. */
public final class CompletionStages {
    private static final Comm WORLD = MPI.COMM_WORLD;
    private static int rank;
    private static int peer;

    private CompletionStages() {}

    /** Runs the program. */
    public static void main(final String[] args) throws Exception {
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        rank = WORLD.getRank();
        peer = 1 - rank;
        values();
        threads();
        many();
        errors();
        persistent();
        chained();
    }

    private static <T> T get(final CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static void values() throws Exception {
        final int[] got = new int[2];
        final Request receive = WORLD.iRecv(got, 2L, MPI.INT, peer, 1);
        final CompletionStage<Status> stage = receive.toCompletionStage();
        assertSame(stage, receive.toCompletionStage());
        assertFalse(stage.toCompletableFuture().isDone());
        assertFalse(receive.isNull());
        WORLD.barrier();
        WORLD.send(new int[] {rank, 7}, 2, MPI.INT, peer, 1);
        final Status status = get(stage);
        assertEquals(peer, status.getSource());
        assertEquals(2, status.getCount(MPI.INT));
        assertEquals(peer, got[0]);
        assertTrue(receive.isNull());
        assertEquals(MPI.ANY_SOURCE, get(receive.toCompletionStage()).getSource());
        // complete before the stage is created
        final Request send = WORLD.iSend(new int[1], 1L, MPI.INT, MPI.PROC_NULL, 0);
        assertFalse(get(send.toCompletionStage()).isCancelled());
        final Request never = WORLD.iRecv(got, 2L, MPI.INT, peer, 99);
        final CompletionStage<Status> cancelled = never.toCompletionStage();
        never.cancel();
        assertTrue(get(cancelled).isCancelled());
    }

    private static void threads() throws Exception {
        final List<Thread> ran = new ArrayList<>();
        final CompletionStage<String> stage = WORLD.iRecv(new int[1], 1L, MPI.INT, peer, 1).toCompletionStage().thenApply(s -> {
            ran.add(Thread.currentThread());
            return "a";
        }).thenApplyAsync(s -> {
            ran.add(Thread.currentThread());
            return s + "b";
        }).thenCombineAsync(WORLD.iBarrier().toCompletionStage(), (s, status) -> {
            ran.add(Thread.currentThread());
            return s + "c";
        });
        // no request could be complete up to here
        WORLD.barrier();
        WORLD.send(new int[1], 1, MPI.INT, peer, 1);
        assertEquals("abc", get(stage));
        assertEquals(3, ran.size());
        for (final Thread t : ran) {
            assertNotSame(Thread.currentThread(), t);
            assertTrue(t.getName().startsWith(Thread.currentThread().getName()), t.getName());
            assertSame(Thread.currentThread().getContextClassLoader(), t.getContextClassLoader());
            assertTrue(t.isDaemon());
        }
        // the thread ends when it has no more actions
        ran.getLast().join(20_000);
        assertFalse(ran.getLast().isAlive());
    }

    private static void many() throws Exception {
        final int n = 300;
        final CompletableFuture<?>[] all = new CompletableFuture<?>[2 * n];
        final int[][] got = new int[n][1];
        for (int i = 0; i < n; i++) {
            final int[] mine = got[i];
            final int expected = 3 * i;
            all[i] = WORLD.iRecv(mine, 1L, MPI.INT, peer, i).toCompletionStage()
                .thenAccept(s -> assertEquals(expected, mine[0])).toCompletableFuture();
        }
        for (int i = n - 1; i >= 0; i--) {
            all[n + i] = WORLD.iSend(new int[] {3 * i}, 1L, MPI.INT, peer, i).toCompletionStage().toCompletableFuture();
        }
        get(CompletableFuture.allOf(all));
        WORLD.barrier();
    }

    private static void errors() throws Exception {
        final CompletionStage<Status> stage = WORLD.iRecv(new int[1], 1L, MPI.INT, peer, 1).toCompletionStage();
        WORLD.send(new int[2], 2, MPI.INT, peer, 1);
        final MPIException e = assertInstanceOf(MPIException.class, assertThrows(ExecutionException.class, () -> get(stage)).getCause());
        assertEquals(MPI.ERR_TRUNCATE, e.getErrorClass());
        final CompletionStage<Status> broken = Grequest.start(s -> {}, s -> {
            throw new IllegalStateException("boom");
        }, (s, status) -> {}, s -> {}, "").toCompletionStage();
        assertEquals(MPI.ERR_OTHER, broken.handle((s, failure) -> ((MPIException) failure).getErrorClass()).toCompletableFuture().get());
        // an action that fails does not stop later ones
        assertThrows(ExecutionException.class, () -> get(WORLD.iBarrier().toCompletionStage().thenAccept(s -> {
            throw new AssertionError("of an action");
        })));
        get(WORLD.iBarrier().toCompletionStage().thenRun(() -> {}));
    }

    private static void persistent() throws Exception {
        final int[] got = new int[1];
        final Prequest receive = WORLD.recvInit(got, 1L, MPI.INT, peer, 1);
        final int[] count = new int[1];
        final Prequest generalized = Grequest.init(c -> c[0] = 0, c -> ++c[0] == 100, (c, status) -> status.setElements(MPI.INT, c[0]),
            c -> {}, count);
        for (int i = 0; i < 100; i++) {
            receive.start();
            generalized.start();
            final CompletionStage<Status> stage = receive.toCompletionStage();
            final CompletionStage<Status> counted = generalized.toCompletionStage();
            assertThrows(MPIException.class, receive::start);
            WORLD.barrier();
            WORLD.send(new int[] {i}, 1, MPI.INT, peer, 1);
            assertEquals(peer, get(stage).getSource());
            assertEquals(i, got[0]);
            assertEquals(100, get(counted).getCount(MPI.INT));
            assertTrue(receive.test());
        }
        receive.free();
        generalized.free();
    }

    /** An action starts the next message and waits for it. */
    private static void chained() throws Exception {
        final int[] got = new int[1];
        CompletionStage<Integer> stage = CompletableFuture.completedStage(0);
        stage = WORLD.iRecv(got, 1L, MPI.INT, peer, 1).toCompletionStage().thenApply(s -> reply(got[0]));
        if (rank == 0) {
            WORLD.send(new int[] {1}, 1, MPI.INT, peer, 1);
        }
        assertEquals(rank == 0 ? 2 : 1, get(stage));
        WORLD.barrier();
    }

    private static int reply(final int value) {
        try {
            if (rank == 1) {
                WORLD.sSend(new int[] {value + 1}, 1, MPI.INT, peer, 1);
            }
            return value;
        } catch (final MPIException e) {
            throw new IllegalStateException(e);
        }
    }
}
