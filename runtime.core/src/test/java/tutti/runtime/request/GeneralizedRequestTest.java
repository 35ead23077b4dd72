package tutti.runtime.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.process.owner.JobEndedError;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class GeneralizedRequestTest {
    private static final long JOIN_MILLIS = 60_000;

    private final RankLifecycle life = new RankLifecycle();

    @BeforeEach
    void initialize() {
        life.helpers().inheritFrom(Thread.currentThread());
    }

    /** Functions of a request that is complete after a number of pushes. */
    private static class Pushes implements GrequestFunctions {
        final AtomicInteger within = new AtomicInteger();
        final AtomicInteger pushes = new AtomicInteger();
        final AtomicInteger completes = new AtomicInteger();
        final AtomicInteger cancels = new AtomicInteger();
        final CountDownLatch pushed = new CountDownLatch(1);
        volatile int needed;
        volatile Thread pusher;
        volatile boolean overlapped;

        Pushes(final int needed) {
            this.needed = needed;
        }

        @Override
        public void start() {
            pushes.set(0);
        }

        @Override
        public boolean push() throws Exception {
            overlapped |= within.incrementAndGet() != 1;
            if (Thread.currentThread().getName().endsWith("-push")) {
                pusher = Thread.currentThread();
                pushed.countDown();
            }
            final boolean over = pushes.incrementAndGet() >= needed;
            overlapped |= within.decrementAndGet() != 0;
            return over;
        }

        @Override
        public Status complete(final boolean cancelled) {
            completes.incrementAndGet();
            return new Status(1, 2, pushes.get(), cancelled);
        }

        @Override
        public void cancel() {
            cancels.incrementAndGet();
        }
    }

    private GeneralizedRequest started(final GrequestFunctions work) {
        final GeneralizedRequest request = new GeneralizedRequest(life, work);
        request.start();
        return request;
    }

    @Test
    void shouldEndTheThreadThatPushesWhenNothingIsLeftAndMakeAnotherWhenThereIs() throws Exception {
        final Pushes work = new Pushes(Integer.MAX_VALUE);
        final GeneralizedRequest request = started(work);
        work.pushed.await();
        final Thread first = work.pusher;
        assertTrue(first.isDaemon());
        work.needed = 0;
        request.waitFor();
        first.join(JOIN_MILLIS);
        assertFalse(first.isAlive());
        final Pushes other = new Pushes(Integer.MAX_VALUE);
        final GeneralizedRequest next = started(other);
        other.pushed.await();
        assertNotSame(first, other.pusher);
        next.cancel();
        assertTrue(next.waitFor().cancelled());
    }

    @Test
    void shouldEndTheThreadThatPushesWithTheRank() throws Exception {
        final Pushes work = new Pushes(Integer.MAX_VALUE);
        final GeneralizedRequest request = started(work);
        work.pushed.await();
        life.end("over");
        work.pusher.join(JOIN_MILLIS);
        assertFalse(work.pusher.isAlive());
        assertThrows(JobEndedError.class, request::waitFor);
        assertThrows(JobEndedError.class, request::start);
    }

    @Test
    void shouldServeOtherRequestsWhenAFunctionHangs() throws Exception {
        final CountDownLatch hangs = new CountDownLatch(1);
        final CountDownLatch never = new CountDownLatch(1);
        final AtomicReference<Thread> held = new AtomicReference<>();
        final GeneralizedRequest hanging = started(new Pushes(1) {
            @Override
            public boolean push() throws Exception {
                held.set(Thread.currentThread());
                hangs.countDown();
                never.await();
                return true;
            }
        });
        hangs.await();
        for (int i = 0; i < 100; i++) {
            assertEquals(50, started(new Pushes(50)).waitFor().bytes());
        }
        assertFalse(hanging.isDone());
        // as at the end of a rank
        life.end("over");
        held.get().interrupt();
        held.get().join(JOIN_MILLIS);
        assertFalse(held.get().isAlive());
    }

    /** A request whose push function blocks until it is told to return. */
    private static final class Blocking extends Pushes {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        Blocking() {
            super(1);
        }

        @Override
        public boolean push() throws Exception {
            entered.countDown();
            released.await();
            return super.push();
        }
    }

    private static long pushThreads() {
        return Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName().equals(Thread.currentThread().getName() + "-push")).count();
    }

    @Test
    void shouldHoldOnlyTheRequestsWhosePushFunctionsBlock() throws Exception {
        final List<Blocking> works = new ArrayList<>();
        final List<GeneralizedRequest> blocking = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            works.add(new Blocking());
            blocking.add(started(works.get(i)));
            // while nobody waits for a request
            works.get(i).entered.await();
        }
        final GeneralizedRequest alone = started(new Pushes(171));
        while (!alone.isDone()) {
            Thread.onSpinWait();
        }
        assertEquals(171, started(new Pushes(171)).waitFor().bytes());
        final GeneralizedRequest tested = started(new Pushes(171));
        while (!tested.test()) {
            Thread.onSpinWait();
        }
        for (int i = 0; i < 50; i++) {
            final Blocking late = new Blocking();
            final Request[] requests = {started(late), blocking.get(0), started(new Pushes(171))};
            assertEquals(2, Request.waitAny(requests));
            assertFalse(requests[0].test());
            late.released.countDown();
            assertEquals(1, requests[0].waitFor().bytes());
        }
        assertTrue(pushThreads() <= 10, () -> "threads=" + pushThreads());
        for (int i = 0; i < 7; i++) {
            assertFalse(blocking.get(i).isDone());
            works.get(i).released.countDown();
            assertEquals(1, blocking.get(i).waitFor().bytes());
        }
        while (pushThreads() > 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldWakeAWaitingThreadWhenTheRankEnds() throws Exception {
        final GeneralizedRequest request = started(new Pushes(Integer.MAX_VALUE));
        final AtomicReference<Throwable> thrown = new AtomicReference<>();
        final Thread waiting = new Thread(() -> {
            try {
                request.waitFor();
            } catch (final Throwable e) {
                thrown.set(e);
            }
        });
        waiting.start();
        while (waiting.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        life.end("over");
        LockSupport.unpark(waiting);
        waiting.join(JOIN_MILLIS);
        assertTrue(thrown.get() instanceof JobEndedError, String.valueOf(thrown.get()));
    }

    @Tag("nightly")
    @Test
    void shouldNeverPushARequestOnTwoThreadsAtOnce() throws Exception {
        for (int round = 0; round < 20; round++) {
            final Pushes work = new Pushes(20_000);
            final GeneralizedRequest request = started(work);
            final List<Thread> testing = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                testing.add(Thread.ofPlatform().start(() -> {
                    while (!request.test()) {
                        Thread.onSpinWait();
                    }
                }));
            }
            for (final Thread t : testing) {
                t.join();
            }
            assertEquals(20_000, request.waitFor().bytes());
            assertFalse(work.overlapped);
            assertEquals(1, work.completes.get());
        }
    }

    @Test
    void shouldBeEitherCancelledOrCompleteWhenBothHappenAtOnce() {
        int cancelled = 0;
        for (int round = 0; round < 2000; round++) {
            final Pushes work = new Pushes(round % 100);
            final GeneralizedRequest request = started(work);
            request.cancel();
            assertTrue(request.isDone());
            final Status status = request.waitFor();
            assertEquals(status.cancelled() ? 1 : 0, work.cancels.get());
            assertEquals(1, work.completes.get());
            assertFalse(work.overlapped);
            cancelled += work.cancels.get();
        }
        assertTrue(cancelled > 0, "cancelled=" + cancelled);
    }

    @Test
    void shouldKeepPushingOthersWhenAFunctionThrowsAnError() {
        final List<GeneralizedRequest> requests = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            requests.add(started(i % 2 == 0 ? new Pushes(1000) : new Pushes(0) {
                @Override
                public boolean push() {
                    throw new StackOverflowError();
                }
            }));
        }
        for (int i = 0; i < 20; i++) {
            final GeneralizedRequest request = requests.get(i);
            if (i % 2 == 0) {
                assertEquals(1000, request.waitFor().bytes());
            } else {
                assertSame(StackOverflowError.class, assertThrows(MpiFailure.class, request::waitFor).getCause().getCause().getClass());
            }
        }
    }

    @Test
    void shouldRunActionsOnceAndOnlyWhenTheRequestIsCompleteThoughItIsUsedAgain() throws Exception {
        final Pushes work = new Pushes(3);
        final GeneralizedRequest request = new GeneralizedRequest(life, work);
        final AtomicInteger ran = new AtomicInteger();
        for (int round = 1; round <= 2000; round++) {
            request.start();
            final CountDownLatch done = new CountDownLatch(1);
            final AtomicReference<Boolean> wasDone = new AtomicReference<>();
            request.whenDone(() -> {
                wasDone.set(request.isDone());
                request.waitFor();
                ran.incrementAndGet();
                done.countDown();
            });
            assertTrue(done.await(60, TimeUnit.SECONDS));
            assertTrue(wasDone.get());
            assertEquals(round, ran.get());
        }
    }
}
