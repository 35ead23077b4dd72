package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs every command of the page for authors and compares its output: copies the template of a module, builds it, and runs jobs with it. */
@Tag("nightly")
@Timeout(value = 1_000, unit = TimeUnit.SECONDS)
class TemplateIT {
    private static final Path PAGE = ProjectPaths.DIR.resolve("docs/new-collective.md");
    private static final String TUTTI = "/path/to/tutti";
    private static final String PORT = "127.0.0.1:7001";
    private static final String DAEMON = "\"$TUTTI\"/tutti daemon ";
    private static final String MODULE = "gear";

    @TempDir
    private Path dir;

    @Test
    void shouldBecomeAModuleThatServesJobs() throws Exception {
        final List<Page.Step> steps = Page.steps(PAGE);
        final int daemon = steps.indexOf(steps.stream().filter(s -> s.commands().getFirst().startsWith(DAEMON)).findFirst().orElseThrow());
        final StringBuilder script = new StringBuilder();
        steps.subList(0, daemon).forEach(s -> script.append(String.join("\n", s.commands())).append('\n'));
        try (TemplateBuild build = new TemplateBuild(dir)) {
            final String printed = build.run(dir, script.toString().replace(TUTTI, ProjectPaths.DIR.toString()));
            steps.subList(0, daemon).forEach(s -> assertEquals(List.of(), s.missing(printed), printed));
        }
        final Path copy = dir.resolve(MODULE);
        assertEquals(List.of(), filesWithTheOldName(copy));

        final String start = steps.get(daemon).commands().getFirst().substring(DAEMON.length());
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(copy, start.replace(PORT, "127.0.0.1:0").split(" "))) {
            assertEquals(List.of(), modules(a));
            int run = 0;
            for (final Page.Step step : steps.subList(daemon + 1, steps.size())) {
                final StringBuilder printed = new StringBuilder();
                for (final String command : step.commands()) {
                    printed.append(TemplateBuild.bash(copy, command.replace(PORT, a.address)).out());
                    run++;
                    if (command.contains("tutti install ")) {
                        assertEquals(List.of(MODULE), modules(a));
                        assertServes(a);
                    } else if (command.contains("tutti uninstall ")) {
                        assertEquals(List.of(), modules(a));
                    }
                }
                assertEquals(List.of(), step.missing(printed.toString()), printed::toString);
            }
            assertTrue(run >= 7, "commands run: " + run);
            assertTrue(a.process.waitFor(60, TimeUnit.SECONDS), "the last command stops the daemon");
        }
    }

    private static List<String> filesWithTheOldName(final Path copy) throws IOException {
        try (Stream<Path> files = Files.walk(copy.resolve("src"))) {
            final List<String> left = new ArrayList<>();
            for (final Path file : files.filter(Files::isRegularFile).toList()) {
                if ((file + Files.readString(file)).toLowerCase().contains("hub")) {
                    left.add(file.toString());
                }
            }
            return left;
        }
    }

    private static JsonNode json(final TuttiScript.Daemon daemon, final String command) throws Exception {
        return new ObjectMapper().readTree(CommandInJvm.run(command, "--json", "--connect", daemon.address).out());
    }

    /** Returns the modules of a daemon except those that it started with. */
    private static List<String> modules(final TuttiScript.Daemon daemon) throws Exception {
        return StreamSupport.stream(json(daemon, "modules").spliterator(), false).map(m -> m.get("name").asText())
            .filter(m -> !ProjectPaths.DEFAULT_MODULES.contains(m)).toList();
    }

    /** Asserts that a waiting job is listed with the module, and completes with the module's broadcast. */
    private void assertServes(final TuttiScript.Daemon daemon) throws Exception {
        TuttiScript.writeProgram(dir, "Waits", """
            int[] data = {rank};
            if (rank == 1) {
                System.out.println("rank 1 is there");
            }
            if (rank == 0) {
                data[0] = System.in.read();
            }
            MPI.COMM_WORLD.bcast(data, 1, MPI.INT, 0);
            MPI.COMM_WORLD.barrier();
            if (data[0] != 'x') {
                throw new IllegalStateException("got " + data[0]);
            }""");
        final CommandInJvm.Running job = CommandInJvm.start("run", "--connect", daemon.address, "-n", "4", "-p", "coll.bcast=" + MODULE,
            "-p", "coll.barrier=" + MODULE, dir.resolve("Waits.java").toString());
        assertEquals(List.of("rank 1 is there"), job.lines(1));
        final JsonNode modules = json(daemon, "ps").get(0).get("modules");
        assertTrue(modules.toString().contains("\"" + MODULE + " 1.0.0\""), modules::toString);
        job.in.write('x');
        final TuttiScript.Result r = job.end();
        assertEquals(0, r.status(), r::toString);
    }
}
