package tutti.daemon.control;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertFalse;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tutti.daemon.modules.ChangeCoordinator;
import tutti.daemon.modules.ModuleStores;
import tutti.daemon.part.ScriptedHost;
import tutti.daemon.protocol.ModuleChange;
import tutti.runtime.process.LogLines;

/** Tests that a node withdraws a change of modules whose command ends while the change waits. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ChangeWithdrawalTest {
    @RegisterExtension
    private final LogLines log = new LogLines(ChangeCoordinator.class);
    @TempDir
    private Path dir;

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(ChangeCoordinator.class);
    }

    @BeforeEach
    void listen() {
        logger().setLevel(Level.INFO);
    }

    @AfterEach
    void stop() {
        logger().setLevel(null);
    }

    @Tag("nightly")
    @Test
    void shouldWithdrawAChangeThatWaitsForAnotherOneWhenItsCommandEnds() throws Exception {
        try (TestNode node = new TestNode("a", Files.createDirectories(dir.resolve("a")), new ScriptedHost())) {
            final Runnable other = ModuleStores.reserve(node.store(), "other");
            final CompletableFuture<String> change;
            try (TestClient command = new TestClient(node.address())) {
                change = command.requests().change(new ModuleChange(ModuleChange.Kind.UNINSTALL, "nosuch", null, null, List.of("a"), false, false),
                    false, InputStream.nullInputStream()).toCompletableFuture();
                // that it waits for node a
                log.awaitLine("change a-");
                assertFalse(change.isDone());
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> log.lines().getLast()
                .endsWith(" of modules is withdrawn, since the command that requested it has ended"));
            other.run();
            // the node is free
            ModuleStores.reserve(node.store(), "next").run();
        }
    }
}
