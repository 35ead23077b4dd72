package tutti.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.ServiceReference;
import tutti.runtime.liveness.LiveWait;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FelixContainerTest {
    private static final LiveWait NO_SAYING = new LiveWait("", () -> true, line -> {});

    @TempDir
    private Path dir;
    private Path bundles;

    @BeforeEach
    void makeFolder() throws Exception {
        bundles = Files.createDirectory(dir.resolve("bundles"));
    }

    private FelixContainer start() throws Exception {
        return FelixContainer.start(bundles, dir.resolve("container"), Map.of(), () -> false);
    }

    @Test
    void shouldFindAServiceByItsProperties() throws Exception {
        try (FelixContainer container = start()) {
            assertNotNull(container.awaitService("(objectClass=org.osgi.service.startlevel.StartLevel)", NO_SAYING));
        }
    }

    @Test
    void shouldWaitForAServiceUntilTheFrameworkStops() throws Exception {
        final FelixContainer container = start();
        final FutureTask<ServiceReference<?>> waiting = new FutureTask<>(() -> container.awaitService("(tutti.node.address=*)", NO_SAYING));
        final Thread thread = Thread.ofPlatform().daemon().start(waiting);
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertFalse(waiting.isDone());
        container.close();
        assertNull(waiting.get(60, TimeUnit.SECONDS));
        assertNull(container.awaitService("(tutti.node.address=*)", NO_SAYING));
    }

    @Test
    void shouldNoticeThatTheFrameworkStops() throws Exception {
        final FelixContainer container = start();
        final CompletableFuture<Void> stopping = CompletableFuture.runAsync(() -> {
            try {
                container.awaitStopping();
            } catch (final InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertFalse(stopping.isDone());
        container.close();
        stopping.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldNotStartWhenItIsCancelled() {
        assertEquals("start of the container was cancelled", assertThrows(CancellationException.class,
            () -> FelixContainer.start(bundles, dir.resolve("container"), Map.of(), () -> true)).getMessage());
    }
}
