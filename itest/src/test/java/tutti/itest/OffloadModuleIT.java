package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a module of a third party whose collectives a device carries out: builds its template outside the source tree, installs the bundle on running
 * daemons, and runs jobs that use the device on three nodes, and one whose device breaks down.
 */
@Tag("nightly")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class OffloadModuleIT {
    @TempDir
    private Path dir;

    private Path build() throws Exception {
        try (TemplateBuild build = new TemplateBuild(dir)) {
            final String printed = build.run(dir, """
                cp -r "$TUTTI"/examples/offload-template aggregate
                cd aggregate
                mvn -Dtutti.home="$TUTTI" clean verify
                """);
            assertTrue(printed.contains("Running com.example.coll.aggregate.AggregateAlgorithmsTest"), printed);
            assertTrue(printed.contains("Running com.example.coll.aggregate.AggregateRuntimeTest"), printed);
        }
        return dir.resolve("aggregate/target/com.example.coll.aggregate.jar");
    }

    private static TuttiScript.Result run(final TuttiScript.Daemon node, final String command, final String... args) throws Exception {
        return CommandInJvm.run(Stream.concat(Stream.of(command, "--connect", node.address), Stream.of(args)).toArray(String[]::new));
    }

    private static String succeed(final TuttiScript.Daemon node, final String command, final String... args) throws Exception {
        final TuttiScript.Result r = run(node, command, args);
        assertEquals(0, r.status(), r::toString);
        return r.out();
    }

    /** Adds by the device, and by an operation of the program, which the device does not serve. */
    private String sums() throws Exception {
        TuttiScript.writeProgram(dir, "Sums", """
            Op own = new Op(new UserFunction() {
                @Override
                public void call(Object in, Object inOut, int count, Datatype type) {
                    for (int i = 0; i < count; i++) { ((long[]) inOut)[i] += ((long[]) in)[i]; }
                }
            }, true);
            for (int count : new int[] {1, 1000}) {
                long[] data = new long[count];
                java.util.Arrays.setAll(data, i -> i + rank);
                for (int call = 0; call < 20; call++) {
                    long[] sum = new long[count];
                    MPI.COMM_WORLD.allReduce(data, sum, count, MPI.LONG, call % 10 == 9 ? own : MPI.SUM);
                    for (int i = 0; i < count; i++) {
                        if (sum[i] != (long) size * i + size * (size - 1) / 2) { throw new IllegalStateException(i + ": " + sum[i]); }
                    }
                    MPI.COMM_WORLD.barrier();
                }
            }""");
        return dir.resolve("Sums.java").toString();
    }

    private String failing() throws Exception {
        TuttiScript.writeProgram(dir, "Failing", """
            MPI.COMM_WORLD.setErrhandler(MPI.ERRORS_RETURN);
            long[] sum = new long[1];
            MPI.COMM_WORLD.allReduce(new long[] {rank}, sum, 1, MPI.LONG, MPI.SUM);
            if (sum[0] != 10) { throw new IllegalStateException("sum " + sum[0]); }
            try {
                MPI.COMM_WORLD.allReduce(new long[] {rank}, sum, 1, MPI.LONG, MPI.SUM);
                System.exit(7);
            } catch (MPIException e) {
                System.out.println("error: " + e.getMessage());
            }""");
        return dir.resolve("Failing.java").toString();
    }

    @Test
    void shouldServeJobsOnThreeNodesByTheDeviceOfTheModule() throws Exception {
        final Path bundle = build();
        final String sums = sums();
        final String failing = failing();
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a");
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address);
             TuttiScript.Daemon c = new TuttiScript.Daemon(dir, "--name", "c", "--join", a.address)) {
            succeed(b, "install", bundle.toString());
            final Path trace = dir.resolve("trace.json");
            for (final String algorithm : new String[] {"device", "checked"}) {
                succeed(a, "run", "-n", "5", "-p", "coll.allreduce=aggregate/" + algorithm, "-p", "coll.barrier=aggregate", "--trace",
                    trace.toString(),
                    sums);
            }
            final String traced = Files.readString(trace);
            assertTrue(traced.contains("\"offloaded allreduce by Aggregator\"") && traced.contains("\"offloaded barrier by Aggregator\"")
                && traced.contains("\"opaque by Checksums\""), traced);
            final String plan = succeed(c, "explain", "allreduce", "-n", "3", "--plan", "-p", "coll.allreduce=aggregate/checked");
            assertTrue(plan.contains("  offloaded  allreduce by Aggregator, send[0.."), plan);
            assertTrue(plan.contains("  opaque  Checksums, reads recv[0.."), plan);
            final String errors = succeed(a, "run", "-n", "5", "-p", "coll.allreduce=aggregate/device", "-p", "coll.aggregate.breakdown=2", failing);
            assertEquals(5, errors.lines().filter(l -> l.startsWith("error: ")).count(), errors);
            assertNotEquals(0, errors.lines().filter(l -> l.contains("offloaded allreduce by Aggregator")).count(), errors);
            succeed(a, "uninstall", "aggregate");
        }
    }
}
