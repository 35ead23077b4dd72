package tutti.runtime.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import tutti.runtime.process.owner.CallBridge;

class ProgramClassPathTest {
    @TempDir
    Path temp;

    @Test
    void shouldNameAnEntryThatIsMissing() {
        final Path missing = temp.resolve("no.jar");
        assertEquals("class path entry is missing: path=" + missing,
            assertThrows(IOException.class, () -> ProgramClassPath.open(List.of(temp, missing))).getMessage());
    }

    @Test
    void shouldNameAnEntryThatIsNoJar() throws IOException {
        final Path text = Files.writeString(temp.resolve("text.jar"), "no jar");
        final String message = assertThrows(IOException.class, () -> ProgramClassPath.open(List.of(text))).getMessage();
        assertTrue(message.startsWith("class path entry is neither a folder nor a jar: path=" + text + ", reason="), message);
    }

    @Test
    void shouldReadTheVersionsOfAMultiReleaseJarForThisJdk() throws IOException {
        final Path folder = Files.createDirectories(temp.resolve("mr/META-INF/versions/21")).getParent().getParent().getParent();
        Files.writeString(folder.resolve("which.txt"), "old");
        Files.writeString(folder.resolve("META-INF/versions/21/which.txt"), "new");
        final Path jar = Programs.jar(temp.resolve("mr.jar"), folder, Map.of("Multi-Release", "true"));
        try (ProgramClassPath image = ProgramClassPath.open(List.of(jar)); InputStream in = image.open("which.txt");
             InputStream url = image.urls("which.txt").getFirst().openStream()) {
            assertEquals("new", new String(in.readAllBytes(), StandardCharsets.UTF_8));
            assertEquals("new", new String(url.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldCloseAllFiles() throws IOException {
        final Path folder = Programs.compile(Files.createDirectory(temp.resolve("app")), Map.of("App", "class App { }"));
        final Path jar = Programs.jar(temp.resolve("app.jar"), folder, Map.of());
        final ProgramClassPath image = ProgramClassPath.open(List.of(jar));
        try (InputStream in = image.urls("App.class").getFirst().openStream()) {
            assertTrue(in.readAllBytes().length > 0);
        }
        assertSame(image.findClass("App", RankSystem.REDIRECTIONS), image.findClass("App", RankSystem.REDIRECTIONS));
        assertTrue(isOpen(jar));
        image.close();
        image.close();
        assertTrue(!isOpen(jar));
        assertNull(image.findClass("App", RankSystem.REDIRECTIONS));
        assertNull(image.open("App.class"));
        assertEquals(List.of(), image.urls("App.class"));
    }

    @Test
    void shouldLeadCallsToTheMethodsThatStandInForThem() throws Exception {
        final Path folder = Programs.compile(Files.createDirectory(temp.resolve("app")), Map.of(
            "App",
            "public class App { public static int run(Lib l) { java.util.function.IntUnaryOperator o = l::twice; "
                + "return o.applyAsInt(l.twice(1)); } }",
            "Lib", "public class Lib { public final int twice(int n) { return 2 * n; } }",
            "Bridge", "public class Bridge { public static int twice_(Lib l, int n) { return 10 + n; } }"));
        assertEquals(4, run(folder, List.of()));
        assertEquals(21, run(folder, List.of(new CallBridge("Bridge", new byte[0],
            List.of(new CallBridge.BridgedCall("Lib", "twice", "(I)I", false, "twice_", "(LLib;I)I"))))));
    }

    /** Returns what {@code App.run} returns when its class is loaded from a class path with these bridges. */
    private static int run(final Path folder, final List<CallBridge> bridges) throws Exception {
        try (ProgramClassPath classPath = ProgramClassPath.open(List.of(folder))) {
            bridges.forEach(classPath::redirect);
            final ClassLoader loader = new ClassLoader() {
                @Override
                protected Class<?> findClass(final String name) {
                    final byte[] bytes = classPath.findClass(name, RankSystem.REDIRECTIONS).bytes();
                    return defineClass(name, bytes, 0, bytes.length);
                }
            };
            final Class<?> lib = loader.loadClass("Lib");
            return (Integer) loader.loadClass("App").getMethod("run", lib).invoke(null, lib.getConstructor().newInstance());
        }
    }

    @Test
    void shouldLeaveAClassAsItIsThatCallsNothingToBeReplaced() throws IOException {
        final Path folder =
            Programs.compile(Files.createDirectory(temp.resolve("app")), Map.of("App", "class App { int n() { return hashCode(); } }"));
        try (ProgramClassPath classPath = ProgramClassPath.open(List.of(folder))) {
            assertArrayEquals(Files.readAllBytes(folder.resolve("App.class")), classPath.findClass("App", RankSystem.REDIRECTIONS).bytes());
        }
    }

    private static boolean isOpen(final Path file) throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.anyMatch(each -> isLinkTo(each, file));
        }
    }

    private static boolean isLinkTo(final Path link, final Path file) {
        try {
            return Files.readSymbolicLink(link).equals(file.toRealPath());
        } catch (final IOException e) {
            return false;
        }
    }
}
