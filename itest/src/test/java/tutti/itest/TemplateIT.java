package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A stranger copies the template of a module, renames it, builds it, and runs jobs with it: every command of its README, in its order. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TemplateIT {
    private static final Path TEMPLATE = Home.DIR.resolve("examples/module-template");
    private static final String TUTTI = "/path/to/tutti";
    private static final String PORT = "127.0.0.1:7001";
    private static final String DAEMON = "\"$TUTTI\"/tutti daemon ";
    private static final String MODULE = "gear";

    @TempDir
    private Path dir;

    /** Fills a local repository with all that was downloaded before, but nothing of Tutti: a stranger has none of that. */
    private static void link(final Path repository) throws IOException {
        Files.createDirectory(repository);
        try (Stream<Path> groups = Files.list(Path.of(System.getProperty("localRepository")))) {
            for (final Path group : groups.filter(g -> !g.endsWith("tutti")).toList()) {
                Files.createSymbolicLink(repository.resolve(group.getFileName()), group);
            }
        }
    }

    private static void unlink(final Path repository) throws IOException {
        try (Stream<Path> groups = Files.list(repository)) {
            for (final Path group : groups.filter(Files::isSymbolicLink).toList()) {
                Files.delete(group);
            }
        }
    }

    private static Cli.Result bash(final Path folder, final String script) throws Exception {
        final ProcessBuilder builder = new ProcessBuilder("bash", "-euc", script).directory(folder.toFile());
        builder.environment().put("TUTTI", Home.DIR.toString());
        builder.environment().merge("PATH", Path.of(System.getProperty("maven.home"), "bin").toString(), (path, maven) -> maven
            + File.pathSeparator + path);
        final Cli.Result r = Cli.finish(builder.start(), System.nanoTime());
        assertEquals(0, r.status(), () -> script + "\n" + r);
        return r;
    }

    @Test
    void shouldBecomeAModuleThatServesJobs() throws Exception {
        final List<String> commands = new ArrayList<>(Readme.commands(TEMPLATE.resolve("README.md")));
        final int daemon = commands.indexOf(commands.stream().filter(c -> c.startsWith(DAEMON)).findFirst().orElseThrow());
        final Path repository = dir.resolve("m2");
        link(repository);
        try {
            bash(dir, String.join("\n", commands.subList(0, daemon)).replace(TUTTI, Home.DIR.toString())
                .replace("mvn ", "mvn -o -B -q -Daether.offline.protocols=file -Dmaven.repo.local='" + repository + "' "));
        } finally {
            unlink(repository);
        }
        final Path copy = dir.resolve(MODULE);
        assertEquals(List.of(), leftOfTheOldName(copy));

        try (Cli.Daemon a = new Cli.Daemon(copy, commands.get(daemon).substring(DAEMON.length()).replace(PORT, "127.0.0.1:0").split(" "))) {
            assertEquals(List.of(), modules(a));
            int run = 0;
            for (final String command : commands.subList(daemon + 1, commands.size())) {
                bash(copy, command.replace(PORT, a.address));
                run++;
                if (command.contains("tutti install ")) {
                    assertEquals(List.of(MODULE), modules(a));
                    assertServes(a);
                } else if (command.contains("tutti uninstall ")) {
                    assertEquals(List.of(), modules(a));
                }
            }
            assertTrue(run >= 5, "commands run: " + run);
            assertTrue(a.process.waitFor(15, TimeUnit.SECONDS), "the last command stops the daemon");
        }
    }

    private static List<String> leftOfTheOldName(final Path copy) throws IOException {
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

    private static JsonNode json(final Cli.Daemon daemon, final String command) throws Exception {
        return new ObjectMapper().readTree(Cli.run(Home.DIR, command, "--json", "--connect", daemon.address).out());
    }

    /** Those that it did not start with. */
    private static List<String> modules(final Cli.Daemon daemon) throws Exception {
        return StreamSupport.stream(json(daemon, "modules").spliterator(), false).map(m -> m.get("name").asText())
            .filter(m -> !Home.STARTED.contains(m)).toList();
    }

    /** A job that waits until it may go on is seen with the module, and ends well with its broadcast. */
    private void assertServes(final Cli.Daemon daemon) throws Exception {
        Cli.program(dir, "Waits", """
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
        final long since = System.nanoTime();
        final Process job = Cli.start(dir, Map.of(), "run", "--connect", daemon.address, "-n", "4", "-p", "coll.bcast=" + MODULE,
            "-p", "coll.barrier=" + MODULE, "Waits.java");
        try {
            final BufferedReader lines = job.inputReader(StandardCharsets.UTF_8);
            assertEquals("rank 1 is there", lines.readLine());
            final JsonNode modules = json(daemon, "ps").get(0).get("modules");
            assertTrue(modules.toString().contains("\"" + MODULE + " 1.0.0\""), modules::toString);
            job.getOutputStream().write('x');
            job.getOutputStream().close();
            final Cli.Result r = Cli.finish(job, since);
            assertEquals(0, r.status(), r::toString);
        } finally {
            job.destroy();
        }
    }
}
