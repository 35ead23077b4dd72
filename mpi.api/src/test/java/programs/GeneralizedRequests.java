package programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import mpi.Comm;
import mpi.Grequest;
import mpi.MPI;
import mpi.MPIException;
import mpi.Prequest;
import mpi.Request;
import mpi.Status;

/** Generalized requests: calls of their functions, errors, cancellation and restart. */
public final class GeneralizedRequests {
    private static final Comm WORLD = MPI.COMM_WORLD;

    private GeneralizedRequests() {}

    /** Records the calls of a request's functions, and controls their behaviour. */
    private static final class Work {
        private final AtomicInteger starts = new AtomicInteger();
        private final AtomicInteger pushes = new AtomicInteger();
        private final AtomicInteger completes = new AtomicInteger();
        private final AtomicInteger cancels = new AtomicInteger();
        private final AtomicInteger within = new AtomicInteger();
        private volatile boolean over;
        private volatile boolean overlapped;
        private volatile boolean seenCancelled;
        private volatile Throwable startFails;
        private volatile Throwable pushFails;
        private volatile Throwable completeFails;
        private volatile Throwable cancelFails;
        private volatile Thread startedBy;
        private volatile Thread pushedBy;

        private void start() throws Exception {
            startedBy = Thread.currentThread();
            starts.incrementAndGet();
            fail(startFails);
        }

        private boolean push() throws Exception {
            overlapped |= within.incrementAndGet() > 1;
            pushedBy = Thread.currentThread();
            pushes.incrementAndGet();
            try {
                fail(pushFails);
                return over;
            } finally {
                within.decrementAndGet();
            }
        }

        private void complete(final Status status) throws Exception {
            completes.incrementAndGet();
            seenCancelled = status.isCancelled();
            status.setElements(MPI.INT, 10 + starts.get());
            status.setSource(3);
            status.setTag(4);
            fail(completeFails);
        }

        private void cancel() throws Exception {
            overlapped |= within.get() > 0;
            cancels.incrementAndGet();
            fail(cancelFails);
        }

        private static void fail(final Throwable with) throws Exception {
            switch (with) {
                case null -> {}
                case Exception e -> throw e;
                default -> throw (Error) with;
            }
        }

        private Prequest init() throws MPIException {
            return Grequest.init(Work::start, Work::push, Work::complete, Work::cancel, this);
        }

        private Request begin() throws MPIException {
            return Grequest.start(Work::start, Work::push, Work::complete, Work::cancel, this);
        }

        /** Returns the number of calls of start, complete and cancel so far. */
        private String calls() {
            return starts.get() + " " + completes.get() + " " + cancels.get();
        }

        private void check(final String calls) {
            assertEquals(calls, calls());
            assertFalse(overlapped);
        }
    }

    /** Runs the program. */
    public static void main(final String[] args) throws Exception {
        WORLD.setErrhandler(MPI.ERRORS_RETURN);
        nonpersistent();
        persistent();
        templates();
        besideOneThatBlocks();
        queries();
        cancelled();
        freed();
        failing();
        restarted();
        messages();
        together();
        refusals();
    }

    private static void await(final BooleanSupplier condition) {
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < end, "time is up");
            Thread.onSpinWait();
        }
    }

    private static void nonpersistent() throws MPIException {
        final Work work = new Work();
        final Request request = work.begin();
        assertEquals(1, work.starts.get());
        assertSame(Thread.currentThread(), work.startedBy);
        // pushed repeatedly by a thread of the rank, without a call into MPI
        await(() -> work.pushes.get() > 100);
        assertNotSame(Thread.currentThread(), work.pushedBy);
        assertSame(Thread.currentThread().getThreadGroup(), work.pushedBy.getThreadGroup());
        assertTrue(work.pushedBy.isDaemon());
        assertFalse(request.test());
        work.check("1 0 0");
        work.over = true;
        final Status status = request.waitStatus();
        work.check("1 1 0");
        assertEquals(11, status.getCount(MPI.INT));
        assertEquals(3, status.getSource());
        assertEquals(4, status.getTag());
        assertFalse(status.isCancelled());
        assertTrue(request.isNull());
        final int pushes = work.pushes.get();
        request.waitFor();
        assertEquals(pushes, work.pushes.get());
        work.check("1 1 0");
    }

    private static void persistent() throws MPIException {
        final Work work = new Work();
        final Prequest request = work.init();
        work.check("0 0 0");
        assertTrue(request.test());
        assertEquals(MPI.UNDEFINED, Request.waitAny(new Request[] {request}));
        work.check("0 0 0");
        for (int i = 1; i <= 50; i++) {
            work.over = false;
            request.start();
            assertEquals(MPI.ERR_REQUEST, assertThrows(MPIException.class, request::start).getErrorClass());
            work.check(i + " " + (i - 1) + " 0");
            assertNull(request.testStatus());
            work.over = true;
            assertEquals(10 + i, request.waitStatus().getCount(MPI.INT));
            assertFalse(request.isNull());
            assertEquals(0, request.waitStatus().getCount(MPI.INT));
            work.check(i + " " + i + " 0");
        }
        request.free();
        assertTrue(request.isNull());
        work.check("50 50 0");
        assertEquals(MPI.ERR_REQUEST, assertThrows(MPIException.class, request::start).getErrorClass());
    }

    private static void templates() throws MPIException {
        final Grequest.Template<int[]> sum = Grequest.define(a -> a[0] = 1, a -> ++a[0] >= a[1], (a, status) -> status.setElements(MPI.INT, a[0]),
            a -> a[0] = -1);
        final Request[] requests = new Request[20];
        for (int i = 0; i < 20; i++) {
            final int[] state = {0, 10 * i};
            requests[i] = i % 2 == 0 ? sum.start(state) : sum.init(state);
            if (requests[i] instanceof Prequest p) {
                p.start();
            }
        }
        final Status[] statuses = Request.waitAllStatus(requests);
        for (int i = 0; i < 20; i++) {
            assertEquals(Math.max(2, 10 * i), statuses[i].getCount(MPI.INT));
            assertEquals(i % 2 == 0, requests[i].isNull());
        }
    }

    /** A push function that blocks holds its own request: others are pushed, and calls that test or wait for any do not enter it. */
    private static void besideOneThatBlocks() throws Exception {
        final CountDownLatch held = new CountDownLatch(1);
        final CountDownLatch go = new CountDownLatch(1);
        final Request blocked = Grequest.start(s -> {}, s -> {
            held.countDown();
            assertTrue(go.await(60, TimeUnit.SECONDS));
            return true;
        }, (s, status) -> {}, s -> {}, "state");
        assertTrue(held.await(60, TimeUnit.SECONDS));
        final Work work = new Work();
        final Request request = work.begin();
        assertFalse(request.test());
        assertNull(Request.testAnyStatus(new Request[] {request}));
        assertFalse(Request.testAll(new Request[] {request}));
        assertEquals(0, Request.testSome(new Request[] {request}).length);
        await(() -> work.pushedBy != null);
        work.over = true;
        assertEquals(1, Request.waitAny(new Request[] {blocked, request}));
        work.check("1 1 0");
        final Request[] both = {new Work().begin(), blocked};
        go.countDown();
        assertEquals(1, Request.waitAny(both));
        both[0].cancel();
        both[0].waitFor();
    }

    /** Querying the status leaves the request as it is, and calls the complete function once. */
    private static void queries() throws MPIException {
        final Work work = new Work();
        final Request request = work.begin();
        assertNull(request.getStatus());
        work.over = true;
        Status seen = request.getStatus();
        while (seen == null) {
            seen = request.getStatus();
        }
        assertEquals(11, seen.getCount(MPI.INT));
        assertEquals(11, request.getStatus().getCount(MPI.INT));
        assertFalse(request.isNull());
        work.check("1 1 0");
        assertEquals(11, request.waitStatus().getCount(MPI.INT));
        work.check("1 1 0");
        // a request that is not complete holds the others back
        final Work late = new Work();
        final Request[] both = {new Work().begin(), late.begin()};
        late.over = true;
        await(() -> isReady(both[1]));
        assertFalse(Request.testAll(both));
        both[0].cancel();
        assertTrue(Request.testAll(both));
        late.check("1 1 0");
    }

    private static boolean isReady(final Request request) {
        try {
            return request.getStatus() != null;
        } catch (final MPIException e) {
            throw new AssertionError(e);
        }
    }

    private static void cancelled() throws MPIException {
        final Work work = new Work();
        final Request request = work.begin();
        request.cancel();
        work.check("1 0 1");
        final int pushes = work.pushes.get();
        assertTrue(request.test());
        // the complete function got a status that said so, and the request ends as usual
        work.check("1 1 1");
        assertTrue(work.seenCancelled);
        assertEquals(pushes, work.pushes.get());
        assertTrue(request.isNull());

        final Work failing = new Work();
        failing.cancelFails = new IllegalStateException("half of it is done");
        final Prequest again = failing.init();
        again.start();
        again.cancel();
        Status status = again.waitStatus();
        assertFalse(status.isCancelled());
        assertFalse(failing.seenCancelled);
        assertEquals(11, status.getCount(MPI.INT));
        failing.check("1 1 1");
        failing.cancelFails = null;
        again.start();
        again.cancel();
        status = again.waitStatus();
        assertTrue(status.isCancelled());
        failing.check("2 2 2");
        // complete already: nothing can be cancelled
        failing.over = true;
        again.start();
        await(() -> isReady(again));
        again.cancel();
        assertFalse(again.waitStatus().isCancelled());
        failing.check("3 3 2");
        again.free();
        // cancelled by the push function itself
        final Request[] self = new Request[1];
        final Work inner = new Work();
        final CountDownLatch known = new CountDownLatch(1);
        self[0] = Grequest.start(Work::start, w -> {
            known.await();
            self[0].cancel();
            return true;
        }, Work::complete, Work::cancel, inner);
        known.countDown();
        assertTrue(self[0].waitStatus().isCancelled());
        inner.check("1 1 1");
    }

    private static void freed() throws Exception {
        final Work work = new Work();
        final Request request = work.begin();
        final Thread helper = new Thread(() -> {
            await(() -> work.pushes.get() > 50);
            work.over = true;
        });
        helper.start();
        request.free();
        // the call has waited
        assertTrue(work.over);
        work.check("1 1 0");
        assertTrue(request.isNull());
        helper.join();

        final Work other = new Work();
        final Prequest persistent = other.init();
        persistent.start();
        persistent.cancel();
        persistent.free();
        other.check("1 0 1");
        assertTrue(persistent.isNull());

        final Work third = new Work();
        try (Prequest closed = third.init()) {
            closed.start();
            third.over = true;
        }
        third.check("1 1 0");
    }

    private static void failing() throws MPIException {
        final Throwable[] kinds = {new IllegalStateException("boom"), new AssertionError("boom"), new java.io.IOException("boom")};
        for (final Throwable why : kinds) {
            final Work start = new Work();
            start.startFails = why;
            failed("start function failed: " + why, why, () -> start.begin());
            start.check("1 0 1");
            final Prequest persistent = start.init();
            failed("start function failed: " + why, why, persistent::start);
            start.check("2 0 2");
            assertTrue(persistent.test());
            start.startFails = null;
            start.over = true;
            persistent.start();
            assertEquals(13, persistent.waitStatus().getCount(MPI.INT));
            persistent.free();

            final Work push = new Work();
            push.pushFails = why;
            final Request pushed = push.begin();
            failed("push function failed: " + why, why, pushed::waitFor);
            push.check("1 0 1");
            assertTrue(pushed.isNull());

            final Work complete = new Work();
            complete.completeFails = why;
            complete.over = true;
            final Prequest completed = complete.init();
            completed.start();
            failed("complete function failed: " + why, why, completed::waitStatus);
            complete.check("1 1 1");
            complete.completeFails = null;
            completed.start();
            assertEquals(12, completed.waitStatus().getCount(MPI.INT));
            complete.completeFails = why;
            completed.start();
            failed("complete function failed: " + why, why, completed::free);
            complete.check("3 3 2");
        }
        // an MPI error keeps its class
        final Request own = Grequest.start(s -> {}, s -> {
            WORLD.send(new int[1], 1, MPI.INT, 99, 0);
            return true;
        }, (s, status) -> {}, s -> {}, "");
        assertEquals(MPI.ERR_RANK, assertThrows(MPIException.class, own::waitFor).getErrorClass());
        // together with other requests
        final Work bad = new Work();
        bad.pushFails = new IllegalStateException("boom");
        final Work good = new Work();
        good.over = true;
        final MPIException e = assertThrows(MPIException.class, () -> Request.waitAll(new Request[] {good.begin(), bad.begin()}));
        assertEquals(MPI.ERR_IN_STATUS, e.getErrorClass());
        assertEquals(MPI.SUCCESS, e.getStatuses()[0].getError());
        assertEquals(11, e.getStatuses()[0].getCount(MPI.INT));
        assertEquals(MPI.ERR_OTHER, e.getStatuses()[1].getError());
        bad.check("1 0 1");
        good.check("1 1 0");
    }

    private static void failed(final String message, final Throwable why, final org.junit.jupiter.api.function.Executable call) {
        final MPIException e = assertThrows(MPIException.class, call);
        assertEquals(MPI.ERR_OTHER, e.getErrorClass());
        assertTrue(e.getMessage().startsWith("generalized request: its " + message), e.getMessage());
        assertSame(why, e.getCause());
    }

    /** Many requests, restarted while the thread that pushes polls them. */
    private static void restarted() throws MPIException {
        final Work[] works = new Work[50];
        final Prequest[] requests = new Prequest[50];
        for (int i = 0; i < 50; i++) {
            works[i] = new Work();
            works[i].over = true;
            requests[i] = works[i].init();
        }
        for (int round = 0; round < 100; round++) {
            Prequest.startAll(requests);
            if (round % 2 == 0) {
                Request.waitAll(requests);
            } else {
                for (int i = 0; i < 50; i++) {
                    Request.waitAny(requests);
                }
            }
        }
        for (int i = 0; i < 50; i++) {
            works[i].check("100 100 0");
            requests[i].free();
        }
    }

    /** A token that moves around the ring of ranks three times, by calls of the functions only. */
    private static final class Token {
        private final int size = WORLD.getSize();
        private final int rank = WORLD.getRank();
        private final int[] value = new int[1];
        private Request receive;
        private int rounds;

        Token() throws MPIException {}

        private void begin() throws MPIException {
            if (rank == 0) {
                WORLD.send(new int[] {0}, 1, MPI.INT, 1 % size, 42);
            }
            receive = WORLD.iRecv(value, 1L, MPI.INT, (rank + size - 1) % size, 42);
        }

        private boolean move() throws MPIException {
            if (!receive.test()) {
                return false;
            }
            rounds++;
            if (rounds < 3 || rank != 0) {
                WORLD.send(new int[] {value[0] + 1}, 1, MPI.INT, (rank + 1) % size, 42);
            }
            if (rounds == 3) {
                return true;
            }
            receive = WORLD.iRecv(value, 1L, MPI.INT, (rank + size - 1) % size, 42);
            return false;
        }
    }

    private static void messages() throws MPIException {
        WORLD.barrier();
        final Token token = new Token();
        final Request request = Grequest.start(Token::begin, Token::move, (t, status) -> status.setElements(MPI.INT, t.value[0]),
            t -> t.receive.cancel(), token);
        await(() -> isReady(request));
        final int expected = token.rank == 0 ? 3 * token.size - 1 : 2 * token.size + token.rank - 1;
        assertEquals(expected, request.waitStatus().getCount(MPI.INT));
        WORLD.barrier();
    }

    private static void together() throws MPIException {
        final int rank = WORLD.getRank();
        final Work work = new Work();
        final int[] got = new int[1];
        final Prequest generalized = work.init();
        final Prequest receive = WORLD.recvInit(got, 1L, MPI.INT, rank, 8);
        final Prequest send = WORLD.sendInit(new int[] {8}, 1L, MPI.INT, rank, 8);
        for (int round = 0; round < 5; round++) {
            work.over = false;
            Arrays.fill(got, 0);
            final Request[] all = {generalized, receive, send, WORLD.iBarrier(), MPI.REQUEST_NULL};
            Prequest.startAll(new Prequest[] {generalized, receive, send});
            int left = 3;
            while (left > 0) {
                for (final int index : Request.waitSome(all)) {
                    assertTrue(index > 0);
                    left--;
                }
            }
            assertFalse(Request.testAll(all));
            work.over = true;
            assertEquals(0, Request.waitAny(all));
            assertEquals(8, got[0]);
        }
        generalized.free();
        receive.free();
        send.free();
    }

    private static void refusals() {
        final MPIException e = assertThrows(MPIException.class, () -> Grequest.define(s -> {}, null, (s, status) -> {}, s -> {}));
        assertEquals(MPI.ERR_ARG, e.getErrorClass());
        assertTrue(e.getMessage().startsWith("function is null: name=push"), e.getMessage());
    }
}
