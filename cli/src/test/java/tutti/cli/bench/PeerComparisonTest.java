package tutti.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerComparisonTest {
    @TempDir
    private Path tables;

    @TempDir
    private Path results;

    @BeforeEach
    void describeMachine() throws IOException {
        Files.writeString(tables.resolve("machine.md"), "- machine: two cores\n");
    }

    /** Writes a table with medians of an allreduce of 8 and of 24 bytes, and of a barrier. */
    private void table(final String library, final String run, final double eight, final double more, final double barrier) throws IOException {
        Files.writeString(tables.resolve(library + "-" + run + ".txt"), "# 2 ranks on 1 node: Version of " + library + "\n"
            + row("allreduce", 8, eight) + row("allreduce", 24, more) + row("barrier", 0, barrier));
    }

    private static String row(final String operation, final long bytes, final double median) {
        return String.format(Locale.ROOT, "%-14s %9d %7d %11.2f %11.2f %11.2f %11.2f %11s%n", operation, bytes, 100, 0.1, median, 900., 999., "-");
    }

    private String compare() throws IOException {
        PeerComparison.main(new String[] {tables.toString(), results.toString()});
        return Files.readString(results.resolve("table.md"));
    }

    @Test
    void shouldDivideTheMedianOverTheRoundsByThatOfTheFastestLibrary() throws IOException {
        table("tutti", "heap-2-1", 1, 10, 3);
        table("tutti", "heap-2-2", 5, 30, 3);
        table("tutti", "heap-2-3", 2, 20, 3);
        table("openmpi", "shm-2-1", 2, 50, 1);
        table("mpich", "shm-2-1", 4, 40, 2);
        final String text = compare();
        assertTrue(text.contains("\n- machine: two cores\n- mpich: Version of mpich\n- openmpi: Version of openmpi\n- tutti: Version of tutti\n"),
            text);
        assertTrue(text.contains("""

            ## One JVM: Tutti on one node, in C shared memory: 2 ranks

            | operation | 8 | 24 |
            |---|---:|---:|
            | allreduce | **1.00** | 0.50 |
            | barrier | 3.00 | – |
            | goal | ≤ 1.2 |  |
            """), text);
        assertTrue(text.contains("""
            | transport | ranks | operation | bytes | mpich | openmpi | tutti |
            |---|---:|---|---:|---:|---:|---:|
            | heap | 2 | allreduce | 8 | 4.00 | 2.00 | 2.00 |
            | heap | 2 | allreduce | 24 | 40.00 | 50.00 | 20.00 |
            | heap | 2 | barrier | 0 | 2.00 | 1.00 | 3.00 |
            """), text);
    }

    @Test
    void shouldLeaveOutALibraryWhoseClockIsTooCoarse() throws IOException {
        table("tutti", "heap-2-1", 1, 10, 3);
        table("mpich", "shm-2-1", 4, 40, 2);
        table("lam", "shm-2-1", 0, 40, 0);
        assertTrue(compare().contains("| allreduce | **0.25** | 0.25 |\n| barrier | 1.50 | – |\n"));
    }

    @Test
    void shouldSayWhatIsMissingAndIgnoreFilesWithoutATable() throws IOException {
        table("tutti", "tcp-2-1", 1, 10, 3);
        Files.writeString(tables.resolve("lam-tcp-2-1.txt"), "MPI_Init failed\n");
        Files.writeString(tables.resolve("lam-tcp-2-1.log"), "");
        final String text = compare();
        assertTrue(text.contains("| allreduce | – | – |\n| barrier | – | – |\n| goal | ≤ 1.0 |  |\n"), text);
        assertFalse(text.contains("lam"), text);
    }

    @Test
    void shouldPlotALinePerLibraryForEachTransport() throws IOException {
        table("tutti", "heap-2-1", 1, 10, 3);
        table("openmpi", "shm-2-1", 2, 50, 1);
        compare();
        final String svg = Files.readString(results.resolve("heap.svg"));
        assertEquals(2, svg.split(">allreduce, 2 ranks<|>barrier, 2 ranks<", -1).length - 1);
        assertEquals(2, svg.split(">openmpi<", -1).length - 1);
        for (final String other : List.of("shm", "jvms", "tcp")) {
            assertFalse(Files.exists(results.resolve(other + ".svg")), other);
        }
    }

    @Test
    void shouldCompareARunOfALibraryWithEachTransportOfTutti() throws IOException {
        table("tutti", "heap-2-1", 1, 10, 3);
        table("tutti", "jvms-2-1", 4, 20, 6);
        table("tutti", "tcp-2-1", 12, 60, 30);
        table("openmpi", "shm-2-1", 2, 50, 1);
        table("openmpi", "tcp-2-1", 10, 100, 10);
        final String text = compare();
        assertEquals(
            List.of("One JVM: Tutti on one node, in C shared memory: 2 ranks", "A JVM per rank: Tutti on one node, in C shared memory: 2 ranks",
                "TCP over loopback: Tutti on two nodes, in C each pair of ranks by TCP: 2 ranks", "Medians in microseconds"),
            text.lines().filter(l -> l.startsWith("## ")).map(l -> l.substring(3)).toList());
        assertEquals(List.of("| allreduce | **0.50** | 0.20 |", "| allreduce | 2.00 | 0.40 |", "| allreduce | 1.20 | 0.60 |"),
            text.lines().filter(l -> l.startsWith("| allreduce |")).toList());
        assertEquals(List.of("| heap | 2 | barrier | 0 | 1.00 | 3.00 |", "| jvms | 2 | barrier | 0 | 1.00 | 6.00 |",
            "| tcp | 2 | barrier | 0 | 10.00 | 30.00 |"), text.lines().filter(l -> l.contains(" | barrier | 0 ")).toList());
    }

    @Test
    void shouldHaveTheMediansOfLibrariesWhereTuttiFailed() throws IOException {
        table("openmpi", "shm-2-1", 2, 50, 1);
        Files.writeString(tables.resolve("tutti-shm-2-1.txt"), "");
        assertEquals(List.of("| shm | 2 | barrier | 0 | 1.00 |"), compare().lines().filter(l -> l.contains(" | barrier | 0 ")).toList());
    }
}
