package tutti.daemon.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tutti.runtime.process.owner.RankProgram;

class ProgramJarsTest {
    @TempDir
    private Path dir;
    private ProgramJars jars;

    @BeforeEach
    void open() {
        jars = new ProgramJars(dir.resolve("made"));
    }

    private Path jar(final String name, final Map<String, String> attributes) throws IOException {
        final Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.forEach((key, value) -> manifest.getMainAttributes().putValue(key, value));
        final Path jar = dir.resolve(name);
        Files.createDirectories(jar.getParent());
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
        return jar;
    }

    @Test
    void shouldFollowTheManifestsOfAllJarsOfTheClassPath() throws IOException {
        final Path last = jar("lib/c.jar", Map.of("Class-Path", "missing.jar"));
        final Path library = jar("lib/a b.jar", Map.of("Class-Path", "c.jar ../main.jar"));
        final Path program = jar("main.jar", Map.of("Class-Path", "lib/a%20b.jar missing.jar lib/c.jar"));
        jars.add(program);
        jars.add(last);
        assertEquals(List.of(program, library, last), jars.files());
    }

    @Test
    void shouldAddAgentsAndKeepTheOptionsForAJvmOfARank() throws IOException {
        final Path program = jar("main.jar", Map.of("Main-Class", "app.Main", "Launcher-Agent-Class", "app.Agent"));
        final Path agent = jar("agent.jar", Map.of("Premain-Class", "app.Other"));
        final JavaCommandLine line = JavaCommandLine.parse(List.of("-Xmx96m", "-javaagent:" + agent + "=x=y", "--add-modules=java.sql",
            "-javaagent:" + dir.resolve(".").resolve("main.jar"), "-jar", program.toString()), p -> p);
        final RankProgram.Options options = jars.withOwnJvm(jars.addExecutable(program, line), line, p -> p).options();
        assertEquals(List.of(program, agent), jars.files());
        assertEquals(List.of("-Xmx96m", "--add-modules=java.sql"), options.jvm());
        assertEquals(List.of(new RankProgram.Agent(1, "x=y", false), new RankProgram.Agent(0, null, false), new RankProgram.Agent(0, null, true)),
            options.agents());
    }

    @Test
    void shouldRefuseAnAgentThatIsMissing() throws IOException {
        final JavaCommandLine line = JavaCommandLine.parse(List.of("-javaagent:" + dir.resolve("none.jar"), "app.Main"), p -> p);
        assertEquals("no such file: -javaagent:" + dir.resolve("none.jar"), assertThrows(IOException.class,
            () -> jars.withOwnJvm(new ProgramJars.Main("app.Main", line.options(), List.of()), line, p -> p)).getMessage());
    }

    @Test
    void shouldTakeWhatTheManifestOfAnExecutableJarAsksFor() throws IOException {
        final Path program = jar("main.jar", Map.of("Main-Class", "app.Main ", "Add-Opens", "java.base/java.lang  java.base/java.util", "Add-Exports",
            "java.base/sun.nio.ch", "Enable-Native-Access", "ALL-UNNAMED", "Launcher-Agent-Class", "app.Agent"));
        final ProgramJars.Main main = jars.addExecutable(program,
            JavaCommandLine.parse(List.of("--add-opens=java.base/java.io=ALL-UNNAMED", "-jar", "main.jar"), p -> p));
        assertEquals("app.Main", main.name());
        assertEquals(List.of("java.base/java.io", "java.base/java.lang", "java.base/java.util"), main.options().opens());
        assertEquals(List.of("java.base/sun.nio.ch"), main.options().exports());
        assertEquals(List.of("Launcher-Agent-Class app.Agent"), main.ignored());
        final Path library = jar("library.jar", Map.of());
        assertEquals("no Main-Class in the manifest of " + library + ": name the class and give the jar with --cp", assertThrows(IOException.class,
            () -> jars.addExecutable(library, JavaCommandLine.parse(List.of("-jar", "library.jar"), p -> p))).getMessage());
    }

    @Test
    void shouldPackFoldersUnderTheirNames() throws IOException {
        Files.writeString(Files.createDirectories(dir.resolve("classes/app")).resolve("x.txt"), "hello");
        jars.add(dir.resolve("classes"));
        final Path packed = jars.files().getFirst();
        assertEquals("classes.jar", packed.getFileName().toString());
        try (JarFile jar = new JarFile(packed.toFile())) {
            assertEquals("hello", new String(jar.getInputStream(jar.getEntry("app/x.txt")).readAllBytes()));
        }
    }

    @Test
    void shouldExpandWildcardsToTheJarsOfAFolder() throws IOException {
        final Path b = jar("lib/b.JAR", Map.of());
        final Path a = jar("lib/a.jar", Map.of());
        Files.writeString(dir.resolve("lib/c.txt"), "");
        Files.createDirectories(dir.resolve("lib/d.jar"));
        assertEquals(List.of(a, b), ProgramJars.expand(dir.resolve("lib") + "/*"));
        assertEquals(List.of(a), ProgramJars.expand(a.toString()));
        assertNull(ProgramJars.expand(dir.resolve("none") + "/*"));
        assertNull(ProgramJars.expand(dir.resolve("none").toString()));
    }

    @Test
    void shouldFindClassesInFoldersAndJars() throws IOException {
        Files.writeString(Files.createDirectories(dir.resolve("classes/app")).resolve("X.class"), "");
        assertTrue(ProgramJars.hasClass(dir.resolve("classes"), "app.X"));
        jars.add(dir.resolve("classes"));
        assertTrue(ProgramJars.hasClass(jars.files().getFirst(), "app.X"));
        assertFalse(ProgramJars.hasClass(jars.files().getFirst(), "app.Y"));
    }
}
