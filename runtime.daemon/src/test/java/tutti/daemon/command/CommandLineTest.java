package tutti.daemon.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandLineTest {
    @TempDir
    private Path dir;

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "run -n x P.java|tutti: Invalid value for option '-n': 'x' is not an int; try: tutti run --help",
        "run --nodes 2 --connect h:1 P|tutti: --nodes and --connect exclude each other; try: tutti run --help",
        "run --nodes 0 P|tutti: nodes out of range: --nodes 0, range=1..64; try: tutti run --help",
        "run --timeout 0 P|tutti: timeout out of range: --timeout 0.0, min=0 (exclusive); try: tutti run --help",
        "run|tutti: Missing required parameter: 'PROGRAM'; try: tutti run --help",
        "explain allreduce alreduce|tutti: no such operation: alreduce, known: allgather, allgatherv, allreduce, alltoall, alltoallv, alltoallw, "
            + "barrier, bcast, exscan, gather, gatherv, neighbor_allgather, neighbor_allgatherv, neighbor_alltoall, neighbor_alltoallv, "
            + "neighbor_alltoallw, reduce, reduce_scatter, reduce_scatter_block, scan, scatter, scatterv; "
            + "try: tutti explain --help",
        "explain --nodes 2 --connect h:1|tutti: --nodes and --connect exclude each other; try: tutti explain --help",
        "explain -n 0|tutti: ranks out of range: -n 0, range=1..65536; try: tutti explain --help",
        "explain --bytes ..8 bcast|tutti: no size: --bytes ..8, expected 8, 64K, 1M or 2G; try: tutti explain --help",
        "explain --bytes big bcast|tutti: no size: --bytes big, expected 8, 64K, 1M or 2G; try: tutti explain --help",
        "run -p coll.rules=/no/such.json P|tutti: coll.rules: /no/such.json: no such file",
        "nodes|tutti: Missing required option: '--connect=HOST:PORT'; try: tutti nodes --help",
        "daemon --name a --listen nowhere|tutti: not an address: 'nowhere', expected HOST:PORT",
        "daemon --name a/b|tutti: not a node name: 'a/b', expected 1 to 63 letters, digits, '.', '_' or '-'"})
    void shouldRefuseBadUsageInOneLine(final String line, final String message) {
        final StringWriter err = new StringWriter();
        assertEquals(2, Main.execute(new PrintWriter(err, true), line.split(" ")));
        assertEquals(message + System.lineSeparator(), err.toString());
    }

    @Test
    void shouldCompileSeveralClassesAndRunTheOneNamedLikeTheFile() throws IOException {
        final Path source = Files.writeString(dir.resolve("Two.java"),
            "class First { public static void main(String[] a) { } } class Two { public static void main(String[] a) { } }");
        final SourceCompiler.Compiled compiled = SourceCompiler.compile(source, List.of());
        assertEquals("Two", compiled.mainClass());
        assertEquals(Set.of("First", "Two"), compiled.classes().keySet());
    }

    @Test
    void shouldSayWhereTheSourceIsWrong() throws IOException {
        final Path source = Files.writeString(dir.resolve("Bad.java"), "class Bad { int x = \"\"; }");
        final Failure e = assertThrows(Failure.class, () -> SourceCompiler.compile(source, List.of()));
        assertEquals(2, e.status());
        assertTrue(e.getMessage().contains("Bad.java:1: error: incompatible types"), e.getMessage());
        final Path empty = Files.writeString(dir.resolve("Empty.java"), "class Empty { }");
        assertEquals("no main method in " + empty + ": expected public static void main(String[] args)",
            assertThrows(Failure.class, () -> SourceCompiler.compile(empty, List.of())).getMessage());
    }

    @Test
    void shouldMakeAJarOfAFolderAndRefuseWhatIsMissing() throws IOException {
        Files.writeString(dir.resolve("x.txt"), "hello");
        try (Program p = Program.of("Main", dir.toString(), List.of())) {
            assertEquals("Main", p.mainClass());
            try (java.util.jar.JarFile jar = new java.util.jar.JarFile(p.files().getFirst().toFile())) {
                assertEquals("hello", new String(jar.getInputStream(jar.getEntry("x.txt")).readAllBytes()));
            }
        }
        final Path missing = dir.resolve("missing");
        assertEquals("class path element not found: " + missing,
            assertThrows(Failure.class, () -> Program.of("Main", missing.toString(), List.of())).getMessage());
    }
}
