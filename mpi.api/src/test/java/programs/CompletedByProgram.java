package programs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import mpi.Comm;
import mpi.Grequest;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;
import mpi.Status;

/** Generalized requests that the program completes: the calls of their functions, errors, cancellation and freeing. */
public final class CompletedByProgram {
    private static final Comm WORLD = MPI.COMM_WORLD;
    private static int rank;
    private static int peer;

    private CompletedByProgram() {}

    /** Records the calls of a request's functions, and controls their behaviour. */
    private static final class Work {
        private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
        private volatile Exception queryFails;
        private volatile Exception freeFails;
        private volatile Exception cancelFails;
        private volatile boolean isCancelled;
        private volatile int error = MPI.SUCCESS;

        private Grequest begin() throws MPIException {
            return Grequest.start(Work::query, Work::free, Work::cancel, this);
        }

        private void query(final Status status) throws Exception {
            calls.add("query");
            status.setElements(MPI.INT, 5);
            status.setSource(3);
            status.setTag(4);
            status.setCancelled(isCancelled);
            status.setError(error);
            fail(queryFails);
        }

        private void free() throws Exception {
            calls.add("free");
            fail(freeFails);
        }

        private void cancel(final boolean isComplete) throws Exception {
            calls.add(isComplete ? "cancel complete" : "cancel");
            fail(cancelFails);
        }

        private static void fail(final Exception with) throws Exception {
            if (with != null) {
                throw with;
            }
        }

        private void check(final String... expected) {
            assertEquals(List.of(expected), calls);
        }
    }

    /** Runs the program, on one rank or two. */
    public static void main(final String[] args) throws Exception {
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        rank = WORLD.getRank();
        peer = WORLD.getSize() - 1 - rank;
        completed();
        queried();
        together();
        freed();
        cancelled();
        ownCodes();
        failures();
        failuresTogether();
        stages();
        messages();
        refusals();
    }

    /** Completes a request on another thread. */
    private static Thread completeLater(final Grequest request) {
        final Thread thread = new Thread(() -> {
            try {
                request.complete();
            } catch (final MPIException e) {
                throw new AssertionError(e);
            }
        });
        thread.start();
        return thread;
    }

    private static void completed() throws Exception {
        final Work work = new Work();
        final Grequest request = work.begin();
        assertFalse(request.test());
        assertNull(request.testStatus());
        assertNull(request.getStatus());
        assertNull(Request.testAnyStatus(new Request[] {request}));
        work.check();
        final Thread other = completeLater(request);
        final Status status = request.waitStatus();
        other.join();
        assertEquals(5, status.getCount(MPI.INT));
        assertEquals(3, status.getSource());
        assertEquals(4, status.getTag());
        assertFalse(status.isCancelled());
        assertEquals(MPI.SUCCESS, status.getError());
        assertTrue(request.isNull());
        work.check("query", "free");
        // as for every null request
        request.free();
        request.waitFor();
        work.check("query", "free");
        final MPIException again = assertThrows(MPIException.class, request::complete);
        assertEquals(MPI.ERR_REQUEST, again.getErrorClass());
        assertTrue(again.getMessage().startsWith("request is complete already: complete it once"), again.getMessage());
        // without a wait in between, and without a state
        final List<String> calls = new ArrayList<>();
        final Grequest before = Grequest.start((none, s) -> calls.add("query " + none), none -> calls.add("free " + none), (none, done) -> {}, null);
        before.complete();
        assertTrue(before.test());
        assertTrue(before.isNull());
        assertEquals(List.of("query null", "free null"), calls);
    }

    /** The query function runs for each look at the status, the free function only when the request becomes null. */
    private static void queried() throws MPIException {
        final Work work = new Work();
        final Grequest request = work.begin();
        request.complete();
        assertEquals(5, request.getStatus().getCount(MPI.INT));
        assertEquals(5, request.getStatus().getCount(MPI.INT));
        assertFalse(request.isNull());
        work.check("query", "query");
        assertEquals(5, request.waitStatus().getCount(MPI.INT));
        work.check("query", "query", "query", "free");
    }

    private static void together() throws MPIException {
        final Work[] works = {new Work(), new Work(), new Work()};
        final Grequest[] own = {works[0].begin(), works[1].begin(), works[2].begin()};
        final int[] got = new int[1];
        final Request[] all = {own[0], WORLD.iRecv(got, 1L, MPI.INT, rank, 1), own[1], MPI.REQUEST_NULL, own[2]};
        WORLD.send(new int[] {7}, 1, MPI.INT, rank, 1);
        assertEquals(1, Request.waitAny(all));
        assertFalse(Request.testAll(all));
        own[1].complete();
        assertArrayEquals(new int[] {2}, Request.waitSome(all));
        works[1].check("query", "free");
        completeLater(own[2]);
        completeLater(own[0]);
        final Status[] statuses = Request.waitAllStatus(all);
        assertEquals(5, statuses[0].getCount(MPI.INT));
        assertEquals(5, statuses[4].getCount(MPI.INT));
        for (final Work work : works) {
            work.check("query", "free");
        }
        assertEquals(7, got[0]);
    }

    private static void freed() throws MPIException {
        final Work pending = new Work();
        final Grequest later = pending.begin();
        later.free();
        assertTrue(later.isNull());
        pending.check();
        later.complete();
        pending.check("free");
        assertThrows(MPIException.class, later::complete);
        final Work complete = new Work();
        final Grequest now = complete.begin();
        now.complete();
        now.free();
        complete.check("free");
        // an error of the free function is raised by the call that runs it
        final Work failing = new Work();
        failing.freeFails = new IllegalStateException("boom");
        final Grequest first = failing.begin();
        first.free();
        failed("free", failing.freeFails, first::complete);
        final Grequest second = failing.begin();
        second.complete();
        failed("free", failing.freeFails, second::free);
        assertTrue(second.isNull());
        failing.check("free", "free");
    }

    private static void cancelled() throws MPIException {
        final Work work = new Work();
        final Grequest request = work.begin();
        request.cancel();
        work.check("cancel");
        assertFalse(request.test());
        work.isCancelled = true;
        request.complete();
        request.cancel();
        assertTrue(request.waitStatus().isCancelled());
        work.check("cancel", "cancel complete", "query", "free");
        assertEquals(MPI.ERR_REQUEST, assertThrows(MPIException.class, request::cancel).getErrorClass());
        // a cancel function may complete the request
        final Grequest[] self = new Grequest[1];
        self[0] = Grequest.start((s, status) -> status.setCancelled(true), s -> {}, (s, isComplete) -> self[0].complete(), "");
        self[0].cancel();
        assertTrue(self[0].waitStatus().isCancelled());
        final Work failing = new Work();
        failing.cancelFails = new IllegalStateException("boom");
        final Grequest pending = failing.begin();
        failed("cancel", failing.cancelFails, pending::cancel);
        pending.complete();
        pending.waitFor();
        failing.check("cancel", "query", "free");
    }

    /** Codes of the program and predefined ones reach the caller, with their class, from the functions of both kinds of requests. */
    private static void ownCodes() throws MPIException {
        final int ownClass = MPI.addErrorClass();
        final int ownCode = MPI.addErrorCode(ownClass);
        MPI.addErrorString(ownCode, "disk is full");
        final int[][] codes = {{ownCode, ownClass}, {ownClass, ownClass}, {MPI.ERR_NO_SPACE, MPI.ERR_NO_SPACE}, {MPI.ERR_FILE, MPI.ERR_FILE},
            {MPI.ERR_RANK, MPI.ERR_RANK}, {ownCode + 100, MPI.ERR_UNKNOWN}};
        for (final int[] code : codes) {
            final MPIException thrown = new MPIException(code[0], "no block left");
            assertEquals(code[1], thrown.getErrorClass());
            final Work query = new Work();
            query.queryFails = thrown;
            final Grequest request = query.begin();
            request.complete();
            raised(code, request::waitFor);
            query.check("query", "free");
            final Work free = new Work();
            free.freeFails = thrown;
            final Grequest other = free.begin();
            other.complete();
            raised(code, other::waitStatus);
            free.check("query", "free");
            raised(code, () -> Grequest.start(s -> {
                throw thrown;
            }, s -> true, (s, status) -> {}, s -> {}, ""));
            final Request pushed = Grequest.start(s -> {}, s -> {
                throw thrown;
            }, (s, status) -> {}, s -> {}, "");
            raised(code, pushed::waitFor);
            final Request completed = Grequest.start(s -> {}, s -> true, (s, status) -> {
                throw thrown;
            }, s -> {}, "");
            raised(code, completed::waitFor);
            // a code in the status is no error of the call
            final Work set = new Work();
            set.error = code[0];
            final Grequest fine = set.begin();
            fine.complete();
            assertEquals(code[0], fine.getStatus().getError());
            assertEquals(code[0], fine.waitStatus().getError());
            assertEquals(code[0], Grequest.start(s -> {}, s -> true, (s, status) -> status.setError(code[0]), s -> {}, "").waitStatus().getError());
        }
        assertEquals("disk is full", MPI.getErrorString(ownCode));
    }

    private static void raised(final int[] code, final org.junit.jupiter.api.function.Executable call) {
        final MPIException e = assertThrows(MPIException.class, call);
        assertEquals(code[0], e.getErrorCode());
        assertEquals(code[1], e.getErrorClass());
        assertTrue(e.getMessage().startsWith("no block left ["), e.getMessage());
        assertInstanceOf(MPIException.class, e.getCause());
    }

    private static void failures() throws MPIException {
        final Work work = new Work();
        work.queryFails = new java.io.IOException("boom");
        final Grequest request = work.begin();
        request.complete();
        // a look at the status leaves the request as it is
        failed("query", work.queryFails, request::getStatus);
        assertFalse(request.isNull());
        failed("query", work.queryFails, request::waitFor);
        assertTrue(request.isNull());
        work.check("query", "query", "free");
        // both fail: the first error counts
        final Work both = new Work();
        both.queryFails = new IllegalStateException("first");
        both.freeFails = new IllegalStateException("second");
        final Grequest twice = both.begin();
        twice.complete();
        failed("query", both.queryFails, twice::waitStatus);
        both.check("query", "free");
    }

    private static void failed(final String function, final Exception why, final org.junit.jupiter.api.function.Executable call) {
        final MPIException e = assertThrows(MPIException.class, call);
        assertEquals(MPI.ERR_OTHER, e.getErrorClass());
        assertTrue(e.getMessage().startsWith("generalized request: its " + function + " function failed: " + why), e.getMessage());
        assertSame(why, e.getCause());
    }

    private static void failuresTogether() throws MPIException {
        final int ownClass = MPI.addErrorClass();
        final int ownCode = MPI.addErrorCode(ownClass);
        final Work bad = new Work();
        bad.queryFails = new MPIException(ownCode, "boom");
        final Work set = new Work();
        set.error = MPI.ERR_IO;
        final Grequest[] requests = {new Work().begin(), bad.begin(), set.begin()};
        for (final Grequest request : requests) {
            request.complete();
        }
        final MPIException e = assertThrows(MPIException.class, () -> Request.waitAll(requests));
        assertEquals(MPI.ERR_IN_STATUS, e.getErrorClass());
        final MPIException first = assertInstanceOf(MPIException.class, e.getCause());
        assertEquals(ownCode, first.getErrorCode());
        assertEquals(ownClass, first.getErrorClass());
        final Status[] statuses = e.getStatuses();
        assertEquals(MPI.SUCCESS, statuses[0].getError());
        assertEquals(ownCode, statuses[1].getError());
        assertEquals(MPI.ERR_IO, statuses[2].getError());
        bad.check("query", "free");
        set.check("query", "free");
    }

    private static void stages() throws Exception {
        final Work work = new Work();
        final Grequest request = work.begin();
        final CompletionStage<Status> stage = request.toCompletionStage();
        completeLater(request);
        assertEquals(5, stage.toCompletableFuture().get(60, TimeUnit.SECONDS).getCount(MPI.INT));
        work.check("query", "free");
        final Work failing = new Work();
        failing.queryFails = new MPIException(MPI.ERR_QUOTA, "boom");
        final Grequest bad = failing.begin();
        bad.complete();
        final ExecutionException e = assertThrows(ExecutionException.class,
            () -> bad.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS));
        assertEquals(MPI.ERR_QUOTA, ((MPIException) e.getCause()).getErrorClass());
    }

    /** A message of the other rank completes the request: an action of its receive does. */
    private static void messages() throws Exception {
        final int[] got = new int[1];
        final Grequest request = Grequest.start((value, status) -> status.setElements(MPI.INT, value[0]), value -> {}, (value, isComplete) -> {},
            got);
        final CompletionStage<Void> received = WORLD.iRecv(got, 1L, MPI.INT, peer, 2).toCompletionStage().thenAccept(status -> {
            try {
                request.complete();
            } catch (final MPIException e) {
                throw new IllegalStateException(e);
            }
        });
        WORLD.barrier();
        WORLD.send(new int[] {100 + rank}, 1, MPI.INT, peer, 2);
        assertEquals(100 + peer, request.waitStatus().getCount(MPI.INT));
        received.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static void refusals() {
        final MPIException e = assertThrows(MPIException.class, () -> Grequest.start((s, status) -> {}, null, (s, isComplete) -> {}, ""));
        assertEquals(MPI.ERR_ARG, e.getErrorClass());
        assertTrue(e.getMessage().startsWith("function is null: name=free"), e.getMessage());
    }
}
