package tutti.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.daemon.security.ClusterSecret;

/** Tests of the input by which a command holds a node. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class InputEndTest {
    private static final Duration TICK = Duration.ofMillis(50);

    private final CountDownLatch ended = new CountDownLatch(1);
    private final PipedOutputStream command = new PipedOutputStream();

    private void watch() throws Exception {
        final PipedInputStream node = new PipedInputStream(command);
        Thread.ofPlatform().daemon().start(() -> InputEnd.watch(node, TICK, ended::countDown));
    }

    @Tag("nightly")
    @Test
    void shouldEndWhenTheCommandIsNotHeardAfterASignOfLife() throws Exception {
        watch();
        command.write("secret\n\n".getBytes());
        command.flush();
        assertTrue(ended.await(60, TimeUnit.SECONDS));
    }

    @Tag("nightly")
    @Test
    void shouldNotEndWhileSignsOfLifeArriveOrWereNeverSent() throws Exception {
        watch();
        command.write("secret\n".getBytes());
        command.flush();
        assertFalse(ended.await(50 * TICK.toMillis(), TimeUnit.MILLISECONDS));
        for (int i = 0; i < 20; i++) {
            command.write('\n');
            command.flush();
            assertFalse(ended.await(3 * TICK.toMillis(), TimeUnit.MILLISECONDS));
        }
        command.close();
        assertTrue(ended.await(60, TimeUnit.SECONDS));
    }

    @Test
    void shouldSendTheSecretAndASignOfLifeAtOnce() throws Exception {
        final PipedInputStream node = new PipedInputStream(command);
        final ClusterSecret secret = ClusterSecret.random();
        InputEnd.send(command, secret);
        assertEquals(secret.text().length() + 2, node.available());
    }
}
