package tutti.runtime.serial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.runtime.model.MpiFailure;

/** Tests of {@link SerialExecutor}: one owner at a time, no lost items, order, and no deep stacks. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SerialExecutorTest {
    /** Counts without any synchronisation of its own, so that two owners at once would lose counts. */
    private static class Counter extends SerialExecutor {
        long steps;
        private final int[] last;
        int disorder;

        Counter(final int threads) {
            last = new int[threads];
        }
    }

    /** Item {@code number} of a thread. */
    private static final class Step extends WorkItem {
        private final int thread;
        private final int number;

        Step(final int thread, final int number) {
            this.thread = thread;
            this.number = number;
        }

        @Override
        protected void run(final SerialExecutor at) {
            final Counter counter = (Counter) at;
            counter.steps++;
            if (counter.last[thread] != number) {
                counter.disorder++;
            }
            counter.last[thread] = number + 1;
        }

        @Override
        protected void onFailure(final MpiFailure why) {
            throw why;
        }
    }

    @RepeatedTest(5)
    void shouldRunEveryItemOnceAndThoseOfOneThreadInOrder() throws Exception {
        final int threads = 6;
        final int each = 50_000;
        final Counter counter = new Counter(threads);
        final List<Thread> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            final int thread = t;
            all.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < each; i++) {
                    counter.submit(new Step(thread, i));
                }
            }));
        }
        for (final Thread t : all) {
            t.join();
        }
        assertEquals((long) threads * each, counter.steps);
        assertEquals(0, counter.disorder);
    }

    /** Submits itself to the next executor of a ring until its hops are used up. */
    private static final class Token extends WorkItem {
        private final Counter[] ring;
        private int hops;

        Token(final Counter[] ring, final int hops) {
            this.ring = ring;
            this.hops = hops;
        }

        @Override
        protected void run(final SerialExecutor at) {
            ((Counter) at).steps++;
            if (--hops > 0) {
                ring[hops % ring.length].submit(this);
            }
        }

        @Override
        protected void onFailure(final MpiFailure why) {
            throw why;
        }
    }

    @Test
    void shouldFollowAChainOfAMillionHandOversWithoutADeepStack() {
        final Counter[] ring = new Counter[1024];
        for (int i = 0; i < ring.length; i++) {
            ring[i] = new Counter(1);
        }
        ring[0].submit(new Token(ring, 1_000_000));
        long steps = 0;
        for (final Counter c : ring) {
            steps += c.steps;
        }
        assertEquals(1_000_000, steps);
    }

    @Test
    void shouldReportAFailedItemAndContinue() {
        final Counter counter = new Counter(1);
        final List<String> failures = new ArrayList<>();
        counter.submit(new WorkItem() {
            @Override
            protected void run(final SerialExecutor at) {
                throw new IllegalStateException("oops");
            }

            @Override
            protected void onFailure(final MpiFailure why) {
                failures.add(why.getMessage());
            }
        });
        counter.submit(new Step(0, 0));
        assertEquals(List.of("internal error: java.lang.IllegalStateException: oops"), failures);
        assertEquals(1, counter.steps);
    }

    private static final class Fails extends WorkItem {
        private final boolean handles;

        Fails(final boolean handles) {
            this.handles = handles;
        }

        @Override
        protected void run(final SerialExecutor at) {
            throw new IllegalStateException("run");
        }

        @Override
        protected void onFailure(final MpiFailure why) {
            if (!handles) {
                throw new IllegalStateException("onFailure", why);
            }
        }
    }

    /** Fails to settle, and perhaps to handle that. */
    private static final class Breaks extends Counter {
        private final boolean handles;
        private final List<String> broken = new ArrayList<>();

        Breaks(final boolean handles) {
            super(1);
            this.handles = handles;
        }

        @Override
        protected void settle() {
            throw new AssertionError("settle");
        }

        @Override
        protected void broken(final Throwable why) {
            broken.add(why.getMessage());
            if (!handles) {
                throw new IllegalStateException("broken");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldContinueWhateverAnItemOrTheExecutorThrows(final boolean handles) {
        final Breaks at = new Breaks(handles);
        at.submit(new Fails(handles));
        at.submit(new Step(0, 0));
        final Counter other = new Counter(1);
        other.submit(new WorkItem() {
            @Override
            protected void run(final SerialExecutor first) {
                // queued, as an item of another executor is running
                at.submit(new Fails(handles));
                at.submit(new Step(0, 1));
            }

            @Override
            protected void onFailure(final MpiFailure why) {
                throw why;
            }
        });
        assertTrue(at.tryRun(new Step(0, 2)), "nobody is the owner");
        assertEquals(3, at.steps);
        assertEquals(0, at.disorder);
        assertEquals(handles ? List.of("settle", "settle", "settle", "settle")
            : List.of("onFailure", "settle", "settle", "onFailure", "settle", "settle"), at.broken);
    }

    @Test
    void shouldNotRunAtOnceWhileAnotherThreadIsTheOwner() throws Exception {
        final Counter counter = new Counter(1);
        counter.submit(new WorkItem() {
            @Override
            protected void run(final SerialExecutor at) {
                final Thread other = Thread.ofPlatform().start(() -> assertFalse(counter.tryRun(new Step(0, 5))));
                try {
                    other.join();
                } catch (final InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            protected void onFailure(final MpiFailure why) {
                throw why;
            }
        });
        assertEquals(0, counter.steps);
    }
}
