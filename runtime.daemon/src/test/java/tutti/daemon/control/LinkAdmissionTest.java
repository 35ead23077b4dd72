package tutti.daemon.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.RefusedException;

/** Tests what a node answers that does not serve links yet, or no more. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class LinkAdmissionTest {
    private final CompletableFuture<Void> opened = new CompletableFuture<>();

    private String refusal() {
        final LinkAdmission admission = new LinkAdmission("a", null, opened, Set::of, null, null);
        return assertThrows(RefusedException.class, () -> admission.accept(null, new Hello(Protocol.CLIENT, new byte[0]))).getMessage();
    }

    @Test
    void shouldSayWhyTheNodeCannotStart() {
        opened.completeExceptionally(new IOException("address is taken"));
        assertEquals("node a cannot start: address is taken", refusal());
    }

    @Test
    void shouldSayThatTheNodeIsStopping() {
        Thread.currentThread().interrupt();
        assertEquals("node a is stopping", refusal());
        assertTrue(Thread.interrupted(), "whoever waits for the thread sees that it was interrupted");
    }
}
