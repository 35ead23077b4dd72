package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Unpacks the archive of the distribution in another folder, and runs it without sources. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class DistributionIT {
    private static final int NOBODY = 65_534;

    @TempDir
    private Path dir;
    private Path installed;

    @BeforeEach
    void install() throws Exception {
        final TuttiScript.Result unpacked = run(Map.of(), List.of("tar", "-xzf", archive(".tar.gz").toString()));
        assertEquals(0, unpacked.status(), unpacked::toString);
        installed = dir.resolve("tutti 0.1");
        Files.move(dir.resolve(archive("").getFileName()), installed);
        Files.writeString(dir.resolve("Hello.java"), "public class Hello { public static void main(String[] a) { System.out.println(\"hello\"); } }");
    }

    /** Returns the path of the built archive whose name ends so. */
    private static Path archive(final String end) throws IOException {
        final Path target = ProjectPaths.DIR.resolve("dist/target");
        try (Stream<Path> files = Files.list(target)) {
            final String name = files.map(f -> f.getFileName().toString()).filter(n -> n.startsWith("tutti-") && n.endsWith(".tar.gz")).findFirst()
                .orElseThrow();
            return target.resolve(name.substring(0, name.length() - ".tar.gz".length()) + end);
        }
    }

    private TuttiScript.Result tutti(final Map<String, String> environment, final String... args) throws Exception {
        return run(environment, Stream.concat(Stream.of(installed.resolve("bin/tutti").toString()), Stream.of(args)).toList());
    }

    private TuttiScript.Result run(final Map<String, String> environment, final List<String> line) throws Exception {
        final ProcessBuilder builder = new ProcessBuilder(line).directory(dir.toFile());
        builder.environment().putAll(TuttiScript.SHORT_LIVED);
        builder.environment().putAll(environment);
        return TuttiScript.finish(builder.start(), System.nanoTime());
    }

    private FileTime archived(final String name) throws IOException {
        return Files.getLastModifiedTime(installed.resolve(name + ".jsa"));
    }

    /** Returns the lines of the JVM's log of a command, and of the nodes that it starts, that say where a class was loaded from. */
    private List<String> loadedFrom(final String type, final String... args) throws Exception {
        final Path logs = Files.createTempDirectory(dir, "log");
        final TuttiScript.Result r = tutti(Map.of("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + logs + "/%p.log"), args);
        assertEquals(0, r.status(), r::toString);
        final List<String> from = new ArrayList<>();
        try (Stream<Path> files = Files.list(logs)) {
            for (final Path log : files.toList()) {
                try (Stream<String> lines = Files.lines(log)) {
                    lines.filter(l -> l.contains(" " + type + " source: ")).map(l -> l.substring(l.indexOf("source: "))).forEach(from::add);
                }
            }
        }
        return from;
    }

    @Test
    void shouldRunWithArchivesOfClassesAndLookForNoSources() throws Exception {
        final Path tools = Files.createDirectories(dir.resolve("tools"));
        for (final String tool : List.of("find", "mvn")) {
            Files.writeString(tools.resolve(tool), "#!/bin/sh\necho \"$0\" >>'" + dir.resolve("used") + "'\n");
            Files.setPosixFilePermissions(tools.resolve(tool), PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        final TuttiScript.Result r = tutti(Map.of("PATH", tools + ":" + System.getenv("PATH")), "run", "-n", "3", "Hello.java");
        assertEquals("hello\n".repeat(3), r.out(), r::toString);
        assertEquals("", r.err(), r::toString);
        assertFalse(Files.exists(dir.resolve("used")));

        assertEquals(List.of("source: shared objects file"), loadedFrom("tutti.cli.Main", "--version"));
        final String shared = "source: shared objects file";
        assertEquals(List.of(shared, shared), loadedFrom("tutti.daemon.control.NodeService", "run", "-n", "3", "Hello.java"));
    }

    @Test
    void shouldMakeArchivesAgainForAnotherJdkAndForChangedJars() throws Exception {
        final Path made = installed.resolve("archived");
        assertEquals(0, tutti(Map.of(), "--version").status());
        final FileTime first = archived("client");
        assertEquals(0, tutti(Map.of(), "--version").status());
        assertEquals(first, archived("client"), "archives are made once");

        Files.writeString(made, Files.readString(made).replace("JAVA_VERSION=\"25", "JAVA_VERSION=\"25.0.0"));
        assertEquals(0, tutti(Map.of(), "--version").status());
        final FileTime second = archived("client");
        assertNotEquals(first, second, "another build of the JDK made the archives");

        Files.setLastModifiedTime(installed.resolve("boot/tutti.cli.jar"), FileTime.from(Instant.now()));
        assertEquals(0, tutti(Map.of(), "--version").status());
        assertNotEquals(second, archived("client"), "a jar is newer than the archives");
        assertEquals(List.of("source: shared objects file"), loadedFrom("tutti.cli.Main", "--version"));
    }

    @Test
    void shouldRunInAFolderThatCannotBeWritten() throws Exception {
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(installed, PosixFilePermissions.fromString("r-xr-xr-x"));
        final List<String> line = new ArrayList<>();
        if ("root".equals(System.getProperty("user.name"))) {
            // root may write everywhere
            line.addAll(List.of("setpriv", "--reuid", "" + NOBODY, "--regid", "" + NOBODY, "--clear-groups"));
        }
        line.addAll(List.of(installed.resolve("bin/tutti").toString(), "run", "-n", "2", "Hello.java"));
        try {
            final TuttiScript.Result r = run(Map.of(), line);
            assertEquals("hello\n".repeat(2), r.out(), r::toString);
            assertEquals("", r.err(), r::toString);
            assertFalse(Files.exists(installed.resolve("archived")) || Files.exists(installed.resolve("client.jsa")));
        } finally {
            Files.setPosixFilePermissions(installed, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    @Test
    void shouldRunByALink() throws Exception {
        Files.createSymbolicLink(dir.resolve("here"), installed.resolve("bin/tutti"));
        final TuttiScript.Result r = run(Map.of(), List.of(dir.resolve("here").toString(), "--version"));
        assertTrue(r.status() == 0 && r.out().startsWith("tutti "), r::toString);
    }

    @Test
    void shouldHaveChecksumsAndBeTheSameInBothArchives() throws Exception {
        for (final String sum : List.of("sha256", "sha512")) {
            for (final String kind : List.of(".zip", ".tar.gz")) {
                final TuttiScript.Result r = run(Map.of(), List.of("sh", "-c", "cd \"$1\" && " + sum + "sum -c \"$2\"", "sh",
                    archive("").getParent().toString(), archive(kind + "." + sum).toString()));
                assertEquals(0, r.status(), r::toString);
            }
        }
        final Set<String> inZip = new TreeSet<>();
        try (ZipFile zip = new ZipFile(archive(".zip").toFile())) {
            zip.stream().filter(e -> !e.isDirectory()).forEach(e -> inZip.add(e.getName().substring(e.getName().indexOf('/') + 1)));
        }
        try (Stream<Path> files = Files.walk(installed)) {
            assertEquals(inZip, files.filter(Files::isRegularFile).map(f -> installed.relativize(f).toString())
                .collect(Collectors.toCollection(TreeSet::new)));
        }
        assertTrue(inZip.containsAll(List.of("LICENSE", "README.md", "bin/tutti", "systemd/tutti.service", "docs/new-collective.md",
            "examples/module-template/pom.xml", "repository/tutti/tutti/0.1.0-SNAPSHOT/tutti-0.1.0-SNAPSHOT.pom".replace("0.1.0-SNAPSHOT",
                archive("").getFileName().toString().substring("tutti-".length())))),
            inZip::toString);
    }
}
