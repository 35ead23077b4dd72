package tutti.runtime.process;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tutti.runtime.process.owner.RankClasses;

class RankLoaderTest {
    @TempDir
    Path temp;
    private URLClassLoader bundle;
    private ProgramClassPath image;

    @BeforeEach
    void prepare() throws IOException {
        final Path shared = Programs.compile(Files.createDirectory(temp.resolve("shared")), Map.of(
            "api.Comm", "package api; public class Comm { public static int calls; public static String who() { return \"bundle\"; } }",
            "api.Main", "package api; public class Main { public static int rank; public static String who() { return Comm.who(); } }"));
        bundle = new URLClassLoader(new URL[] {shared.toUri().toURL()}, null);
        final Path program = Programs.compile(Files.createDirectory(temp.resolve("program")), Map.of(
            "api.Comm", "package api; public class Comm { public static int calls; public static String who() { return \"program\"; } }",
            "api.Main", "package api; public class Main { public static int rank; public static String who() { return \"program\"; } }",
            "api.Own", "package api; public class Own { }",
            "my.App", "package my; public class App { public static int statics; public static String who() { return api.Main.who(); } }"));
        Files.writeString(program.resolve("my/data.txt"), "data");
        final Path jar = Programs.jar(temp.resolve("app with space.jar"), program,
            Map.of("Implementation-Title", "App", "Implementation-Version", "7"));
        final Path second = Files.createDirectories(temp.resolve("second/my"));
        Files.writeString(second.resolve("data.txt"), "second");
        image = ProgramClassPath.open(List.of(jar, second.getParent()));
    }

    @AfterEach
    void close() throws IOException {
        image.close();
        bundle.close();
    }

    private RankLoader loader() {
        return new RankLoader(image, new SharedClasses(List.of(new RankClasses() {
            @Override
            public Iterable<String> packages() {
                return List.of("api");
            }

            @Override
            public Iterable<String> perRank() {
                return List.of("api.Main");
            }

            @Override
            public ClassLoader loader() {
                return bundle;
            }
        })));
    }

    @Test
    void shouldGiveEveryRankItsOwnStatics() throws ReflectiveOperationException {
        final Class<?> first = loader().loadClass("my.App");
        final Class<?> second = loader().loadClass("my.App");
        first.getField("statics").setInt(null, 5);
        assertEquals(0, second.getField("statics").getInt(null));
    }

    @Test
    void shouldShareThePackagesOfABundleButForItsClassesPerRank() throws ReflectiveOperationException {
        final RankLoader first = loader();
        final RankLoader second = loader();
        assertSame(bundle.loadClass("api.Comm"), first.loadClass("api.Comm"));
        assertSame(first, first.loadClass("api.Main").getClassLoader());
        assertNotSame(first.loadClass("api.Main"), second.loadClass("api.Main"));
        assertEquals("bundle", first.loadClass("my.App").getMethod("who").invoke(null));
        assertThrows(ClassNotFoundException.class, () -> first.loadClass("api.Own"));
    }

    @Test
    void shouldLoadTheJdkFromTheJdkAndNothingOfTheRuntime() throws ReflectiveOperationException {
        final RankLoader loader = loader();
        assertSame(String.class, loader.loadClass("java.lang.String"));
        assertSame(java.sql.Date.class, loader.loadClass("java.sql.Date"));
        assertSame(RankSystem.class, loader.loadClass(RankSystem.class.getName()));
        assertThrows(ClassNotFoundException.class, () -> loader.loadClass(RankLoader.class.getName()));
        assertThrows(ClassNotFoundException.class, () -> loader.loadClass("org.slf4j.Logger"));
    }

    @Test
    void shouldDescribePackagesAndSources() throws Exception {
        final Class<?> app = loader().loadClass("my.App");
        assertEquals("App", app.getPackage().getImplementationTitle());
        assertEquals("7", app.getPackage().getImplementationVersion());
        assertEquals(temp.resolve("app with space.jar"), Path.of(location(app).toURI()));
        assertSame(app.getClassLoader(), app.getProtectionDomain().getClassLoader());
    }

    private static URL location(final Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    @Test
    void shouldFindResourcesInOrder() throws IOException {
        final RankLoader loader = loader();
        try (InputStream in = loader.getResourceAsStream("my/data.txt"); InputStream url = loader.getResource("my/data.txt").openStream()) {
            assertArrayEquals("data".getBytes(), in.readAllBytes());
            assertArrayEquals("data".getBytes(), url.readAllBytes());
        }
        final List<URL> all = Collections.list(loader.getResources("my/data.txt"));
        assertEquals(2, all.size());
        try (InputStream second = all.get(1).openStream()) {
            assertArrayEquals("second".getBytes(), second.readAllBytes());
        }
        assertNull(loader.getResource("my/none.txt"));
        assertNull(loader.getResourceAsStream("my/none.txt"));
        assertNull(loader.getResourceAsStream("../program/my/data.txt"));
    }
}
