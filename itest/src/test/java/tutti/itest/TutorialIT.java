package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Types every command of the tutorial, one after the other as a reader does, and compares the output that it promises. */
@Tag("nightly")
@Timeout(value = 1_000, unit = TimeUnit.SECONDS)
class TutorialIT {
    static final String PAGE = "tutorial.md";
    private static final String TUTTI = "/path/to/tutti";
    private static final String PORT = "127.0.0.1:7001";
    private static final String DAEMON = "\"$TUTTI\"/tutti daemon ";
    private static final int STEPS = 12;

    @TempDir
    private Path dir;
    /** Folder in which the reader is. */
    private Path folder;

    /** Runs the commands of a step in the folder in which the last one ended; returns what they print, errors as well. */
    private String type(final TemplateBuild build, final Page.Step step, final String address) throws Exception {
        final Path end = dir.resolve("folder");
        final String script = String.join("\n", step.commands()).replace(TUTTI, ProjectPaths.DIR.toString()).replace(PORT, address);
        final String printed = build.run(folder, "exec 2>&1\n" + script + "\npwd >'" + end + "'\n");
        folder = Path.of(Files.readString(end).strip());
        // Maven resets colours
        return printed.replaceAll("\u001b\\[\\d*m", "");
    }

    @Test
    void shouldLeadFromHelloToACollectiveThatServesAJob() throws Exception {
        final List<Page.Step> steps = Page.steps(ProjectPaths.DIR.resolve("docs/guide").resolve(PAGE));
        assertTrue(steps.size() >= STEPS, () -> "blocks of commands: " + steps.size());
        final int daemon = steps.indexOf(steps.stream().filter(s -> s.commands().getFirst().startsWith(DAEMON)).findFirst().orElseThrow());
        folder = dir;
        try (TemplateBuild build = new TemplateBuild(dir)) {
            for (final Page.Step step : steps.subList(0, daemon)) {
                check(step, type(build, step, PORT));
            }
            final String start = steps.get(daemon).commands().getFirst().substring(DAEMON.length());
            try (TuttiScript.Daemon a = new TuttiScript.Daemon(folder, start.replace(PORT, "127.0.0.1:0").split(" "))) {
                for (final Page.Step step : steps.subList(daemon + 1, steps.size())) {
                    check(step, type(build, step, a.address));
                }
                assertTrue(a.process.waitFor(60, TimeUnit.SECONDS), "the last command stops the daemon");
            }
        }
    }

    private static void check(final Page.Step step, final String printed) {
        assertEquals(List.of(), step.missing(printed), () -> String.join("\n", step.commands()) + "\n" + printed);
    }
}
