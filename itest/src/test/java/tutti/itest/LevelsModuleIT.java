package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
 * Tests a module of a third party that nests by levels of locality: builds its template outside the source tree, installs the bundle on daemons that
 * know their switches from a topology file, and runs jobs that it serves, whose parts are served by rules for their levels.
 */
@Tag("nightly")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class LevelsModuleIT {
    private static final String[] JOB = {"-n", "6", "--map", "cyclic", "-p", "coll.select=nest"};

    @TempDir
    private Path dir;

    private Path build() throws Exception {
        try (TemplateBuild build = new TemplateBuild(dir)) {
            final String printed = build.run(dir, """
                cp -r "$TUTTI"/examples/levels-template nest
                cd nest
                mvn -Dtutti.home="$TUTTI" clean verify
                """);
            assertTrue(printed.contains("Running com.example.coll.nest.NestAlgorithmsTest"), printed);
            assertTrue(printed.contains("Running com.example.coll.nest.NestRuntimeTest"), printed);
        }
        return dir.resolve("nest/target/com.example.coll.nest.jar");
    }

    private static String run(final TuttiScript.Daemon node, final String command, final String... args) throws Exception {
        final TuttiScript.Result r = CommandInJvm.run(Stream.concat(Stream.of(command, "--connect", node.address), Stream.of(args))
            .toArray(String[]::new));
        assertEquals(0, r.status(), r::toString);
        return r.out();
    }

    private static String[] with(final String... more) {
        return Stream.concat(Stream.of(JOB), Stream.of(more)).toArray(String[]::new);
    }

    private String program() throws Exception {
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
        final Path bundle = build();
        final String topology = Files.writeString(dir.resolve("topology.conf"), """
            SwitchName=rack1 Nodes=a,b
            SwitchName=rack2 Nodes=c
            SwitchName=row Switches=rack[1-2]
            """).toString();
        final String rules = Files.writeString(dir.resolve("rules.json"), """
            {"rules": [
              {"operation": "allreduce", "level": "switch", "use": "recexch"},
              {"operation": "allreduce", "level": ["switch2", "switch3"], "use": "tree"}
            ]}""").toString();
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a", "--topology", topology);
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, "--name", "b", "--topology", topology, "--join", a.address);
             TuttiScript.Daemon c = new TuttiScript.Daemon(dir, "--name", "c", "--topology", topology, "--join", a.address)) {
            run(b, "install", bundle.toString());
            final String printed = run(c, "run", with(program()));
            assertEquals(4, printed.lines().filter(l -> l.matches("[ab] 4 6 [24]")).count(), printed);
            assertEquals(2, printed.lines().filter(l -> l.matches("c 2 6 [24]")).count(), printed);
            final String why = run(a, "explain", with("-p", "coll.rules=" + rules, "allreduce"));
            assertTrue(why.contains("nest 1.0.0, algorithm nested"), why);
            for (final String part : new String[] {"reduce, 1K bytes, on MPI_COMM_WORLD/nest.jvm.0 (ranks 0, 3)",
                "on MPI_COMM_WORLD/nest.leaders/nest.switch.0 (ranks 0-1)", "on MPI_COMM_WORLD/nest.leaders/nest.leaders (ranks 0, 2)"}) {
                assertTrue(why.contains(part), () -> part + " in " + why);
            }
            assertTrue(why.contains("tree 0.1.0"), why);
            assertTrue(why.contains("rule 2 of"), why);
            run(a, "uninstall", "nest");
        }
    }
}
