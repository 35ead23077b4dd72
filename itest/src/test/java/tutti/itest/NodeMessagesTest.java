package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that the page on messages of nodes and errors of calls is the one that the sources make. */
@Timeout(value = 480, unit = TimeUnit.SECONDS)
class NodeMessagesTest {
    @Test
    void shouldHaveWhatNodesLogAndRefuseAndAllErrorsOfCalls() throws Exception {
        final String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        final Process check = new ProcessBuilder(java, "-XX:TieredStopAtLevel=1", "cnf/Messages.java", "--check").directory(ProjectPaths.DIR.toFile())
            .start();
        final TuttiScript.Result r = TuttiScript.finish(check, System.nanoTime());
        assertEquals(0, r.status(), r::toString);
    }
}
