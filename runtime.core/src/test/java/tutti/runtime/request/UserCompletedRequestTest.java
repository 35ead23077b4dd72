package tutti.runtime.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.process.owner.JobEndedError;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class UserCompletedRequestTest {
    private static final int ROUNDS = 2_000;

    private final RankLifecycle life = new RankLifecycle();
    private final AtomicInteger queries = new AtomicInteger();
    private final AtomicInteger frees = new AtomicInteger();

    @BeforeEach
    void initialize() {
        life.helpers().inheritFrom(Thread.currentThread());
    }

    /** Counts the calls of the functions. */
    private class Counted implements UserCompletedRequest.Functions {
        @Override
        public Status query() {
            return new Status(1, 2, queries.incrementAndGet(), false);
        }

        @Override
        public void free() {
            frees.incrementAndGet();
        }

        @Override
        public void cancel(final boolean isComplete) {
            throw new AssertionError("not cancelled here");
        }
    }

    private UserCompletedRequest pending() {
        return new UserCompletedRequest(life, new Counted());
    }

    /** An action of one of several threads that run at the same time. */
    private interface Action {
        void run(UserCompletedRequest request);
    }

    /** Performs actions on a new request at the same time, many times; returns how many of them failed with class REQUEST. */
    private int race(final Action... actions) throws Exception {
        final AtomicInteger refused = new AtomicInteger();
        try (ExecutorService threads = Executors.newFixedThreadPool(actions.length)) {
            for (int round = 0; round < ROUNDS; round++) {
                final UserCompletedRequest request = pending();
                final CyclicBarrier together = new CyclicBarrier(actions.length);
                final List<Future<?>> results = new ArrayList<>();
                for (final Action action : actions) {
                    results.add(threads.submit(() -> {
                        together.await();
                        try {
                            action.run(request);
                        } catch (final MpiFailure e) {
                            assertEquals(ErrorClass.REQUEST, e.errorClass());
                            refused.incrementAndGet();
                        }
                        return null;
                    }));
                }
                for (final Future<?> result : results) {
                    result.get(60, TimeUnit.SECONDS);
                }
                assertTrue(request.isDone());
            }
        }
        return refused.get();
    }

    @Test
    void shouldWakeTheThreadThatWaitsAndCallEachFunctionOnce() throws Exception {
        assertEquals(0, race(UserCompletedRequest::await, UserCompletedRequest::complete));
        assertEquals(ROUNDS, queries.get());
        assertEquals(ROUNDS, frees.get());
    }

    @Test
    void shouldRefuseOneOfTwoThreadsThatComplete() throws Exception {
        assertEquals(ROUNDS, race(UserCompletedRequest::complete, UserCompletedRequest::complete, UserCompletedRequest::await));
        assertEquals(ROUNDS, frees.get());
    }

    @Test
    void shouldCallTheFreeFunctionOnceWhetherItIsFreedBeforeOrAfterItIsComplete() throws Exception {
        assertEquals(0, race(UserCompletedRequest::complete, UserCompletedRequest::free));
        assertEquals(0, queries.get());
        assertEquals(ROUNDS, frees.get());
    }

    @Test
    void shouldKeepTheStatusOfTheWait() {
        final UserCompletedRequest request = pending();
        request.complete();
        assertEquals(1, request.status().bytes());
        assertEquals(2, request.waitFor().bytes());
        assertEquals(2, request.status().bytes());
        assertEquals(1, frees.get());
    }

    @Test
    void shouldRaiseTheFailureOfTheQueryFunctionWithThatOfTheFreeFunctionSuppressed() {
        final IllegalStateException query = new IllegalStateException("query");
        final IllegalStateException free = new IllegalStateException("free");
        final UserCompletedRequest request = new UserCompletedRequest(life, new Counted() {
            @Override
            public Status query() {
                throw query;
            }

            @Override
            public void free() {
                throw free;
            }
        });
        request.complete();
        final MpiFailure failure = assertThrows(MpiFailure.class, request::await);
        assertEquals("generalized request: its query function failed: java.lang.IllegalStateException: query", failure.getMessage());
        assertSame(query, failure.getCause());
        assertSame(free, failure.getSuppressed()[0].getCause());
        assertSame(failure, assertThrows(MpiFailure.class, request::await));
        assertSame(failure, assertThrows(MpiFailure.class, request::status));
    }

    @Test
    void shouldEndTheWaitWithTheRank() {
        final UserCompletedRequest request = pending();
        life.end("over");
        assertThrows(JobEndedError.class, request::await);
        assertFalse(request.isDone());
    }
}
