package tutti.daemon.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.runtime.process.owner.RankProgram;

class JavaCommandLineTest {
    @TempDir
    private Path dir;

    private JavaCommandLine parse(final String... words) throws IOException {
        return JavaCommandLine.parse(List.of(words), dir::resolve);
    }

    @Test
    void shouldKnowTheJavaCommand() {
        assertTrue(JavaCommandLine.isJava("java"));
        assertTrue(JavaCommandLine.isJava("/usr/lib/jvm/a/bin/java"));
        assertFalse(JavaCommandLine.isJava("my.java"));
        assertFalse(JavaCommandLine.isJava("javac"));
    }

    @Test
    void shouldTakeAClassWithOptionsAndArguments() throws IOException {
        final JavaCommandLine line = parse("-cp", "first", "--class-path=a.jar" + File.pathSeparator + "lib/*", "-Dkey=a=b", "-Dflag", "-ea:x...",
            "-disableassertions:X", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED", "-Xmx1g", "-XX:+UseZGC", "--limit-modules", "java.base", "app.Main", "-x", "-cp", "@y");
        assertEquals(new JavaCommandLine(JavaCommandLine.Kind.CLASS, "app.Main", List.of("-x", "-cp", "@y"), List.of("a.jar", "lib/*"),
            new RankProgram.Options(Map.of("key", "a=b", "flag", ""), List.of("-ea:x...", "-da:X"), List.of("java.base/java.lang"),
                List.of("java.base/sun.nio.ch"), List.of(), false),
            List.of("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED"), List.of("-Xmx1g", "-XX:+UseZGC", "--limit-modules=java.base")), line);
        assertEquals("ignored, since ranks share the JVM of their node: -Xmx1g -XX:+UseZGC --limit-modules=java.base; start the node with them: "
            + "TUTTI_DAEMON_OPTS", line.ignored());
    }

    @Test
    void shouldTakeJarsAndSourceFiles() throws IOException {
        assertEquals(new JavaCommandLine(JavaCommandLine.Kind.JAR, "app.jar", List.of("a"), null, RankProgram.Options.NONE, List.of(), List.of()),
            parse("-jar", "app.jar", "a"));
        assertEquals(JavaCommandLine.Kind.SOURCE, parse("X.java").kind());
        final JavaCommandLine script = parse("--source", "25", "--enable-preview", "--add-modules", "jdk.incubator.vector,java.sql", "script", "x");
        assertEquals(JavaCommandLine.Kind.SOURCE, script.kind());
        assertEquals(List.of("--enable-preview", "--add-modules=jdk.incubator.vector,java.sql", "--source", "25"), script.compile());
        assertEquals(new RankProgram.Options(Map.of(), List.of(), List.of(), List.of(), List.of("jdk.incubator.vector", "java.sql"), true),
            script.options());
    }

    @Test
    void shouldReadTheWordsOfFiles() throws IOException {
        Files.writeString(dir.resolve("args"), "-cp 'a b.jar' # comment\n\"-Dx=\\\"q\\\" \"\n@more");
        Files.writeString(dir.resolve("more"), "Main 1");
        final JavaCommandLine line = parse("@args", "2");
        assertEquals(List.of("a b.jar"), line.classPath());
        assertEquals(Map.of("x", "\"q\" "), line.options().properties());
        assertEquals(List.of("1", "2"), line.args());
        assertEquals("@args", parse("--disable-@files", "@args").program());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"a#b c|a#b,c", "a\"b c\"'d e'f|ab cd ef", "a\\b 'c\\'d'|a\\b,c'd", "x '' y #|x,,y",
        "a 'b c|a,b c", "a \"b\\|a,b\\", "a \"\\\\$1\"b|a,\\$1b"})
    void shouldSplitTheTextOfAFileIntoWords(final String text, final String words) throws IOException {
        Files.writeString(dir.resolve("args"), "# of a file\n" + text);
        final JavaCommandLine line = parse("@args", "end");
        assertEquals(List.of((words + ",end").split(",")), Stream.concat(Stream.of(line.program()), line.args().stream()).toList());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"-cp|value missing: java -cp", "-cp x|java without a program: name a class, -jar FILE or a source file",
        "-version|java -version runs no program", "-frob Main|java has no such option: -frob",
        "--add-opens=java.base Main|expected --add-opens=MODULE/PACKAGE=ALL-UNNAMED: java.base",
        "-p mods -m app/app.Main|ranks have no module path: -p; give the jars of the modules as class path and name the class: "
            + "java -cp 'DIR/*' CLASS"})
    void shouldRefuseWhatRunsNoProgram(final String line, final String message) {
        assertEquals(message, assertThrows(IOException.class, () -> parse(line.split(" "))).getMessage());
    }
}
