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
    void shouldCompileTheSourceFilesThatTheProgramUsesAndNoOthers() throws IOException {
        final Path here = Files.createDirectories(dir.resolve("app/part"));
        final Path source = Files.writeString(here.resolve("Main.java"),
            "package app.part; class Main { static void main(String[] a) { new Helper(); app.Top.call(); } }");
        Files.writeString(here.resolve("Helper.java"), "package app.part; class Helper { public static void main(String[] a) { } }");
        Files.writeString(dir.resolve("app/Top.java"), "package app; public class Top { public static void call() { } }");
        Files.writeString(here.resolve("Broken.java"), "package app.part; class Broken {");
        final SourceCompiler.Compiled compiled = SourceCompiler.compile(source, List.of());
        assertEquals(Set.of("app.part.Main", "app.part.Helper", "app.Top"), compiled.classes().keySet());
        assertEquals("app.part.Main", compiled.mainClass());
    }

    @Test
    void shouldCompileAFileAloneThatIsNotInTheFolderOfItsPackage() throws IOException {
        Files.writeString(dir.resolve("Other.java"), "package app; class Other { }");
        final Path source = Files.writeString(dir.resolve("Main.java"), "package app; class Main { static void main(String[] a) { new Other(); } }");
        assertTrue(assertThrows(IOException.class, () -> SourceCompiler.compile(source, List.of())).getMessage().contains("class Other"));
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
