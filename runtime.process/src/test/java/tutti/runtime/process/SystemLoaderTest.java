package tutti.runtime.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

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

class SystemLoaderTest {
    @TempDir
    private Path folder;
    private ProgramClassPath classPath;
    private RankLoader rank;
    private SystemLoader loader;

    @BeforeEach
    void open() throws Exception {
        Programs.compile(folder, Map.of("OfRank", "public class OfRank { }"));
        Files.writeString(folder.resolve("of-rank.txt"), "x");
        classPath = ProgramClassPath.open(List.of(folder));
        rank = new RankLoader(classPath, new SharedClasses(List.of()));
        loader = new SystemLoader(rank);
    }

    @AfterEach
    void close() {
        classPath.close();
    }

    @Test
    void shouldFindClassesOfTheRankThenThoseOfTheJvm() throws Exception {
        assertSame(rank.loadClass("OfRank"), Class.forName("OfRank", true, loader));
        assertSame(String.class, loader.loadClass("java.lang.String"));
        assertSame(SystemLoaderTest.class, loader.loadClass(SystemLoaderTest.class.getName()));
        assertThrows(ClassNotFoundException.class, () -> loader.loadClass("Missing"));
    }

    @Test
    void shouldFindResourcesOfTheRankThenThoseOfTheJvm() throws Exception {
        final URL own = folder.resolve("of-rank.txt").toUri().toURL();
        assertEquals(own, loader.getResource("of-rank.txt"));
        assertEquals(List.of(own), Collections.list(loader.getResources("of-rank.txt")));
        assertNotNull(loader.getResource(SystemLoaderTest.class.getName().replace('.', '/') + ".class"));
        assertNull(loader.getResource("missing.txt"));
    }

    @Test
    void shouldLeadToTheRankFromLoadersWhoseParentItIs() throws Exception {
        try (URLClassLoader child = new URLClassLoader(new URL[0], loader)) {
            assertSame(rank, CurrentRank.loaderOf(child));
        }
        assertNull(CurrentRank.loaderOf(loader));
    }
}
