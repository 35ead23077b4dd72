package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a daemon that loads modules and configurations from a folder. */
@Tag("nightly")
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class LoadFolderIT {
    /** Bundle entry that declares the parameter {@code coll.basic.k}. */
    private static final Map<String, String> PARAMETER_K = Map.of("OSGI-INF/metatype/k.xml", """
        <?xml version="1.0" encoding="UTF-8"?>
        <metatype:MetaData xmlns:metatype="http://www.osgi.org/xmlns/metatype/v1.3.0">
          <OCD id="basic" name="basic"><AD id="k" type="Integer" default="2"/></OCD>
          <Designate pid="coll.basic"><Object ocdref="basic"/></Designate>
        </metatype:MetaData>
        """);

    @TempDir
    private static Path dir;
    private static Path folder;
    private static TuttiScript.Daemon daemon;
    private static List<String> before;

    @BeforeAll
    static void start() throws Exception {
        folder = dir.resolve("load");
        daemon = new TuttiScript.Daemon(dir, "--name", "a", "--load", folder.toString());
        before = versions();
    }

    @AfterAll
    static void stop() {
        daemon.close();
    }

    @AfterEach
    void clear() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (final Path file : files.filter(f -> !f.equals(folder)).sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        awaitSoon().until(() -> versions().equals(before));
    }

    private static ConditionFactory awaitSoon() {
        return await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(100));
    }

    private static List<String> versions() throws Exception {
        final List<String> versions = new ArrayList<>();
        new ObjectMapper().readTree(CommandInJvm.run("modules", "--json", "--connect", daemon.address).out())
            .forEach(m -> {
                if (m.get("name").asText().equals("basic")) {
                    versions.add(m.get("version").asText());
                }
            });
        return versions;
    }

    private static TuttiScript.Result explain() throws Exception {
        return CommandInJvm.run("explain", "--connect", daemon.address, "-n", "2", "-p", "coll.select=basic,^dissem,^recexch,^ring,^smp,^tree",
            "bcast");
    }

    /** Returns the lines of {@code explain} about module basic. */
    private static String explainBasic() throws Exception {
        return explain().out().lines().filter(l -> l.contains("basic")).filter(l -> !l.contains("excluded by")).map(l -> l + "\n")
            .collect(Collectors.joining());
    }

    @Test
    void shouldLoadAndUnloadAModuleWithItsFile() throws Exception {
        assertEquals(1, before.size());
        final Path jar = BasicModuleJar.put(folder, "0.2.0", Map.of());
        awaitSoon().until(() -> versions().equals(List.of(before.getFirst(), "0.2.0")));
        assertEquals("bcast  basic 0.2.0, algorithm binomial, priority 10\n  not basic " + before.getFirst() + ": version 0.2.0 is higher\n",
            explainBasic());
        Files.delete(jar);
        awaitSoon().until(() -> versions().equals(before));
        assertEquals("bcast  basic " + before.getFirst() + ", algorithm binomial, priority 10\n", explainBasic());
    }

    @Test
    void shouldIgnoreBrokenFiles() throws Exception {
        Files.writeString(folder.resolve("garbage.jar"), "this is no jar");
        Files.writeString(folder.resolve("coll.basic.cfg"), "k = \\u00zz\n");
        Files.createDirectories(folder.resolve("folder/in/folder"));
        final Manifest lonely = new Manifest(new ByteArrayInputStream("""
            Manifest-Version: 1.0
            Bundle-ManifestVersion: 2
            Bundle-SymbolicName: lonely
            Import-Package: no.such.thing
            """.getBytes(StandardCharsets.US_ASCII)));
        new JarOutputStream(Files.newOutputStream(folder.resolve("lonely.jar")), lonely).close();
        BasicModuleJar.put(folder, "0.2.0", Map.of());
        awaitSoon().until(() -> versions().contains("0.2.0"));
        assertEquals(0, explain().status());
        assertTrue(daemon.process.isAlive());
    }

    @Test
    void shouldReadParametersFromConfigurations() throws Exception {
        BasicModuleJar.put(folder, "0.2.0", PARAMETER_K);
        awaitSoon().until(() -> versions().contains("0.2.0"));
        assertEquals(0, explain().status());
        final Path configuration = Files.writeString(folder.resolve("coll.basic.cfg"), "k = seven\n");
        awaitSoon().until(() -> explain().status() == 2);
        assertEquals("tutti: bad value: coll.basic.k=seven (from the configuration of the launching node): not a number of its type\n",
            explain().err());
        Files.delete(configuration);
        awaitSoon().until(() -> explain().status() == 0);
    }

    @Test
    void shouldRefuseALoadPathThatIsNotAFolder() throws Exception {
        final Path file = Files.writeString(dir.resolve("file"), "");
        final TuttiScript.Result r = TuttiScript.run(dir, "daemon", "--name", "b", "--load", file.toString());
        assertEquals(2, r.status(), r::toString);
        assertEquals("tutti: not a folder: --load " + file + "\n", r.err());
    }
}
