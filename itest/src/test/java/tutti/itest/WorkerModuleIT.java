package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a module of a third party whose plans have tasks of its own workers: builds its template outside the source tree, installs the bundle on
 * running daemons, and runs jobs that use a thread of the module and its engine.
 */
@Tag("nightly")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class WorkerModuleIT {
    @TempDir
    private Path dir;

    private Path build() throws Exception {
        try (TemplateBuild build = new TemplateBuild(dir)) {
            final String printed = build.run(dir, """
                cp -r "$TUTTI"/examples/worker-template offload
                cd offload
                mvn -Dtutti.home="$TUTTI" clean verify
                """);
            assertTrue(printed.contains("Running com.example.coll.offload.OffloadAlgorithmsTest"), printed);
        }
        return dir.resolve("offload/target/com.example.coll.offload.jar");
    }

    private static TuttiScript.Result run(final String... command) throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(command);
        assertEquals(0, r.status(), r::toString);
        return r;
    }

    @Test
    void shouldServeTheNextJobsByWorkersOfTheModule() throws Exception {
        final Path bundle = build();
        TuttiScript.writeProgram(dir, "Sums", """
            for (int count : new int[] {1, 100_000}) {
                long[] data = new long[count];
                java.util.Arrays.setAll(data, i -> i + rank);
                for (int call = 0; call < 20; call++) {
                    long[] sum = new long[count];
                    MPI.COMM_WORLD.allReduce(data, sum, count, MPI.LONG, MPI.SUM);
                    for (int i = 0; i < count; i++) {
                        if (sum[i] != (long) size * i + size * (size - 1) / 2) { throw new IllegalStateException(i + ": " + sum[i]); }
                    }
                }
                Request r = MPI.COMM_WORLD.iAllReduce(data, new long[count], count, MPI.LONG, MPI.MAX);
                r.waitFor();
            }""");
        final String program = dir.resolve("Sums.java").toString();
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a");
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address)) {
            run("install", "--connect", b.address, bundle.toString());
            for (final String algorithm : new String[] {"thread", "engine"}) {
                run("run", "--connect", a.address, "-n", "5", "-p", "coll.allreduce=offload/" + algorithm, program);
            }
            final String plan = run("explain", "allreduce", "--connect", a.address, "-n", "3", "--plan", "-p", "coll.allreduce=offload/engine").out();
            assertTrue(plan.contains("  by OffloadEngine"), plan);
            run("uninstall", "--connect", a.address, "offload");
        }
    }
}
