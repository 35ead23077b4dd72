package tutti.daemon.channel;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of credit that threads wait for. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CreditsTest {
    private final Credits credits = new Credits(100);
    private final List<Thread> threads = new ArrayList<>();

    private FutureTask<Boolean> acquire(final int bytes) {
        return acquire(bytes, () -> {});
    }

    /** Acquires credit on a new thread; returns when the thread waits, or has ended. */
    private FutureTask<Boolean> acquire(final int bytes, final Runnable then) {
        final FutureTask<Boolean> task = new FutureTask<>(() -> {
            final boolean got = credits.acquire(bytes);
            then.run();
            return got;
        });
        final Thread thread = Thread.ofPlatform().daemon().start(task);
        threads.add(thread);
        await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(2)).until(() -> switch (thread.getState()) {
            case WAITING, TIMED_WAITING, TERMINATED -> true;
            default -> false;
        });
        return task;
    }

    @AfterEach
    void release() {
        credits.close();
    }

    @Test
    void shouldBlockASenderUntilCreditIsReturned() throws Exception {
        assertTrue(credits.acquire(60));
        final FutureTask<Boolean> second = acquire(60);
        assertFalse(second.isDone());
        credits.grant(19);
        final FutureTask<Boolean> third = acquire(1);
        assertFalse(second.isDone());
        credits.grant(2);
        assertTrue(second.get(60, TimeUnit.SECONDS));
        assertTrue(third.get(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldWaitForCreditNoLongerThanTheLimit() throws Exception {
        assertTrue(credits.acquire(100, Duration.ofSeconds(60)));
        assertEquals("no credit: bytes=1, limit=0 s",
            assertThrows(TimeoutException.class, () -> credits.acquire(1, Duration.ofMillis(1))).getMessage());
        credits.grant(1);
        assertTrue(credits.acquire(1, Duration.ofSeconds(60)), "the failed attempt has taken credit");
    }

    @Test
    void shouldServeThreadsInTheOrderOfTheirCalls() throws Exception {
        final Queue<Integer> served = new ConcurrentLinkedQueue<>();
        assertTrue(credits.acquire(90));
        final FutureTask<Boolean> large = acquire(100, () -> served.add(100));
        final FutureTask<Boolean> small = acquire(1, () -> served.add(1));
        assertFalse(small.isDone(), "a small request overtook a large one, which might then wait for ever");
        credits.grant(90);
        assertTrue(large.get(60, TimeUnit.SECONDS));
        credits.grant(100);
        assertTrue(small.get(60, TimeUnit.SECONDS));
        assertEquals(List.of(100, 1), List.copyOf(served));
    }

    @Test
    void shouldWakeAllWhenClosedAndGrantNoMoreCredit() throws Exception {
        assertTrue(credits.acquire(100));
        final List<FutureTask<Boolean>> waiters = List.of(acquire(1), acquire(100), acquire(50));
        credits.close();
        for (final FutureTask<Boolean> w : waiters) {
            assertFalse(w.get(60, TimeUnit.SECONDS));
        }
        credits.grant(100);
        assertFalse(credits.acquire(1));
    }

    @Test
    void shouldNotExceedTheLimit() throws Exception {
        credits.grant(Integer.MAX_VALUE);
        credits.grant(Integer.MAX_VALUE);
        assertTrue(credits.acquire(100));
        final FutureTask<Boolean> more = acquire(1);
        assertFalse(more.isDone());
        credits.grant(1);
        assertTrue(more.get(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldReleaseAnInterruptedThreadAndServeTheNext() throws Exception {
        assertTrue(credits.acquire(100));
        final FutureTask<Boolean> first = acquire(60);
        final FutureTask<Boolean> second = acquire(60);
        threads.getFirst().interrupt();
        await().atMost(Duration.ofSeconds(60)).until(first::isDone);
        assertEquals(FutureTask.State.FAILED, first.state());
        credits.grant(60);
        assertTrue(second.get(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldReturnCreditInQuartersOfTheLimitAndLoseNone() {
        final List<Integer> posted = new ArrayList<>();
        final CreditBatch credit = new CreditBatch(100, posted::add);
        for (final int bytes : new int[] {24, 1, 10, 10, 200, 5, 20}) {
            credit.consumed(bytes);
        }
        assertEquals(List.of(25, 220, 25), posted);
    }
}
