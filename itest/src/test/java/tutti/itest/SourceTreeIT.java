package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs every command of CONTRIBUTING.md in a copy of the sources that was never built. */
@Tag("nightly")
@Timeout(value = 1_600, unit = TimeUnit.SECONDS)
class SourceTreeIT {
    private static final String ALGORITHM = "coll.basic/src/main/java/tutti/coll/basic/BinomialBcast.java";

    @TempDir
    private Path dir;

    @BeforeEach
    void copySources() throws Exception {
        final Process git = new ProcessBuilder("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
            .directory(ProjectPaths.DIR.toFile()).start();
        final String files = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, git.waitFor());
        for (final String file : files.split("\0")) {
            // a deleted file that is not committed is still listed
            if (Files.exists(ProjectPaths.DIR.resolve(file))) {
                Files.createDirectories(dir.resolve(file).getParent());
                Files.copy(ProjectPaths.DIR.resolve(file), dir.resolve(file));
            }
        }
        Files.writeString(dir.resolve(".mvn/maven.config"), "\n-o\n-Dmaven.repo.local=" + System.getProperty("localRepository") + "\n",
            StandardOpenOption.APPEND);
        bash("git init -q . && git add -A");
    }

    @Test
    void shouldBuildTestAndReleaseAsThePageSays() throws Exception {
        final List<String> run = new ArrayList<>();
        for (final Page.Step step : Page.steps(ProjectPaths.DIR.resolve("CONTRIBUTING.md"))) {
            for (final String command : step.commands()) {
                // the command that runs this test
                if (!command.equals("mvn verify")) {
                    final TuttiScript.Result r = bash(command);
                    assertEquals(0, r.status(), () -> command + "\n" + r);
                    run.add(command);
                    if (command.startsWith("./tutti ")) {
                        assertUsesAChangedModule(command);
                    }
                }
            }
        }
        assertEquals(4, run.size(), run::toString);
        assertFalse(Files.readString(dir.resolve("cnf/pom.xml")).contains("SNAPSHOT"));
        final TuttiScript.Result refused = bash("cnf/test coll.nothing");
        assertEquals(2, refused.status(), refused::toString);
        assertTrue(refused.err().contains("BUNDLE is one of: cli coll.api coll.basic "), refused::toString);
    }

    /** Asserts that the next run uses a module changed in one line, and that a line that does not compile is reported. */
    private void assertUsesAChangedModule(final String command) throws Exception {
        final String source = Files.readString(dir.resolve(ALGORITHM));
        Files.writeString(dir.resolve(ALGORITHM), source.replace("String NAME = \"binomial\"", "String NAME = \"changed\""));
        assertEquals(0, bash("./tutti --version").status());
        try (JarFile module = new JarFile(dir.resolve("dist/target/tutti/bundle/tutti.coll.basic.jar").toFile());
             InputStream table = module.getInputStream(module.getEntry("tutti/coll/basic/BinomialBcast.class"))) {
            assertTrue(new String(table.readAllBytes(), StandardCharsets.ISO_8859_1).contains("changed"));
        }

        Files.writeString(dir.resolve(ALGORITHM), source.replace("String NAME = \"binomial\"", "String NAME = nothing"));
        final TuttiScript.Result refused = bash(command);
        assertEquals(3, refused.status(), refused::toString);
        assertTrue(refused.err().contains("BinomialBcast.java") && refused.err().contains("nothing"), refused::toString);
        Files.writeString(dir.resolve(ALGORITHM), source);
    }

    private TuttiScript.Result bash(final String command) throws Exception {
        final ProcessBuilder builder = new ProcessBuilder("bash", "-euc", command).directory(dir.toFile());
        builder.environment().merge("PATH", Path.of(System.getProperty("maven.home"), "bin").toString(), (path, maven) -> maven + File.pathSeparator
            + path);
        // some of the commands build all bundles
        return TuttiScript.finish(builder.start(), System.nanoTime(), 1_500);
    }
}
