package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests trials of modules in running jobs: what is wrong or slow is found and removed, and the job computes right results meanwhile. */
@Tag("nightly")
@SuppressWarnings("try")
@Timeout(value = 900, unit = TimeUnit.SECONDS)
class CanaryIT {
    private static final int FAILED = 1;
    private static final int SMALL = 1000;
    private static final int LARGE = 400_000;
    @TempDir
    private static Path dir;
    private static ThreeNodeCluster cluster;
    private static ModuleBundles modules;
    private static Path first;

    @BeforeAll
    static void start() throws Exception {
        cluster = ThreeNodeCluster.shared();
        modules = new ModuleBundles(dir);
        first = modules.linear("1.0.0", 0, 0);
        // broadcasts of two sizes until it reads a line
        TuttiScript.writeProgram(dir, "SpreadsOn", """
            boolean[] isRead = {false};
            if (rank == 0) {
                Thread reader = new Thread(() -> {
                    try { System.in.read(); } catch (java.io.IOException e) { System.err.println(e); }
                    synchronized (isRead) { isRead[0] = true; }
                });
                reader.start();
                System.out.println("up");
            }
            byte[][] data = {new byte[1000], new byte[400_000]};
            boolean isOver = false;
            for (int n = 0; !isOver; n++) {
                byte[] of = data[n % 2];
                int root = n % size;
                if (rank == root) {
                    for (int i = 0; i < of.length; i++) { of[i] = (byte) (i / 100 + n); }
                    synchronized (isRead) { of[0] = (byte) (isRead[0] && rank == 0 ? 1 : 0); }
                }
                MPI.COMM_WORLD.bcast(of, of.length, MPI.BYTE, root);
                for (int i = 1; i < of.length; i++) {
                    if (of[i] != (byte) (i / 100 + n)) { throw new AssertionError("call " + n + ", byte " + i + ": " + of[i]); }
                }
                isOver = of[0] == 1;
            }""");
        TuttiScript.compile(dir, "SpreadsOn");
    }

    @BeforeEach
    void install() throws Exception {
        cluster.uninstallAdded();
        cluster.run("install", "--force", "--no-verify", first);
    }

    @AfterEach
    void clear() throws Exception {
        cluster.uninstallAdded();
    }

    /** A job that broadcasts all the time. */
    private static final class SpreadingJob implements AutoCloseable {
        private final CommandInJvm.Running command;
        private final String id;

        SpreadingJob(final String... options) throws Exception {
            final List<String> line = new ArrayList<>(List.of("-n", "6", "-p", "coll.live=follow", "-p", "coll.prove=install"));
            line.addAll(List.of(options));
            line.addAll(List.of("--cp", dir.toString(), "SpreadsOn"));
            command = CommandInJvm.start(ThreeNodeCluster.commandLine(cluster.a, "run", line.toArray(String[]::new)));
            assertEquals(List.of("up"), command.lines(1));
            id = cluster.run("ps").lines().toList().getLast().split(" +")[0];
        }

        String modules() throws Exception {
            return cluster.run("ps").lines().filter(l -> l.startsWith(id)).findFirst().orElseThrow();
        }

        @Override
        public void close() throws Exception {
            command.in.write('\n');
            final TuttiScript.Result r = command.end();
            assertEquals(0, r.status(), r::toString);
        }
    }

    private static TuttiScript.Result tryOut(final Path module, final String... options) throws Exception {
        final List<String> line = new ArrayList<>(List.of(module.toString(), "--live", "--no-verify", "--canary", "50%", "--budget", "60%"));
        line.addAll(List.of(options));
        return cluster.tutti("update", line.toArray(String[]::new));
    }

    private static void assertMatches(final String regex, final String text) {
        assertTrue(Pattern.compile(regex, Pattern.DOTALL).matcher(text).find(), () -> "expected " + regex + " in:\n" + text);
    }

    @Test
    void shouldRefuseAModuleThatIsWrongAtOneSize() throws Exception {
        try (SpreadingJob job = new SpreadingJob()) {
            final TuttiScript.Result r = tryOut(modules.linear("1.1.0", LARGE, 0));
            assertEquals(FAILED, r.status(), r::toString);
            assertMatches("job " + job.id + ", MPI_COMM_WORLD, 6 ranks: linear 1.1.0 beside linear 1.0.0: wrong", r.out());
            assertMatches("bcast of 400000 bytes, call \\d+, rank \\d: byte 0: expected .*, got ", r.out());
            assertMatches("linear 1.1.0 is refused and quarantined: job " + job.id, r.out());
            assertMatches("quarantined: linear 1.1.0: job " + job.id, cluster.run("modules"));
            assertMatches("linear 1.0.0", job.modules());
            assertFalse(cluster.addedModules().toString().contains("linear 1.1.0"));
        }
    }

    @Test
    void shouldRefuseAModuleThatIsSlowAtOneSize() throws Exception {
        try (SpreadingJob job = new SpreadingJob()) {
            final TuttiScript.Result r = tryOut(modules.linear("1.2.0", 0, LARGE));
            assertEquals(FAILED, r.status(), r::toString);
            assertMatches("linear 1.2.0 beside linear 1.0.0: slow: bcast from 262144 bytes", r.out());
            assertMatches("quarantined: linear 1.2.0: ", cluster.run("modules"));
            assertMatches("linear 1.0.0", job.modules());
        }
    }

    @Test
    void shouldPromoteAModuleThatIsRightAndAsFast() throws Exception {
        try (SpreadingJob job = new SpreadingJob()) {
            final Path module = modules.linear("1.3.0", SMALL / 10, LARGE + 1);
            TuttiScript.Result r = tryOut(module);
            while (r.out().contains("times vary too much to tell")) {
                // on a machine that others use, too
                r = tryOut(module);
            }
            final TuttiScript.Result last = r;
            assertEquals(0, last.status(), last::toString);
            assertMatches("linear 1.3.0 replaces the version before", r.out());
            assertMatches("job " + job.id + " uses linear 1.3.0", r.out());
            assertMatches("linear 1.3.0", job.modules());
            assertFalse(cluster.run("modules").contains("quarantined: linear 1.3.0"));
            assertEquals(List.of("linear 1.3.0 on a,b,c"), cluster.addedModules());
        }
    }

    @Test
    void shouldRemoveAModuleThatServesNoCalls() throws Exception {
        try (SpreadingJob job = new SpreadingJob()) {
            final Path declines =
                modules.withManifest(modules.withActivator("linear", ""), "linear-1.5.0", m -> m.putValue("Bundle-Version", "1.5.0"));
            final TuttiScript.Result r = tryOut(declines);
            assertEquals(FAILED, r.status(), r::toString);
            assertMatches("linear 1.5.0 is not taken over: job " + job.id
                + ", MPI_COMM_WORLD: it serves no calls here: module linear 1.5.0: declined: ", r.out());
            assertMatches("linear 1.0.0", job.modules());
            assertFalse(cluster.run("modules").contains("linear 1.5.0"));
        }
    }

    @Test
    void shouldRemoveAModuleThatNoJobTries() throws Exception {
        final TuttiScript.Result r = tryOut(modules.linear("1.4.0", 0, 0));
        assertEquals(FAILED, r.status(), r::toString);
        assertMatches("linear 1.4.0 is not taken over: no job tries it", r.out());
        assertFalse(cluster.run("modules").contains("linear 1.4.0"));
    }
}
