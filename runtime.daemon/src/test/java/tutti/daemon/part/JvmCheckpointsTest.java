package tutti.daemon.part;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tutti.daemon.channel.ControlChannel;
import tutti.runtime.process.LogLines;

/** Tests the checkpoints of a job whose JVM has lost its node. */
class JvmCheckpointsTest {
    @RegisterExtension
    private final LogLines log = new LogLines(JvmCheckpoints.class);

    @Test
    void shouldSayThatCheckpointsStayWhenTheNodeDoesNotRemoveThem(@TempDir final Path dir) {
        final ControlChannel link = ControlChannel.open();
        link.closed(null, new IOException("the link is lost"));
        final JvmCheckpoints checkpoints = new JvmCheckpoints(dir, 0, link.conversation().peer(CheckpointFiles.class));
        checkpoints.removeOlder(3);
        log.assertLine("checkpoints stay: step=remove older, number=3, reason=the link is lost");
        checkpoints.discard(4);
        log.assertLine("checkpoints stay: step=discard, number=4, reason=the link is lost");
    }
}
