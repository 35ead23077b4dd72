package tutti.daemon.cluster;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.RefusedException;

/** Tests what a node answers that does not serve links yet, or no more. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LinkAdmissionTest {
    private final LinkAdmission admission = new LinkAdmission("a", null, null);

    private String refusal() {
        return assertThrows(RefusedException.class, () -> admission.accept(null, new Hello("song", new byte[0]))).getMessage();
    }

    @Test
    void shouldSayThatTheNodeHasStoppedBeforeItWasReady() {
        admission.close();
        assertEquals("node a has stopped before it was ready", refusal());
    }

    @Test
    void shouldWaitUntilTheNodeHasOpened() throws Exception {
        final FutureTask<String> waiting = new FutureTask<>(this::refusal);
        final Thread thread = Thread.ofPlatform().daemon().start(waiting);
        await().atMost(Duration.ofSeconds(60)).until(() -> thread.getState() == Thread.State.WAITING);
        admission.open(null, Set.of());
        assertEquals("unknown purpose: song", waiting.get());
    }

    @Test
    void shouldSayThatTheNodeIsStopping() {
        Thread.currentThread().interrupt();
        assertEquals("node a is stopping", refusal());
        assertTrue(Thread.interrupted(), "whoever waits for the thread sees that it was interrupted");
    }
}
