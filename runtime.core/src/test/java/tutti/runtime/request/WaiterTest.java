package tutti.runtime.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.lifecycle.MessagePolling;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.model.Status;

/** Waits on a machine that has more busy threads than cores. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class WaiterTest {
    private static final int BUSY = Runtime.getRuntime().availableProcessors() + 1;
    private static final int SHORT = 20;
    private static final int LONG = 500;

    private final Links links = new Links();
    private final RankLifecycle life = new RankLifecycle(links);

    /** A request that a message completes. */
    private static final class Awaited extends Request {
        Awaited(final RankLifecycle lifecycle) {
            super(lifecycle);
        }

        void complete() {
            finish(null);
        }

        @Override
        public Status status() {
            return Status.EMPTY;
        }

        @Override
        public Pending pendingOperation() {
            throw new AssertionError("nobody asks what the test waits for");
        }
    }

    /** Links that have the message of a request at some poll, and at the latest when the thread parks. */
    private static final class Links implements MessagePolling {
        private boolean present = true;
        private Awaited request;
        private int pollOfMessage;
        private int polls;
        private boolean parked;

        @Override
        public boolean hasLinks() {
            return present;
        }

        @Override
        public void begin() {
            throw new AssertionError("a thread spins on a busy machine");
        }

        @Override
        public boolean poll() {
            polls++;
            if (polls == pollOfMessage) {
                request.complete();
            }
            return polls == pollOfMessage;
        }

        @Override
        public boolean pollMemory() {
            return false;
        }

        @Override
        public void end() {
            throw new AssertionError("a thread has spun on a busy machine");
        }

        @Override
        public void parking() {
            parked = true;
            if (!request.isDone()) {
                request.complete();
            }
        }

        @Override
        public void unparked() {
            // nothing to note
        }
    }

    @BeforeEach
    void makeBusy() {
        for (int i = 0; i < BUSY; i++) {
            CoreOccupancy.enter();
        }
    }

    @AfterEach
    void makeIdle() {
        for (int i = 0; i < BUSY; i++) {
            CoreOccupancy.leave();
        }
    }

    /** Waits for a message that arrives at a poll; returns the number of polls. */
    private int await(final int pollOfMessage, final boolean any) {
        links.request = new Awaited(life);
        links.pollOfMessage = pollOfMessage;
        links.polls = 0;
        links.parked = false;
        if (any) {
            assertEquals(1, Waiter.current().awaitAny(new Request[] {null, links.request}, life));
        } else {
            assertTrue(Waiter.current().await(links.request, 0));
        }
        assertTrue(links.request.isDone());
        return links.polls;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldPollLinksBeforeItParksLongerThanItWaitsForThreadsOfItsJvm(final boolean any) {
        // a yield that comes back late, for the machine may be busy indeed, ends a wait and makes some others short
        int polls = 0;
        while (polls < LONG) {
            polls = await(LONG, any);
            assertEquals(polls < LONG, links.parked);
        }
        links.present = false;
        for (int i = 0; i < LONG; i++) {
            assertTrue(await(LONG, any) <= SHORT);
            assertTrue(links.parked);
        }
    }

    @Test
    void shouldEndEachWaitWhereverItsMessageArrives() {
        for (int i = 1; i < 4 * LONG; i++) {
            assertTrue(await(i, false) <= i);
        }
    }
}
