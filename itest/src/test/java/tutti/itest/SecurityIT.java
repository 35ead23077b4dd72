package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of who may use a cluster: another user, and users with secrets of lower roles. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SecurityIT {
    private static final int DENIED = 5;
    private static final String NOBODY = "65534";

    @TempDir
    private Path dir;

    private static void assertRefused(final TuttiScript.Result r, final String reason) {
        assertEquals(DENIED, r.status(), r::toString);
        assertEquals(1, r.err().lines().count(), r::toString);
        assertTrue(r.err().startsWith("tutti: ") && r.err().contains(reason), r::toString);
    }

    @Test
    void shouldRefuseAnotherUserOfTheMachineAndLogIt() throws Exception {
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "only root can run a command as another user");
        final String logged;
        try (TuttiScript.Daemon daemon = new TuttiScript.Daemon(dir, "--name", "a")) {
            assertEquals(0, CommandInJvm.run("nodes", "--connect", daemon.address).status());
            for (final String command : List.of("nodes", "stop")) {
                final Process other = new ProcessBuilder("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups",
                    ProjectPaths.DIR.resolve("tutti").toString(), command, "--connect", daemon.address).directory(Path.of("/").toFile()).start();
                assertRefused(TuttiScript.finish(other, System.nanoTime()), "daemon at " + daemon.address + " refuses: no secret was given");
            }
            assertEquals(0, CommandInJvm.run("stop", "--connect", daemon.address).status());
            assertTrue(daemon.process.waitFor(60, TimeUnit.SECONDS));
            logged = daemon.err.get(60, TimeUnit.SECONDS);
        }
        assertEquals(2, logged.lines().filter(l -> l.contains("link refused: peer=127.0.0.1:") && l.contains("no secret was given")).count(), logged);
    }

    @Test
    void shouldLetTheHoldersOfSecretsDoWhatTheirRolesAllow() throws Exception {
        final Path secrets = dir.resolve("secrets");
        assertEquals(0, CommandInJvm.run("secure", "init", "--dir", secrets.toString()).status());
        TuttiScript.writeProgram(dir, "Sum", "System.out.println(rank);");
        final Map<String, String> node = Map.of("TUTTI_SECRET", secrets.resolve("node.secret").toString());
        try (TuttiScript.Daemon daemon = new TuttiScript.Daemon(dir, node, "--name", "a");
             TuttiScript.Daemon other = new TuttiScript.Daemon(dir, node, "--name", "b", "--join", daemon.address)) {
            assertRefused(CommandInJvm.run("nodes", "--connect", other.address), "the secret is not that of this cluster");
            final Map<String, String> run = Map.of("TUTTI_SECRET", secrets.resolve("run.secret").toString());
            final TuttiScript.Result ran = TuttiScript.run(dir, run, "run", "--connect", daemon.address, "-n", "2", "--map", "node", "Sum.java");
            assertEquals(List.of("0", "1"), ran.out().lines().sorted().toList(), ran::toString);
            final Map<String, String> observe = Map.of("TUTTI_SECRET", secrets.resolve("observe.secret").toString());
            assertEquals(3, TuttiScript.run(dir, observe, "nodes", "--connect", daemon.address).out().lines().count());
            assertRefused(TuttiScript.run(dir, observe, "run", "--connect", daemon.address, "-n", "2", "Sum.java"),
                "not allowed: request=run, role=observe, needed=run");
            assertRefused(
                TuttiScript.run(dir, run, "install", "--connect", daemon.address,
                    Files.write(dir.resolve("module.jar"), new byte[300_000]).toString()),
                "not allowed: request=change, role=run, needed=change");
            assertRefused(TuttiScript.run(dir, run, "stop", "--connect", daemon.address), "not allowed: request=stop, role=run, needed=node");
            assertEquals(0, TuttiScript.run(dir, node, "stop", "--connect", daemon.address).status());
        }
    }

    @Test
    void shouldNotStartANodeThatEverybodyReachesAndMayUseUnlessThatIsSaid() throws Exception {
        try (TuttiScript.Daemon daemon = new TuttiScript.Daemon(dir, "--name", "a", "--listen", "0.0.0.0:0", "--insecure")) {
            final TuttiScript.Result nodes = CommandInJvm.run("nodes", "--connect", "127.0.0.1:" + daemon.port());
            assertTrue(nodes.out().endsWith("warning: node a: everybody who reaches it may do everything, tutti.node.secret=none\n"),
                nodes::toString);
        }
        final TuttiScript.Result refused = TuttiScript.run(dir, Map.of("TUTTI_DAEMON_OPTS", "-Dtutti.node.secret=none"), "daemon", "--name", "a",
            "--listen", "0.0.0.0:0");
        assertEquals(1, refused.err().lines().count(), refused::toString);
        assertTrue(refused.err().contains("a node that listens beyond loopback needs a secret"), refused::toString);
    }
}
