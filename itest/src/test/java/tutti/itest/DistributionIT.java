package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Unpacks the archive of the distribution in another folder, and runs it without sources. */
@Timeout(value = 1_000, unit = TimeUnit.SECONDS)
class DistributionIT {
    private static final int NOBODY = 65_534;

    /** Folder of the installation that tests share: its archives of classes take their time to be made. */
    @TempDir
    private static Path shared;
    @TempDir
    private Path dir;
    private Path installed;

    /** Unpacks the archive into the folder, unless that is done. Returns the installation. */
    private static Path unpack(final Path folder) throws Exception {
        final Path home = folder.resolve("tutti 0.1");
        if (!Files.exists(home)) {
            final TuttiScript.Result unpacked = run(folder, Map.of(), List.of("tar", "-xzf", archive(".tar.gz").toString()));
            assertEquals(0, unpacked.status(), unpacked::toString);
            Files.move(folder.resolve(archive("").getFileName()), home);
        }
        return home;
    }

    @BeforeEach
    void install() throws Exception {
        installed = unpack(shared);
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
        return run(dir, environment, line);
    }

    private static TuttiScript.Result run(final Path folder, final Map<String, String> environment, final List<String> line) throws Exception {
        final ProcessBuilder builder = new ProcessBuilder(line).directory(folder.toFile());
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

    @Tag("nightly")
    @Test
    void shouldRunWithArchivesOfClassesAndLookForNoSources() throws Exception {
        final Path tools = Files.createDirectories(dir.resolve("tools"));
        for (final String tool : List.of("find", "mvn")) {
            Files.writeString(tools.resolve(tool), "#!/bin/sh\necho \"$0\" >>'" + dir.resolve("used") + "'\n");
            Files.setPosixFilePermissions(tools.resolve(tool), PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        final TuttiScript.Result r = tutti(Map.of("PATH", tools + ":" + System.getenv("PATH")), "run", "-n", "3", "Hello.java");
        assertEquals("hello\n".repeat(3), r.out(), r::toString);
        assertEquals("", r.complaints(), r::toString);
        assertFalse(Files.exists(dir.resolve("used")));

        assertEquals(List.of("source: shared objects file"), loadedFrom("tutti.cli.Main", "--version"));
        final String shared = "source: shared objects file";
        assertEquals(List.of(shared, shared), loadedFrom("tutti.daemon.control.NodeService", "run", "-n", "3", "Hello.java"));
    }

    @Tag("nightly")
    @Test
    void shouldMakeArchivesAgainForAnotherJdkAndForChangedJars() throws Exception {
        final Path made = installed.resolve("archived");
        assertEquals(0, tutti(Map.of(), "--version").status());
        final FileTime first = archived("client");
        assertEquals(0, tutti(Map.of(), "--version").status());
        assertEquals(first, archived("client"), "archives are made once");

        Files.setLastModifiedTime(installed.resolve("boot/tutti.cli.jar"), FileTime.from(Instant.now()));
        assertEquals(0, tutti(Map.of(), "--version").status());
        assertNotEquals(first, archived("client"), "a jar is newer than the archives");
        assertEquals(List.of("source: shared objects file"), loadedFrom("tutti.cli.Main", "--version"));

        final Path jdk = jdkThatMakesNoArchives();
        final List<Path> archives = List.of(made, installed.resolve("client.jsa"), installed.resolve("node.jsa"));
        for (final Path archive : archives) {
            Files.copy(archive, dir.resolve(archive.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
        }
        assertEquals(0, tutti(Map.of("TUTTI_JAVA_HOME", jdk.toString()), "--version").status());
        assertTrue(Files.readString(made).contains(jdk + "\n") && Files.notExists(installed.resolve("client.jsa"))
            && Files.notExists(installed.resolve("node.jsa")), "another JDK needs archives of its own");
        for (final Path archive : archives) {
            Files.copy(dir.resolve(archive.getFileName()), archive, StandardCopyOption.COPY_ATTRIBUTES, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Returns the folder of a JDK of another build, whose JVM runs no daemons, so that there is nothing to make archives of. */
    private Path jdkThatMakesNoArchives() throws IOException {
        final Path real = Path.of(System.getProperty("java.home"));
        final Path jdk = dir.resolve("other jdk");
        Files.createDirectories(jdk.resolve("bin"));
        Files.writeString(jdk.resolve("release"), Files.readString(real.resolve("release")).replace("JAVA_VERSION=\"25", "JAVA_VERSION=\"25.0.0"));
        Files.createSymbolicLink(jdk.resolve("bin/javac"), real.resolve("bin/javac"));
        final Path java = Files.writeString(jdk.resolve("bin/java"), "#!/bin/sh\ncase \"$*\" in *--version) exec '" + real.resolve("bin/java")
            + "' \"$@\" ;; esac\nexit 1\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        return jdk;
    }

    @Test
    void shouldRefuseAFolderWithoutAJdkThatItIsTold() throws Exception {
        final TuttiScript.Result r = tutti(Map.of("TUTTI_JAVA_HOME", dir.toString()), "--version");
        assertEquals("tutti: not a JDK 25: TUTTI_JAVA_HOME=" + dir + "; set it to the folder of a JDK 25, or unset it\n", r.err());
        assertEquals(3, r.status());
    }

    @Tag("nightly")
    @Test
    void shouldRunInAFolderThatCannotBeWritten() throws Exception {
        installed = unpack(dir);
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
            assertEquals("", r.complaints(), r::toString);
            assertFalse(Files.exists(installed.resolve("archived")) || Files.exists(installed.resolve("client.jsa")));
        } finally {
            Files.setPosixFilePermissions(installed, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    @Tag("nightly")
    @Test
    void shouldRunByALink() throws Exception {
        Files.createSymbolicLink(dir.resolve("here"), installed.resolve("bin/tutti"));
        final TuttiScript.Result r = run(Map.of(), List.of(dir.resolve("here").toString(), "--version"));
        assertTrue(r.status() == 0 && r.out().startsWith("tutti "), r::toString);
    }

    private String bash(final String script) throws Exception {
        final TuttiScript.Result r = run(Map.of(), List.of("bash", "-euc", script, "bash", installed.toString()));
        assertEquals(0, r.status(), r::toString);
        return r.out();
    }

    @Test
    void shouldCompleteCommandsAndOptionsInBash() throws Exception {
        assertEquals("""
            complete -o default -F _complete_tutti tutti
            rollback
            --map
            block slot node cyclic
            """, bash("""
            set +eu
            # bash knows it during a completion alone
            compopt() { :; }
            . "$1/share/bash-completion/completions/tutti"
            complete -p tutti
            complete_last() {
              COMP_WORDS=("$@")
              COMP_CWORD=$(($# - 1))
              _complete_tutti
              echo "${COMPREPLY[@]}"
            }
            complete_last tutti roll
            complete_last tutti run --map
            complete_last tutti run --map ''
            """));
    }

    @Test
    void shouldHaveAManualPageOfEachCommand() throws Exception {
        final List<String> commands = CommandInJvm.run("--help").out().lines().dropWhile(l -> !l.equals("Commands:")).skip(1)
            .filter(l -> l.matches("  \\w.*")).map(l -> l.strip().split(" ")[0]).toList();
        assertTrue(commands.contains("run"), commands::toString);
        final Set<String> expected = new TreeSet<>(Set.of("tutti.1"));
        commands.forEach(c -> expected.add("tutti-" + c + ".1"));
        final Path manual = installed.resolve("share/man/man1");
        try (Stream<Path> pages = Files.list(manual)) {
            assertEquals(expected, pages.map(p -> p.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new)));
        }
        final List<String> sections = Files.readAllLines(manual.resolve("tutti-run.1")).stream().filter(l -> l.startsWith(".SH ")).toList();
        assertEquals(List.of(".SH \"NAME\"", ".SH \"SYNOPSIS\"", ".SH \"DESCRIPTION\"", ".SH \"OPTIONS\"", ".SH \"ARGUMENTS\"",
            ".SH \"EXIT STATUS: THAT OF THE PROGRAM, OR\""), sections);
        // warnings of the formatter, where there is one
        assertEquals("", bash("if command -v groff >/dev/null; then groff -man -Tutf8 -ww -z \"$1\"/share/man/man1/*.1 2>&1; fi"));
    }

    @Test
    void shouldHaveTextsWithPathsOfTheArchive() throws Exception {
        final List<String> pages = new ArrayList<>(List.of("README.md"));
        for (final String folder : List.of("docs", "docs/guide")) {
            try (Stream<Path> files = Files.list(installed.resolve(folder))) {
                files.filter(f -> f.toString().endsWith(".md")).forEach(f -> pages.add(installed.relativize(f).toString()));
            }
        }
        int commands = 0;
        for (final String page : pages) {
            for (final Page.Step step : Page.steps(installed.resolve(page))) {
                for (final String command : step.commands()) {
                    assertFalse(command.contains("dist/target/") || command.startsWith("./tutti"), page + ": " + command);
                    for (final String word : command.split("[ =:]")) {
                        if (word.matches("(bin|examples|felix|modules)/.*")) {
                            assertTrue(Files.exists(installed.resolve(word)), page + ": " + command);
                            commands++;
                        }
                    }
                }
            }
        }
        assertTrue(commands > 50, "paths in commands: " + commands);
    }

    @Tag("nightly")
    @Test
    void shouldStartANodeInAContainerOfFelixAsThePageSays() throws Exception {
        final String command = Page.steps(installed.resolve("docs/guide").resolve(FelixIT.PAGE)).get(1).commands().getFirst();
        assertTrue(command.startsWith("java "), command);
        final ProcessBuilder builder = new ProcessBuilder("bash", "-c", "exec " + command.replace("127.0.0.1:7001", "127.0.0.1:0")
            .replaceFirst("^java", Path.of(System.getProperty("java.home"), "bin/java") + " -Dtutti.node.folder='" + dir.resolve("node") + "'"))
            .directory(installed.toFile()).redirectErrorStream(true).redirectOutput(dir.resolve("felix.log").toFile());
        final Process felix = builder.start();
        try {
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                final Matcher ready = Pattern.compile("127\\.0\\.0\\.1:\\d+").matcher(Files.readString(dir.resolve("felix.log")));
                assertTrue(ready.find(), () -> log("felix.log"));
                final TuttiScript.Result nodes = CommandInJvm.run("nodes", "--connect", ready.group());
                assertEquals(0, nodes.status(), nodes::toString);
            });
        } finally {
            felix.destroy();
            assertTrue(felix.waitFor(60, TimeUnit.SECONDS));
        }
    }

    /** Returns the jars of others that the distribution has, by their names without {@code .jar}. */
    private Map<String, Path> libraries() throws IOException {
        final Map<String, Path> found = new TreeMap<>();
        for (final String folder : List.of("boot", "bundle", "optional", "felix")) {
            try (Stream<Path> files = Files.walk(installed.resolve(folder))) {
                files.filter(f -> f.toString().endsWith(".jar") && !f.getFileName().toString().startsWith("tutti."))
                    .forEach(f -> found.put(f.getFileName().toString().replaceFirst("\\.jar$", ""), f));
            }
        }
        return found;
    }

    @Test
    void shouldNameTheLicenceOfEveryLibraryAndHaveItsText() throws Exception {
        final Map<String, Path> libraries = libraries();
        // what manifests say, which is a name or an address
        final Map<String, String> declared = Map.of("Apache-2.0", "(?i).*(apache-2\\.0|apache\\.org/licenses/LICENSE-2\\.0).*", "BSD-3-Clause",
            "BSD-3-Clause.*", "EPL-2.0", ".*/epl-v20\\.html.*", "MIT", ".*/license/mit");
        final Set<String> named = new TreeSet<>();
        for (final String line : Files.readAllLines(installed.resolve("NOTICE"))) {
            final String[] row = line.split(" {2,}");
            if (row.length == 3 && !row[0].equals("library")) {
                named.add(row[0]);
                assertTrue(libraries.containsKey(row[0]), () -> "not shipped: " + line);
                try (JarFile jar = new JarFile(libraries.get(row[0]).toFile())) {
                    final String licence = jar.getManifest().getMainAttributes().getValue("Bundle-License");
                    assertTrue(licence == null ? row[0].equals("picocli") : licence.matches(declared.get(row[1])), () -> line + ": " + licence);
                    assertTrue(jar.getEntry(row[2]) != null || Files.exists(installed.resolve(row[2])), line);
                }
            }
        }
        assertEquals(libraries.keySet(), named);
    }

    @Test
    void shouldNameTheLibrariesThatAreInsideItsOwnBundles() throws Exception {
        final Set<String> inside = new TreeSet<>();
        for (final String folder : List.of("boot", "bundle", "optional", "felix")) {
            try (Stream<Path> files = Files.walk(installed.resolve(folder))) {
                for (final Path path : files.filter(f -> f.getFileName().toString().matches("tutti\\..*\\.jar")).toList()) {
                    try (JarFile jar = new JarFile(path.toFile())) {
                        jar.stream().map(e -> e.getName()).filter(n -> n.endsWith(".class") && !n.matches("(META-INF/.*/)?(tutti|mpi)/.*"))
                            .map(n -> n.replaceFirst("^META-INF/versions/\\d+/", "").split("/"))
                            .forEach(n -> inside.add(path.getFileName().toString().replaceFirst("\\.jar$", "") + ": " + n[0] + "." + n[1]));
                    }
                }
            }
        }
        final Set<String> named = new TreeSet<>();
        String bundle = null;
        for (final String line : Files.readAllLines(installed.resolve("NOTICE"))) {
            final Matcher of = Pattern.compile("The bundle (tutti\\.[\\w.]+) has").matcher(line);
            bundle = of.find() ? of.group(1) : line.isEmpty() || line.startsWith("  ") ? bundle : null;
            final Matcher library = Pattern.compile("\\((\\w+\\.\\w+)\\)").matcher(line);
            if (bundle != null && library.find()) {
                named.add(bundle + ": " + library.group(1));
            }
            final Matcher text = Pattern.compile("licenses/[\\w.-]+").matcher(line);
            assertTrue(!text.find() || Files.exists(installed.resolve(text.group())), line);
        }
        assertEquals(inside, named);
    }

    @Test
    void shouldListEveryLibraryInTheBillOfMaterials() throws Exception {
        final Path sbom = installed.resolve(archive("").getFileName() + ".cdx.json");
        // Maven skips the plugin in a build without network
        Assumptions.assumeTrue(Files.exists(sbom));
        final JsonNode bom = new ObjectMapper().readTree(sbom.toFile());
        assertEquals("CycloneDX", bom.get("bomFormat").asText());
        final Set<String> listed = new TreeSet<>();
        for (final JsonNode component : bom.get("components")) {
            if (!component.get("group").asText().equals("tutti")) {
                listed.add(component.get("name").asText());
                assertFalse(component.get("licenses").isEmpty() || component.get("hashes").isEmpty(), component::toString);
            }
        }
        // what only compilers read is listed, too
        assertTrue(listed.containsAll(libraries().keySet()), listed::toString);
    }

    @Tag("nightly")
    @Test
    void shouldHaveWhatAProgramIsBuiltWith() throws Exception {
        final List<Page.Step> steps = Page.steps(installed.resolve("examples/program-template/README.md"));
        final String home = Files.createSymbolicLink(dir.resolve("home"), installed).toString();
        assertEquals(3, steps.size());
        try (TemplateBuild build = new TemplateBuild(dir)) {
            // the tests run in the project that is made from the archetype, and those of the template in RanksIT
            build.run(dir, commands(steps.getFirst()).replace("/path/to/tutti", home).replace(" package", " -DskipTests package"));
            final String copy = TemplateBuild.bash(dir.resolve("sum"), "TUTTI=" + home + "\n" + commands(steps.get(1))).out();
            assertEquals(List.of(), steps.get(1).missing(copy), copy);
            final String made = build.run(dir, "TUTTI=" + home + "\n" + commands(steps.getLast()));
            assertEquals(List.of(), steps.getLast().missing(made), made);
        }
        assertMadeFromTheTemplate(dir.resolve("heat"));
        final Path repository = installed.resolve("repository/tutti");
        for (final String bundle : List.of("tutti.mpi.api", "tutti.coll.api", "tutti.coll.tck", "tutti.coll.patterns",
            "tutti.runtime.transport.api")) {
            for (final String kind : List.of("sources", "javadoc")) {
                try (Stream<Path> files = Files.walk(repository.resolve(bundle))) {
                    assertEquals(1, files.filter(f -> f.toString().endsWith("-" + kind + ".jar")).count(), bundle + " " + kind);
                }
            }
        }
    }

    private static String commands(final Page.Step step) {
        return String.join("\n", step.commands());
    }

    /** Asserts that a project of the archetype has all that the template has, with its own names, and nothing of the archetype. */
    private void assertMadeFromTheTemplate(final Path project) throws IOException {
        final Path template = installed.resolve("examples/program-template");
        try (Stream<Path> files = Files.walk(template)) {
            for (final Path file : files.filter(f -> Files.isRegularFile(f) && !f.endsWith("README.md")).toList()) {
                final String name = template.relativize(file).toString().replace("com/example", "org/example");
                final String text = Files.readString(project.resolve(name));
                for (final String left : List.of("com.example", "\"sum\"", ">sum<", "tutti.home", "tuttiRepository", "${package}", "${artifactId}")) {
                    assertFalse(text.contains(left), () -> name + " has " + left + "\n" + text);
                }
            }
        }
    }

    private String log(final String name) {
        try {
            return Files.readString(dir.resolve(name));
        } catch (final IOException e) {
            return e.toString();
        }
    }

    @Test
    void shouldHaveChecksumsAndBeTheSameInBothArchives() throws Exception {
        installed = unpack(dir);
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
            "examples/module-template/pom.xml", "grafana/tutti.json", "optional/tutti.metrics.jar",
            "repository/tutti/tutti/0.1.0-SNAPSHOT/tutti-0.1.0-SNAPSHOT.pom".replace("0.1.0-SNAPSHOT",
                archive("").getFileName().toString().substring("tutti-".length())))),
            inZip::toString);
    }
}
