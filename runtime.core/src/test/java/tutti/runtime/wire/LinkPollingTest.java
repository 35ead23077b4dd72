package tutti.runtime.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import tutti.runtime.transport.Link;

class LinkPollingTest {
    private final LinkPolling polling = new LinkPolling();
    private final CountingLink link = new CountingLink();

    /** Counts its calls. */
    private static final class CountingLink implements Link {
        private int polls;
        private int served;
        private boolean isMemory;

        @Override
        public boolean poll() {
            return polls++ == 0;
        }

        @Override
        public boolean isPolledWithoutSystemCall() {
            return isMemory;
        }

        @Override
        public void serve() {
            served++;
        }

        @Override
        public boolean trySend(final byte[] header, final int headerBytes, final MemorySegment payload, final long payloadOffset,
            final int payloadBytes) {
            throw new AssertionError();
        }

        @Override
        public int maxFrame() {
            throw new AssertionError();
        }

        @Override
        public String peer() {
            throw new AssertionError();
        }

        @Override
        public void close() {
            throw new AssertionError();
        }
    }

    @Test
    void shouldFindNothingWithoutLinks() {
        assertFalse(polling.hasLinks());
        assertFalse(polling.poll());
        polling.add(link);
        assertTrue(polling.hasLinks());
    }

    @Test
    void shouldPollAllLinksAndTellWhetherAnythingCame() {
        final CountingLink other = new CountingLink();
        polling.add(link);
        polling.add(other);
        assertTrue(polling.poll());
        assertFalse(polling.poll());
        assertEquals(2, link.polls);
        assertEquals(2, other.polls);
    }

    @Test
    void shouldPollOnlyLinksThatNeedNoSystemCallBetweenOtherPolls() {
        final CountingLink memory = new CountingLink();
        memory.isMemory = true;
        polling.add(link);
        polling.add(memory);
        assertTrue(polling.pollMemory());
        assertFalse(polling.pollMemory());
        polling.remove(memory);
        assertFalse(polling.pollMemory());
        assertEquals(2, memory.polls);
        assertEquals(0, link.polls);
    }

    @Test
    void shouldKeepTheLinksWhenTheLastThreadHasWhatItWaitedFor() {
        polling.add(link);
        polling.begin();
        polling.end();
        assertFalse(polling.isWakeUpNeeded());
        assertEquals(0, link.served);
    }

    @Test
    void shouldNotLeaveTheLinksToNobodyWhileAThreadIsParked() {
        polling.parking();
        assertTrue(polling.isWakeUpNeeded());
        polling.begin();
        assertFalse(polling.isWakeUpNeeded());
        polling.end();
        assertTrue(polling.isWakeUpNeeded());
        polling.unparked();
        assertFalse(polling.isWakeUpNeeded());
    }

    @Test
    void shouldGiveTheLinksBackWhenAThreadParksAndNonePolls() {
        polling.add(link);
        polling.begin();
        polling.end();
        polling.parking();
        assertEquals(1, link.served);
    }

    @Test
    void shouldGiveTheLinksBackWhenTheLastThreadStopsPollingWhileAnotherIsParked() {
        polling.add(link);
        polling.begin();
        polling.begin();
        polling.parking();
        assertEquals(0, link.served);
        polling.end();
        assertEquals(0, link.served);
        polling.end();
        assertEquals(1, link.served);
        polling.unparked();
        polling.begin();
        polling.end();
        assertEquals(1, link.served);
    }
}
