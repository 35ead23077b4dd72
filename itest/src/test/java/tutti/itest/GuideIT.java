package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs every command of the README and of the guide's pages, and compares the output that they promise. */
@Timeout(value = 1_000, unit = TimeUnit.SECONDS)
class GuideIT {
    private static final Path GUIDE = ProjectPaths.DIR.resolve("docs/guide");
    private static final String PORT = "127.0.0.1:7001";
    private static final String SCRIPT = "./tutti ";
    /** The program of the README. */
    private static final String PROGRAM = "Sum.java";

    @TempDir
    private Path dir;

    private final List<TuttiScript.Daemon> daemons = new ArrayList<>();
    /** Subcommands that the script runs once; all others run in this JVM, which takes a tenth of the time. */
    private final Set<String> toScript = new HashSet<>(Set.of("run", "install", "stop"));

    @AfterEach
    void close() {
        daemons.forEach(TuttiScript.Daemon::close);
    }

    @Test
    void shouldDoWhatTheReadmeSays() throws Exception {
        final String text = Files.readString(ProjectPaths.DIR.resolve("README.md"));
        final int at = text.indexOf("```java\n") + "```java\n".length();
        Files.writeString(dir.resolve(PROGRAM), text.substring(at, text.indexOf("```", at)));
        for (final Page.Step step : Page.steps(ProjectPaths.DIR.resolve("README.md"))) {
            if (step.commands().getFirst().endsWith(" " + PROGRAM)) {
                final TuttiScript.Result r = TuttiScript.run(dir, step.commands().getFirst().substring(SCRIPT.length()).split(" "));
                assertEquals(List.of(), step.missing(r.out()), r::toString);
            } else if (step.commands().equals(List.of("mvn verify"))) {
                // the command that runs this test
                assertTrue(Files.readString(ProjectPaths.DIR.resolve(".ci/run")).contains(" verify"));
            } else {
                run(step);
            }
        }
    }

    @Tag("nightly")
    @Test
    void shouldDoWhatTheGuideSaysOnTheClusterOfItsFirstPage() throws Exception {
        final List<Page.Step> cluster = Page.steps(GUIDE.resolve("cluster.md"));
        for (final Page.Step step : cluster.subList(0, cluster.size() - 1)) {
            run(step);
        }
        assertEquals(3, daemons.size());
        final TreeSet<String> others = new TreeSet<>();
        try (Stream<Path> pages = Files.list(GUIDE)) {
            pages.map(p -> p.getFileName().toString()).filter(p -> p.endsWith(".md") && !p.equals("cluster.md") && !p.equals(FelixIT.PAGE)
                && !p.equals(TutorialIT.PAGE)).forEach(others::add);
        }
        assertEquals(
            List.of("architecture.md", "checkpoints.md", "comparison.md", "faults.md", "files.md", "hosts.md", "inside.md", "interceptors.md",
                "live.md", "messages.md",
                "metrics.md",
                "modules.md",
                "mpirun.md", "node-messages.md", "page.md",
                "performance.md",
                "processes.md", "programs.md",
                "security.md",
                "tuning.md", "windows.md"),
            List.copyOf(others));
        for (final String page : others) {
            for (final Page.Step step : Page.steps(GUIDE.resolve(page))) {
                run(step);
            }
        }
        run(cluster.getLast());
        for (final TuttiScript.Daemon d : daemons) {
            assertTrue(d.process.waitFor(60, TimeUnit.SECONDS), "the last command of the page stops the daemons");
            assertEquals(0, d.process.exitValue());
        }
    }

    /** Resolves a file of the project: this JVM runs in another folder. */
    private static String resolve(final String argument) {
        return argument.replaceFirst("^(|[^=]*=)((?:examples|dist)/|README.md$)", "$1" + ProjectPaths.DIR + "/$2");
    }

    private void run(final Page.Step step) throws Exception {
        final StringBuilder printed = new StringBuilder();
        for (final String command : step.commands()) {
            assertTrue(command.startsWith(SCRIPT), command);
            final String address = daemons.isEmpty() ? "127.0.0.1:0" : daemons.getFirst().address;
            final String[] args = command.substring(SCRIPT.length()).replace(PORT, address).split(" ");
            if (args[0].equals("daemon")) {
                daemons.add(new TuttiScript.Daemon(ProjectPaths.DIR, List.of(args).subList(1, args.length).toArray(String[]::new)));
            } else {
                final TuttiScript.Result r = toScript.remove(args[0]) || !command.contains("--connect") ? TuttiScript.run(ProjectPaths.DIR, args)
                    : CommandInJvm.run(Stream.of(args).map(GuideIT::resolve).toArray(String[]::new));
                assertEquals(0, r.status(), () -> command + "\n" + r);
                printed.append(r.out());
            }
        }
        assertEquals(List.of(), step.missing(printed.toString()), printed::toString);
    }
}
