package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a module of a third party that measures in its set-up: builds its template outside the source tree, installs the bundle on running daemons,
 * and runs a job that it serves, whose too long call it refuses, and that is saved and continues.
 */
@Tag("nightly")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class StateModuleIT {
    private static final int SAVED = 9;
    private static final String[] SELECTION = {"-p", "coll.bcast=nearest/chain", "-p", "coll.nearest.limit=400000"};

    @TempDir
    private Path dir;

    private Path build() throws Exception {
        try (TemplateBuild build = new TemplateBuild(dir)) {
            final String printed = build.run(dir, """
                cp -r "$TUTTI"/examples/state-template nearest
                cd nearest
                mvn -Dtutti.home="$TUTTI" clean verify
                """);
            assertTrue(printed.contains("Running com.example.coll.nearest.NearestAlgorithmsTest"), printed);
            assertTrue(printed.contains("Running com.example.coll.nearest.NearestRuntimeTest"), printed);
        }
        return dir.resolve("nearest/target/com.example.coll.nearest.jar");
    }

    private static TuttiScript.Result run(final int status, final TuttiScript.Daemon node, final String command, final String... args)
        throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(joined(new String[] {command, "--connect", node.address}, args));
        assertEquals(status, r.status(), r::toString);
        return r;
    }

    private static String[] joined(final String[] first, final String... others) {
        return Stream.concat(Stream.of(first), Stream.of(others)).toArray(String[]::new);
    }

    /** Broadcasts up to the limit and beyond; then it ends at its first checkpoint, or ends well if it continues from that. */
    private Path program() throws Exception {
        TuttiScript.writeProgram(dir, "Broadcasts", """
            var state = tutti.checkpoint.Checkpoint.of(MPI.COMM_WORLD);
            MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
            for (int root = 0; root < size; root++) {
                for (int count : new int[] {1, 100_000}) {
                    int[] data = new int[count];
                    if (rank == root) { java.util.Arrays.setAll(data, i -> i + 7); }
                    MPI.COMM_WORLD.bcast(data, count, MPI.INT, root);
                    for (int i = 0; i < count; i++) {
                        if (data[i] != i + 7) { throw new IllegalStateException(i + ": " + data[i]); }
                    }
                }
                try {
                    MPI.COMM_WORLD.bcast(new int[100_001], 100_001, MPI.INT, root);
                    System.exit(7);
                } catch (MPIException e) {
                    if (e.getErrorClass() != MPI.ERR_COUNT || e.getErrorCode() != 7301) { throw e; }
                    if (root == 0) { System.out.println(e.getMessage()); }
                }
            }
            if (!state.isRestart()) {
                if (!tutti.checkpoint.Checkpoint.force(MPI.COMM_WORLD)) { System.exit(8); }
                if (rank == 0) { System.exit(9); }
                MPI.COMM_WORLD.barrier();
            }""");
        return dir.resolve("Broadcasts.java");
    }

    private static void assertRefused(final TuttiScript.Result r) {
        assertEquals(5, r.out().lines().filter(l -> l.startsWith("cannot plan bcast on MPI_COMM_WORLD ")
            && l.contains("module nearest 1.0.0, algorithm chain: broadcast is too long: bytes=400004, coll.nearest.limit=400000")).count(),
            r::toString);
    }

    @Test
    void shouldServeAJobByWhatItMeasuredAndContinueItFromACheckpoint() throws Exception {
        final Path bundle = build();
        final String program = program().toString();
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a");
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address)) {
            run(0, b, "install", bundle.toString());
            run(SAVED, a, "run", joined(SELECTION, "-n", "5", program));
            final Matcher series = Pattern.compile("\"series\" : \"([^\"]+)\"").matcher(run(0, a, "checkpoints", "--json").out());
            assertTrue(series.find());
            assertRefused(run(0, b, "run", joined(SELECTION, "--map", "cyclic", "--restart", series.group(1), program)));
            final TuttiScript.Result why = run(0, a, "explain", joined(SELECTION, "-p", "log.coll.nearest=debug", "-n", "5", "bcast"));
            assertTrue(why.out().contains("nearest 1.0.0, algorithm chain"), why::toString);
            assertTrue(why.err().contains("coll.nearest debug MPI_COMM_WORLD rank 4: chain from rank 0: [0, "), why::toString);
            run(0, a, "uninstall", "nearest");
        }
    }
}
