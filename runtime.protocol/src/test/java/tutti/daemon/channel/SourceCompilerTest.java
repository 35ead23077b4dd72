package tutti.daemon.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceCompilerTest {
    @TempDir
    private Path dir;

    @Test
    void shouldCompileSeveralClassesAndRunTheOneNamedLikeTheFile() throws IOException {
        final Path source = Files.writeString(dir.resolve("Two.java"),
            "class First { public static void main(String[] a) { } } class Two { public static void main(String[] a) { } }");
        final SourceCompiler.Compiled compiled = SourceCompiler.compile(source, List.of());
        assertEquals("Two", compiled.mainClass());
        assertEquals(Set.of("First", "Two"), compiled.classes().keySet());
    }

    @Test
    void shouldReportThePositionOfAnErrorInTheSource() throws IOException {
        final Path source = Files.writeString(dir.resolve("Bad.java"), "class Bad { int x = \"\"; }");
        final IOException e = assertThrows(IOException.class, () -> SourceCompiler.compile(source, List.of()));
        assertTrue(e.getMessage().contains("Bad.java:1: error: incompatible types"), e.getMessage());
        final Path empty = Files.writeString(dir.resolve("Empty.java"), "class Empty { }");
        assertEquals("no main method in " + empty + ": expected public static void main(String[] args)",
            assertThrows(IOException.class, () -> SourceCompiler.compile(empty, List.of())).getMessage());
    }
}
