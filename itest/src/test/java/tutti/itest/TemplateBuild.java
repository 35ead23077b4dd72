package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Builds of templates by Maven: offline, with a local repository that holds all downloaded artifacts but those of Tutti, as that of an author. */
final class TemplateBuild implements AutoCloseable {
    /** Options of short-lived JVMs. */
    private static final String SHORT_LIVED = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1";

    /** A build with tests in containers, on a machine that does other things. */
    private static final int LIMIT_SECONDS = 900;

    private final Path repository;

    /** Creates the repository in a folder. */
    TemplateBuild(final Path dir) throws IOException {
        repository = Files.createDirectory(dir.resolve("m2"));
        try (Stream<Path> groups = Files.list(Path.of(System.getProperty("localRepository")))) {
            for (final Path group : groups.filter(g -> !g.endsWith("tutti")).toList()) {
                Files.createSymbolicLink(repository.resolve(group.getFileName()), group);
            }
        }
    }

    /** Runs a script in which {@code mvn} uses the repository; returns its output without colours. The script must succeed. */
    String run(final Path folder, final String script) throws Exception {
        return bash(folder, script.replace("mvn ", "mvn -o -B -Daether.offline.protocols=file -Dmaven.repo.local='" + repository + "' -DargLine='"
            + SHORT_LIVED + "' ")).out().replaceAll("\u001b\\[[0-9;]*m", "");
    }

    /** Runs a script, which must succeed. */
    static TuttiScript.Result bash(final Path folder, final String script) throws Exception {
        final ProcessBuilder builder = new ProcessBuilder("bash", "-euc", script).directory(folder.toFile());
        builder.environment().put("TUTTI", ProjectPaths.DIR.toString());
        builder.environment().put("MAVEN_OPTS", SHORT_LIVED);
        builder.environment().putAll(TuttiScript.SHORT_LIVED);
        // where tutti.junit unpacks its node, not in that of the user
        builder.environment().put("XDG_CACHE_HOME", ProjectPaths.DIR.resolve("itest/target/cache").toString());
        builder.environment().merge("PATH", Path.of(System.getProperty("maven.home"), "bin").toString(), (path, maven) -> maven
            + File.pathSeparator + path);
        final TuttiScript.Result r = TuttiScript.finish(builder.start(), System.nanoTime(), LIMIT_SECONDS);
        assertEquals(0, r.status(), () -> script + "\n" + r);
        return r;
    }

    /** Removes the links, so that the folder can be deleted. */
    @Override
    public void close() throws IOException {
        try (Stream<Path> groups = Files.list(repository)) {
            for (final Path group : groups.filter(Files::isSymbolicLink).toList()) {
                Files.delete(group);
            }
        }
    }
}
