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
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that the folder for auto-deploy, the index, the run of bnd, the Feature and the BOM have the same bundles. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class BundleSetTest {
    private static final Path FELIX = ProjectPaths.DIR.resolve("dist/target/felix");
    private static final String VERSION = "[0-9A-Za-z.-]+";

    /** Returns the first groups of all matches. */
    private static TreeSet<String> all(final String text, final String regex) {
        return Pattern.compile(regex).matcher(text).results().map((MatchResult m) -> m.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<Path> jars() throws IOException {
        try (Stream<Path> files = Files.list(FELIX.resolve("bundle"))) {
            return files.toList();
        }
    }

    private static TreeSet<String> symbolicNames() throws IOException {
        final TreeSet<String> names = new TreeSet<>();
        for (final Path jar : jars()) {
            try (JarFile file = new JarFile(jar.toFile())) {
                names.add(file.getManifest().getMainAttributes().getValue("Bundle-SymbolicName").replaceFirst(";.*", "").strip());
            }
        }
        return names;
    }

    @Test
    void shouldHaveTheBundlesOfOurOwnContainersWithoutLogback() throws IOException {
        final TreeSet<String> names = new TreeSet<>(jars().stream().map(j -> j.getFileName().toString()).toList());
        assertTrue(names.containsAll(ProjectPaths.bundles().stream().map(j -> j.getFileName().toString()).toList()), names::toString);
        assertTrue(names.stream().noneMatch(n -> n.startsWith("logback") || n.contains("gogo.shell")), names::toString);
    }

    @Test
    void shouldBeWhatBndResolves() throws IOException {
        final String run = Files.readString(FELIX.resolve("node.bndrun"));
        assertEquals(symbolicNames(), all(run.substring(run.indexOf("-runbundles:")), "([\\w.-]+);version="));
    }

    @Test
    void shouldBeInTheIndex() throws IOException {
        final TreeSet<String> expected = new TreeSet<>(jars().stream().map(j -> "bundle/" + j.getFileName()).toList());
        expected.addAll(List.of("console/org.apache.felix.gogo.shell.jar", "org.apache.felix.main.jar"));
        // bnd describes the parts of multi-release jars by resources of their own
        assertEquals(expected, all(Files.readString(FELIX.resolve("index.xml")), "<attribute name=\"url\" value=\"((?!urn:)[^\"]+)\""));
    }

    @Test
    void shouldBeTheBundlesOfTheFeature() throws IOException {
        final JsonNode feature = new ObjectMapper().readTree(FELIX.resolve("node.feature.json").toFile());
        final List<String> artifacts = new ArrayList<>();
        for (final JsonNode bundle : feature.get("bundles")) {
            final String id = bundle.get("id").asText();
            assertTrue(id.matches("[\\w.]+:[\\w.-]+:" + VERSION), id);
            artifacts.add(id.split(":")[1] + ".jar");
        }
        assertEquals(new TreeSet<>(jars().stream().map(j -> j.getFileName().toString()).toList()), new TreeSet<>(artifacts));
        assertTrue(feature.get("id").asText().matches("tutti:tutti\\.dist:osgifeature:node:" + VERSION), feature.get("id").asText());
        assertEquals("${name}", feature.get("configurations").get("tutti.node").get("name").asText());
        assertTrue(feature.get("variables").get("name").isNull());
    }

    @Test
    void shouldHaveAllBundlesOfTheProjectInTheBom() throws IOException {
        final TreeSet<String> bundles = new TreeSet<>();
        for (final String module : all(Files.readString(ProjectPaths.DIR.resolve("pom.xml")), "<module>([^<]+)</module>")) {
            final String pom = Files.readString(ProjectPaths.DIR.resolve(module).resolve("pom.xml"));
            if (pom.contains("<artifactId>bnd-maven-plugin</artifactId>") && !module.equals("cnf") && !module.startsWith("examples/")) {
                bundles.add("tutti." + module);
            }
        }
        assertEquals(bundles,
            all(Files.readString(ProjectPaths.DIR.resolve("bom/pom.xml")), "<dependency><groupId>tutti</groupId><artifactId>([^<]+)<"));
    }
}
