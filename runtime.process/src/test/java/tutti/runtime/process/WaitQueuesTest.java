package tutti.runtime.process;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

class WaitQueuesTest {
    @Test
    void shouldProvideAQueueForEachThreadWhereTheKernelAllowsIt() throws Throwable {
        WaitQueues.reserve(1_000);
        assumeTrue(WaitQueues.slots() > 0, "this kernel has no queues per process");
        assertTrue(WaitQueues.slots() >= 1_000);
    }

    @Test
    void shouldNotTakeQueuesAway() throws Throwable {
        WaitQueues.reserve(500);
        final int before = WaitQueues.slots();
        WaitQueues.reserve(10);
        assertTrue(WaitQueues.slots() >= before);
    }
}
