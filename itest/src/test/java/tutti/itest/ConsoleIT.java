package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Writer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;

/** Tests the Gogo commands in a node's container, and the console of a daemon. */
@Tag("nightly")
@Timeout(value = 480, unit = TimeUnit.SECONDS)
class ConsoleIT {
    private static final String PROCESSOR = "org.apache.felix.service.command.CommandProcessor";
    private static final String VERSION = "0\\.1\\.0\\S*";

    @TempDir
    private Path dir;

    /** A Gogo session, used by reflection because its interfaces are not on the class path of the tests. */
    private record Gogo(Object session, Method execute) {
        static Gogo of(final BundleContext context) throws Exception {
            final ServiceReference<?> processor = context.getServiceReference(PROCESSOR);
            final Method create = processor.getBundle().loadClass(PROCESSOR).getMethod("createSession", InputStream.class, OutputStream.class,
                OutputStream.class);
            final Object session = create.invoke(context.getService(processor), InputStream.nullInputStream(), OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream());
            return new Gogo(session, create.getReturnType().getMethod("execute", CharSequence.class));
        }

        String run(final String command) throws Exception {
            try {
                return String.valueOf(execute.invoke(session, command));
            } catch (final InvocationTargetException e) {
                throw (Exception) e.getCause();
            }
        }
    }

    @Test
    void shouldExecuteGogoCommandsInTheContainer() throws Exception {
        try (NativeNode node = new NativeNode(dir, ProjectPaths.OPTIONAL.resolve("org.apache.felix.gogo.runtime.jar"))) {
            final String address = node.awaitAddress();
            final Gogo gogo = Gogo.of(node.context());
            await().atMost(Duration.ofSeconds(60)).ignoreExceptions()
                .until(() -> gogo.run("tutti:modules").lines().count() == 1 + ProjectPaths.DEFAULT_MODULES.size());
            assertTrue(gogo.run("tutti:modules").matches("(?s)NAME +VERSION +SHA-256 .*\nbasic +" + VERSION + " +[0-9a-f]{12} +n +-\n.*"),
                gogo.run("tutti:modules"));
            assertTrue(gogo.run("tutti:nodes").lines().toList().get(1).startsWith("n     " + address + "  "),
                gogo.run("tutti:nodes"));
            assertTrue(gogo.run("tutti:info").startsWith("n  tutti 0.1.0"), gogo.run("tutti:info"));
            assertTrue(gogo.run("tutti:jobs").matches("JOB +STATE [^\n]*\n"), gogo.run("tutti:jobs"));
            assertEquals(gogo.run("tutti:jobs"), gogo.run("tutti:ps"));
            assertTrue(gogo.run("tutti:ps --all").matches("JOB +STATUS [^\n]*\n"), gogo.run("tutti:ps --all"));
            assertTrue(gogo.run("tutti:nodes --json").contains("\"name\" : \"n\""), gogo.run("tutti:nodes --json"));
            assertTrue(gogo.run("tutti:doctor").lines().allMatch(l -> l.matches("(ok|warning) +node n: .*")), gogo.run("tutti:doctor"));
            assertTrue(gogo.run("tutti:checkpoints").lines().count() <= 1, gogo.run("tutti:checkpoints"));
            assertRefused(gogo, "tutti:ps a-1", "a job goes with --ranks, and with --json at most; usage: tutti:ps ");
            assertRefused(gogo, "tutti:ps a-1 --ranks", "no such job: id=a-1; list them with: tutti:ps");
            assertRefused(gogo, "tutti:nodes --connect h:1", "the console asks the node of its container: leave out --connect; usage: tutti:nodes");
            assertRefused(gogo, "tutti:info --xml", "unknown option: --xml; usage: tutti:info [--json]");
            assertRefused(gogo, "tutti:cancel", "missing job; usage: tutti:cancel JOB");
            assertRefused(gogo, "tutti:cancel a-1", "no such job: id=a-1; list them with: tutti:ps");
            assertRefused(gogo, "tutti:checkpoints --remove", "missing value: --remove; usage: tutti:checkpoints");
            assertRefused(gogo, "tutti:checkpoints --remove=a-1", "no such series of checkpoints: series=a-1; list them with: tutti checkpoints");
            assertRefused(gogo, "tutti:explain bcats", "no such operation: bcats; did you mean bcast?");
            assertRefused(gogo, "tutti:explain bcast --bytes 8x", "invalid size: --bytes 8x, expected 8, 64K, 1M or 2G");
            assertRefused(gogo, "tutti:explain bcast -n few", "not a number of ranks: -n few; usage: tutti:explain ");
            assertRefused(gogo, "tutti:explain bcast --group a", "invalid ranks: --group a, expected 0..3,7");
            assertRefused(gogo, "tutti:explain bcast -p coll.select=none", "no such module: coll.select=none; there are: basic, ");
            final String selected = gogo.run("tutti:explain bcast allreduce -n 3 --bytes 1K -p coll.select=tree,basic");
            assertEquals(CommandInJvm.run("explain", "bcast", "allreduce", "-n", "3", "--bytes", "1K", "-p", "coll.select=tree,basic",
                "--connect", address).out(), selected);
            assertTrue(selected.contains("\nallreduce"), selected);
            assertTrue(gogo.run("tutti:explain bcast --json").startsWith("["), gogo.run("tutti:explain bcast --json"));
            assertTrue(gogo.run("tutti:explain").matches("(?s)basic " + VERSION + "\n.*"), gogo.run("tutti:explain"));
        }
    }

    private static void assertRefused(final Gogo gogo, final String command, final String message) {
        final Exception e = assertThrows(Exception.class, () -> gogo.run(command));
        assertTrue(String.valueOf(e.getMessage()).startsWith(message), () -> command + ": " + e);
    }

    private static String find(final BufferedReader lines, final String regex) throws Exception {
        String line = lines.readLine();
        while (line != null && !line.matches(regex)) {
            line = lines.readLine();
        }
        assertNotNull(line, "output ended without: " + regex);
        return line;
    }

    private static void send(final Writer to, final String command) throws Exception {
        to.write(command + "\n");
        to.flush();
    }

    @Test
    void shouldKeepTheNodeRunningWhenItsConsoleEnds() throws Exception {
        final Process daemon = TuttiScript.start(dir, Map.of(), "daemon", "--name", "c", "--console");
        try {
            final BufferedReader out = daemon.inputReader(StandardCharsets.UTF_8);
            final String ready = find(out, "ready c .*");
            final String address = ready.substring("ready c ".length());
            try (Writer in = daemon.outputWriter(StandardCharsets.UTF_8)) {
                send(in, "tutti:modules");
                find(out, "basic +" + VERSION + " .* c +-");
            }
            find(out, ".*stopping shell.*");
            final TuttiScript.Result nodes = CommandInJvm.run("nodes", "--connect", address);
            assertEquals(0, nodes.status(), nodes::toString);
            TuttiScript.writeProgram(dir, "Hello", "System.out.println(\"rank \" + rank);");
            final TuttiScript.Result run = CommandInJvm.run("run", "--connect", address, "-n", "2", dir.resolve("Hello.java").toString());
            assertEquals(List.of("rank 0", "rank 1"), run.out().lines().sorted().toList(), run::toString);
            assertEquals(0, CommandInJvm.run("stop", "--connect", address).status());
            assertTrue(daemon.waitFor(60, TimeUnit.SECONDS));
            assertEquals(0, daemon.exitValue());
        } finally {
            daemon.destroyForcibly();
        }
    }

    @Test
    void shouldEndWhenTheConsoleStopsTheContainer() throws Exception {
        final Process daemon = TuttiScript.start(dir, Map.of(), "daemon", "--name", "c", "--console");
        try (Writer in = daemon.outputWriter(StandardCharsets.UTF_8)) {
            find(daemon.inputReader(StandardCharsets.UTF_8), "ready c .*");
            send(in, "felix:stop 0");
            assertTrue(daemon.waitFor(60, TimeUnit.SECONDS));
            assertEquals(0, daemon.exitValue());
        } finally {
            daemon.destroyForcibly();
        }
    }
}
