package tutti.runtime.process.owner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RankInputTest {
    private final List<String> told = new ArrayList<>();
    private final CountDownLatch waiting = new CountDownLatch(1);
    private final RankInput input = new RankInput(() -> told.add("requested"), () -> {
        told.add("waits");
        waiting.countDown();
    }, () -> told.add("goes on"));

    @Test
    void shouldTellOfAWaitAndItsEnd() throws InterruptedException, IOException {
        final Thread supplier = Thread.ofPlatform().start(() -> {
            try {
                waiting.await();
            } catch (final InterruptedException e) {
                throw new IllegalStateException(e);
            }
            input.supply(new byte[] {7});
        });
        assertEquals(7, input.read());
        supplier.join();
        assertEquals(List.of("requested", "waits", "goes on"), told);
    }

    @Test
    void shouldTellOfNoWaitWhenTheDataIsThere() throws IOException {
        final RankInput[] own = new RankInput[1];
        own[0] = new RankInput(() -> own[0].supply(new byte[] {7}), () -> told.add("waits"), () -> told.add("goes on"));
        assertEquals(7, own[0].read());
        assertEquals(List.of(), told);
    }

    @Test
    void shouldTellOfTheEndOfAWaitThatIsInterrupted() {
        Thread.currentThread().interrupt();
        assertThrows(InterruptedIOException.class, input::read);
        Thread.interrupted();
        assertEquals(List.of("requested", "waits", "goes on"), told);
    }
}
