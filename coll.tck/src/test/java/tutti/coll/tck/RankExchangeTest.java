package tutti.coll.tck;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checks when the exchange between virtual ranks reports a deadlock. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RankExchangeTest {
    private static final int LEAVING = 500;
    private static final RankExchange.MessageQueue QUEUE = new RankExchange.MessageQueue("world", 0, 1, 0);

    private static FutureTask<byte[]> receiving(final RankExchange exchange) {
        final FutureTask<byte[]> task = new FutureTask<>(() -> {
            final byte[] into = new byte[1];
            exchange.recv(QUEUE, into);
            return into;
        });
        final Thread thread = Thread.ofPlatform().daemon().start(task);
        while (thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        return task;
    }

    @Test
    void shouldLetARankWaitWhileOthersLeaveAndOneComputes() throws InterruptedException, ExecutionException {
        final RankExchange exchange = new RankExchange(LEAVING + 2);
        final FutureTask<byte[]> received = receiving(exchange);
        for (int i = 0; i < LEAVING; i++) {
            exchange.leave();
            Thread.yield();
        }
        assertNull(exchange.failure());
        exchange.send(QUEUE, new byte[] {7});
        assertArrayEquals(new byte[] {7}, received.get());
    }

    @Test
    void shouldReportADeadlockWhenTheLastRankThatComputesLeaves() {
        final RankExchange exchange = new RankExchange(2);
        final FutureTask<byte[]> received = receiving(exchange);
        exchange.leave();
        assertNotNull(exchange.failure());
        assertThrows(ExecutionException.class, received::get);
    }
}
