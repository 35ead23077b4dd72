package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests modules of third parties: builds their templates outside the source tree, all in one build, installs each bundle on running daemons that know
 * their switches from a topology file, and runs jobs that it serves.
 */
@Tag("nightly")
@Timeout(value = 1_000, unit = TimeUnit.SECONDS)
class TemplateModulesIT {
    private static final int SAVED = 9;
    private static final String[] NEST = {"-n", "6", "--map", "cyclic", "-p", "coll.select=nest"};
    private static final String[] NEAREST = {"-p", "coll.bcast=nearest/chain", "-p", "coll.nearest.limit=400000"};

    @TempDir
    private static Path dir;
    private static TuttiScript.Daemon a;
    private static TuttiScript.Daemon b;
    private static TuttiScript.Daemon c;

    @BeforeAll
    static void buildAndStart() throws Exception {
        try (TemplateBuild build = new TemplateBuild(dir)) {
            final String printed = build.run(dir, """
                cp -r "$TUTTI"/examples/levels-template nest
                cp -r "$TUTTI"/examples/offload-template aggregate
                cp -r "$TUTTI"/examples/state-template nearest
                cp -r "$TUTTI"/examples/worker-template offload
                cat >pom.xml <<END
                <project>
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>com.example</groupId><artifactId>templates</artifactId><version>1</version><packaging>pom</packaging>
                  <modules><module>nest</module><module>aggregate</module><module>nearest</module><module>offload</module></modules>
                </project>
                END
                mvn -Dtutti.home="$TUTTI" clean verify
                """);
            for (final String test : List.of("nest.NestAlgorithmsTest", "nest.NestRuntimeTest", "aggregate.AggregateAlgorithmsTest",
                "aggregate.AggregateRuntimeTest", "nearest.NearestAlgorithmsTest", "nearest.NearestRuntimeTest", "offload.OffloadAlgorithmsTest")) {
                assertTrue(printed.contains("Running com.example.coll." + test), () -> test + " did not run: " + printed);
            }
        }
        final String topology = Files.writeString(dir.resolve("topology.conf"), """
            SwitchName=rack1 Nodes=a,b
            SwitchName=rack2 Nodes=c
            SwitchName=row Switches=rack[1-2]
            """).toString();
        a = new TuttiScript.Daemon(dir, "--name", "a", "--topology", topology);
        b = new TuttiScript.Daemon(dir, "--name", "b", "--topology", topology, "--join", a.address);
        c = new TuttiScript.Daemon(dir, "--name", "c", "--topology", topology, "--join", a.address);
    }

    @AfterAll
    static void stop() throws Exception {
        for (final TuttiScript.Daemon d : Stream.of(c, b, a).filter(d -> d != null).toList()) {
            d.close();
        }
    }

    private static String bundle(final String module) {
        return dir.resolve(module + "/target/com.example.coll." + module + ".jar").toString();
    }

    private static TuttiScript.Result end(final int status, final TuttiScript.Daemon node, final String command, final String... args)
        throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(joined(new String[] {command, "--connect", node.address}, args));
        assertEquals(status, r.status(), r::toString);
        return r;
    }

    private static String run(final TuttiScript.Daemon node, final String command, final String... args) throws Exception {
        return end(0, node, command, args).out();
    }

    private static String[] joined(final String[] first, final String... others) {
        return Stream.concat(Stream.of(first), Stream.of(others)).toArray(String[]::new);
    }

    private String nested() throws Exception {
        TuttiScript.writeProgram(dir, "Nested", """
            for (int root = 0; root < size; root++) {
                long[] data = {rank == root ? 40 + root : 0, rank};
                MPI.COMM_WORLD.bcast(data, 1, MPI.LONG, root);
                long[] sum = new long[2];
                MPI.COMM_WORLD.allReduce(data, sum, 2, MPI.LONG, MPI.SUM);
                if (sum[0] != size * (40L + root) || sum[1] != size * (size - 1L) / 2) { System.exit(9); }
            }
            Info level = new Info();
            level.set("mpi_hw_resource_type", "switch");
            Intracomm rack = MPI.COMM_WORLD.splitType(Comm.TYPE_HW_GUIDED, rank, level);
            level.set("mpi_hw_resource_type", "switch2");
            Intracomm row = MPI.COMM_WORLD.splitType(Comm.TYPE_HW_GUIDED, rank, level);
            Intracomm part = MPI.COMM_WORLD.splitType(Comm.TYPE_HW_UNGUIDED, rank, MPI.INFO_NULL);
            System.out.println(MPI.getNodeName() + " " + rack.getSize() + " " + row.getSize() + " " + part.getSize());""");
        return dir.resolve("Nested.java").toString();
    }

    @Test
    void shouldServeAJobByTheLevelsOfATopologyFileAndItsPartsByRulesForTheirLevels() throws Exception {
        final String rules = Files.writeString(dir.resolve("rules.json"), """
            {"rules": [
              {"operation": "allreduce", "level": "switch", "use": "recexch"},
              {"operation": "allreduce", "level": ["switch2", "switch3"], "use": "tree"}
            ]}""").toString();
        run(b, "install", bundle("nest"));
        final String printed = run(c, "run", joined(NEST, nested()));
        assertEquals(4, printed.lines().filter(l -> l.matches("[ab] 4 6 [24]")).count(), printed);
        assertEquals(2, printed.lines().filter(l -> l.matches("c 2 6 [24]")).count(), printed);
        final String why = run(a, "explain", joined(NEST, "-p", "coll.rules=" + rules, "allreduce"));
        assertTrue(why.contains("nest 1.0.0, algorithm nested"), why);
        for (final String part : new String[] {"reduce, 1K bytes, on MPI_COMM_WORLD/nest.jvm.0 (ranks 0, 3)",
            "on MPI_COMM_WORLD/nest.leaders/nest.switch.0 (ranks 0-1)", "on MPI_COMM_WORLD/nest.leaders/nest.leaders (ranks 0, 2)"}) {
            assertTrue(why.contains(part), () -> part + " in " + why);
        }
        assertTrue(why.contains("tree 0.1.0"), why);
        assertTrue(why.contains("rule 2 of"), why);
        run(a, "uninstall", "nest");
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

    /** Fails on every rank when the device breaks down. */
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
        run(b, "install", bundle("aggregate"));
        final Path trace = dir.resolve("trace.json");
        final String sums = sums();
        for (final String algorithm : new String[] {"device", "checked"}) {
            run(a, "run", "-n", "5", "-p", "coll.allreduce=aggregate/" + algorithm, "-p", "coll.barrier=aggregate", "--trace", trace.toString(),
                sums);
        }
        final String traced = Files.readString(trace);
        assertTrue(traced.contains("\"offloaded allreduce by Aggregator\"") && traced.contains("\"offloaded barrier by Aggregator\"")
            && traced.contains("\"opaque by Checksums\""), traced);
        final String plan = run(c, "explain", "allreduce", "-n", "3", "--plan", "-p", "coll.allreduce=aggregate/checked");
        assertTrue(plan.contains("  offloaded  allreduce by Aggregator, send[0.."), plan);
        assertTrue(plan.contains("  opaque  Checksums, reads recv[0.."), plan);
        final String errors = run(a, "run", "-n", "5", "-p", "coll.allreduce=aggregate/device", "-p", "coll.aggregate.breakdown=2", failing());
        assertEquals(5, errors.lines().filter(l -> l.startsWith("error: ")).count(), errors);
        assertNotEquals(0, errors.lines().filter(l -> l.contains("offloaded allreduce by Aggregator")).count(), errors);
        run(a, "uninstall", "aggregate");
    }

    /** Broadcasts up to the limit and beyond; then it ends at its first checkpoint, or ends well if it continues from that. */
    private String broadcasts() throws Exception {
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
        return dir.resolve("Broadcasts.java").toString();
    }

    private static void assertRefused(final TuttiScript.Result r) {
        assertEquals(5, r.out().lines().filter(l -> l.startsWith("cannot plan bcast on MPI_COMM_WORLD ")
            && l.contains("module nearest 1.0.0, algorithm chain: broadcast is too long: bytes=400004, coll.nearest.limit=400000")).count(),
            r::toString);
    }

    @Test
    void shouldServeAJobByWhatItMeasuredAndContinueItFromACheckpoint() throws Exception {
        final String program = broadcasts();
        run(b, "install", bundle("nearest"));
        end(SAVED, a, "run", joined(NEAREST, "-n", "5", program));
        final Matcher series = Pattern.compile("\"series\" : \"([^\"]+)\"").matcher(run(a, "checkpoints", "--json"));
        assertTrue(series.find());
        assertRefused(end(0, b, "run", joined(NEAREST, "--map", "cyclic", "--restart", series.group(1), program)));
        final TuttiScript.Result why = end(0, a, "explain", joined(NEAREST, "-p", "log.coll.nearest=debug", "-n", "5", "bcast"));
        assertTrue(why.out().contains("nearest 1.0.0, algorithm chain"), why::toString);
        assertTrue(why.err().contains("coll.nearest debug MPI_COMM_WORLD rank 4: chain from rank 0: [0, "), why::toString);
        run(a, "uninstall", "nearest");
    }

    @Test
    void shouldServeTheNextJobsByWorkersOfTheModule() throws Exception {
        TuttiScript.writeProgram(dir, "Workers", """
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
        run(b, "install", bundle("offload"));
        for (final String algorithm : new String[] {"thread", "engine"}) {
            run(a, "run", "-n", "5", "-p", "coll.allreduce=offload/" + algorithm, dir.resolve("Workers.java").toString());
        }
        final String plan = run(a, "explain", "allreduce", "-n", "3", "--plan", "-p", "coll.allreduce=offload/engine");
        assertTrue(plan.contains("  by OffloadEngine"), plan);
        run(a, "uninstall", "offload");
    }
}
