package tutti.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FelixContainerTest {
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
            assertNotNull(container.awaitService("(objectClass=org.osgi.service.startlevel.StartLevel)", Duration.ofSeconds(60)));
            assertNull(container.awaitService("(tutti.node.address=*)", Duration.ofMillis(1)));
        }
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
