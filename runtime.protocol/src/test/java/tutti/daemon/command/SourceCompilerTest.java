package tutti.daemon.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceCompilerTest {
    @TempDir
    private Path dir;

    private String mainClass(final String file, final String text, final String... options) throws IOException {
        return compile(Files.writeString(dir.resolve(file), text), options);
    }

    private String compile(final Path source, final String... options) throws IOException {
        return SourceCompiler.compile(source, List.of(), List.of(options), Files.createTempDirectory(dir, "classes"));
    }

    /** Compiles a source file, and returns its main class and then the files of all classes. */
    private List<String> compiled(final Path source) throws IOException {
        final Path classes = Files.createDirectory(dir.resolve("compiled"));
        final List<String> found = new ArrayList<>(List.of(SourceCompiler.compile(source, List.of(), List.of(), classes)));
        FolderFiles.of(classes).forEach(f -> found.add(classes.relativize(f).toString()));
        return found;
    }

    @Test
    void shouldRunTheFirstClassOfTheFileThatHasAMainMethodWhateverItsName() throws IOException {
        final Path source = Files.writeString(dir.resolve("Two.java"), """
            record Part() { private static void main() { } }
            public class First extends Last { public static void main(String[] a) { class Inner { void main() { } } } }
            class Two { public static void main(String[] a) { } }
            class Last { void main() { } }
            """);
        assertEquals(List.of("First", "First$1Inner.class", "First.class", "Last.class", "Part.class", "Two.class"), compiled(source));
        assertEquals("Heir",
            mainClass("H.java", "class Heir extends Base { }\nclass Base implements Runs { }\ninterface Runs { default void main() { } }"));
        assertEquals("app.Y", mainClass("X.java", "#!/usr/bin/java --source 25\npackage app;\npublic class Y { void main(String[] a) { } }"));
    }

    @Test
    void shouldCompileCompactSourceFilesAndTakeOptionsOfTheCompiler() throws IOException {
        assertEquals("Compact",
            mainClass("Compact.java", "void main() { IO.println(greeting()); }\nString greeting() { return \"hi\"; }\nclass Own { }"));
        final String preview =
            "class P { static String of(int i) { return switch (i) { case byte b -> \"b\"; case int n -> \"n\"; }; } void main() { } }";
        assertThrows(IOException.class, () -> mainClass("P.java", preview));
        assertEquals("P", mainClass("P.java", preview, "--enable-preview", "--source", Integer.toString(Runtime.version().feature())));
        final String vector = "class V { jdk.incubator.vector.IntVector v; void main() { } }";
        assertThrows(IOException.class, () -> mainClass("V.java", vector));
        assertEquals("V", mainClass("V.java", vector, "--add-modules=jdk.incubator.vector"));
        assertEquals("program does not compile: " + dir.resolve("V.java") + ": error: release version 99 not supported",
            assertThrows(IOException.class, () -> mainClass("V.java", vector, "--source", "99")).getMessage().lines().findFirst().orElseThrow()
                .replace("error: invalid source release: 99", "error: release version 99 not supported"));
    }

    @Test
    void shouldCompileTheSourceFilesThatTheProgramUsesAndNoOthers() throws IOException {
        final Path here = Files.createDirectories(dir.resolve("app/part"));
        final Path source = Files.writeString(here.resolve("Main.java"),
            "package app.part; class Main { static void main(String[] a) { new Helper(); app.Top.call(); } }");
        Files.writeString(here.resolve("Helper.java"), "package app.part; class Helper { public static void main(String[] a) { } }");
        Files.writeString(dir.resolve("app/Top.java"), "package app; public class Top { public static void call() { } }");
        Files.writeString(here.resolve("Broken.java"), "package app.part; class Broken {");
        assertEquals(List.of("app.part.Main", "app/Top.class", "app/part/Helper.class", "app/part/Main.class"), compiled(source));
    }

    @Test
    void shouldCompileAFileAloneThatIsNotInTheFolderOfItsPackage() throws IOException {
        Files.writeString(dir.resolve("Other.java"), "package app; class Other { }");
        final Path source = Files.writeString(dir.resolve("Main.java"), "package app; class Main { static void main(String[] a) { new Other(); } }");
        assertTrue(assertThrows(IOException.class, () -> compile(source)).getMessage().contains("class Other"));
    }

    @Test
    void shouldReportThePositionOfAnErrorInTheSource() throws IOException {
        final Path source = Files.writeString(dir.resolve("Bad.java"), "class Bad { int x = \"\"; }");
        final IOException e = assertThrows(IOException.class, () -> compile(source));
        assertTrue(e.getMessage().contains("Bad.java:1: error: incompatible types"), e.getMessage());
        final Path empty = Files.writeString(dir.resolve("Empty.java"), "class Empty { }");
        assertEquals("no main method in " + empty + ": declare public static void main(String[] args), or void main()",
            assertThrows(IOException.class, () -> compile(empty)).getMessage());
    }

    @Test
    void shouldCompileTheSourceFilesThatDirectivesName() throws IOException {
        Files.createDirectories(dir.resolve("parts/more"));
        Files.writeString(dir.resolve("parts/Part.java"), "//SOURCES more/*.java\nclass Part { }");
        Files.writeString(dir.resolve("parts/more/More.java"), "//SOURCES ../../Main.java ../Part.java\nclass More { }");
        Files.writeString(dir.resolve("parts/more/Other.java"), "class Other { }");
        final Path source = Files.writeString(dir.resolve("Main.java"),
            "//SOURCES parts/Part.java // with its own\nclass Main { static void main(String[] a) { new Part(); new Other(); } }");
        assertEquals(List.of("Main", "Main.class", "More.class", "Other.class", "Part.class"), compiled(source));
        final Path wrong = Files.writeString(dir.resolve("Wrong.java"), "//SOURCES parts/*.kt\nclass Wrong { static void main(String[] a) { } }");
        assertEquals("source file not found: parts/*.kt; //SOURCES of " + wrong + " names it, looked for in " + dir,
            assertThrows(IOException.class, () -> compile(wrong)).getMessage());
    }

    @Test
    void shouldNameTheLibrariesThatASourceFileAsksForAndNodesDoNotHave() throws IOException {
        Files.writeString(dir.resolve("Part.java"), "//DEPS org.example:more:2.0\nclass Part { }");
        final Path source = Files.writeString(dir.resolve("Main.java"), """
            //DEPS tutti:tutti.mpi.api:0.1.0 org.example:some:1.0 // why
            //DEPS org.example:some:1.0
            //SOURCES Part.java
            // DEPS org.example:comment:1.0
            class Main { }
            """);
        assertEquals(List.of("org.example:some:1.0", "org.example:more:2.0"), ScriptDirectives.dependencies(source));
    }
}
