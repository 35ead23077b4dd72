package tutti.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tutti.cli.hosts.LaunchCommand;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.security.ClusterSecret;

/** Tests how long a run waits for its nodes, with processes that only say that they are ready, at an address where nothing listens. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RunClusterTest {
    private static final String UNTIL_INPUT_ENDS = "; cat > /dev/null";

    @TempDir
    private Path dir;

    private static LaunchCommand node(final String name, final String script) {
        return new LaunchCommand(List.of(name), List.of("sh", "-c", script), true);
    }

    private static LaunchCommand ready(final String name, final String then) {
        return node(name, "echo " + new ReadyLine(name, ConnectOption.parse("127.0.0.1:1")) + then);
    }

    private String untilTold() {
        return "; while [ ! -e " + dir.resolve("end") + " ]; do sleep 0.1; done; echo no more memory; exit 3";
    }

    /** Returns why the nodes do not become a cluster. Before, the run waits as long as the process of the second node is there. */
    private String failure(final LaunchCommand first, final LaunchCommand second) throws Exception {
        try (RunCluster cluster = RunCluster.start(List.of(first, second), ClusterSecret.random(), List.of())) {
            final FutureTask<Contact> joining = new FutureTask<>(cluster::join);
            Thread.ofPlatform().daemon().start(joining);
            assertThrows(TimeoutException.class, () -> joining.get(1, TimeUnit.SECONDS));
            assertFalse(joining.isDone());
            Files.createFile(dir.resolve("end"));
            final ExecutionException e = assertThrows(ExecutionException.class, () -> joining.get(60, TimeUnit.SECONDS));
            final CommandFailure failure = assertInstanceOf(CommandFailure.class, e.getCause());
            assertEquals(ExitStatus.NO_CLUSTER, failure.status());
            return failure.getMessage();
        }
    }

    @Test
    void shouldWaitForAReadyNodeUntilItsProcessEnds() throws Exception {
        assertEquals("cluster does not start: node b ended before it was ready: sh ended with status 3: no more memory",
            failure(ready("a", UNTIL_INPUT_ENDS), node("b", "true" + untilTold())));
    }

    @Test
    void shouldWaitForANodeToJoinUntilItsProcessEnds() throws Exception {
        assertEquals("cluster does not start: node b ended before all nodes had joined: sh ended with status 3: no more memory",
            failure(ready("a", UNTIL_INPUT_ENDS), ready("b", untilTold())));
    }

    @Test
    void shouldSayThatTheNodeToJoinHasEnded() throws Exception {
        assertEquals("cluster does not start: node a ended before all nodes had joined: sh ended with status 3: no more memory",
            failure(ready("a", untilTold()), ready("b", UNTIL_INPUT_ENDS)));
    }
}
