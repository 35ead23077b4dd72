package tutti.itest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests {@code tutti bench}, and the scripts of folder {@code bench}; measures nothing. */
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class BenchIT {
    private static final List<String> OPERATIONS = List.of("pingpong", "bandwidth", "barrier", "bcast", "reduce", "allreduce", "allgather",
        "alltoall", "reduce_scatter");

    @TempDir
    private Path dir;

    /** A daemon would only log that it has failed. */
    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(strings = {"0", "2"})
    void shouldRunTheProgramOfTheWarmUp(final String job) throws Exception {
        final long since = System.nanoTime();
        final Process run = TuttiScript.start(dir, TuttiScript.SHORT_LIVED, "run", "-n", "2", "--nodes", "1", "--cp", dir.toString(),
            "tutti.mpi.programs.WarmUp", job);
        try (OutputStream grants = run.getOutputStream()) {
            // the host grants each communicator by a byte
            grants.write(new byte[1000]);
        }
        final TuttiScript.Result r = TuttiScript.finish(run, since);
        assertEquals(0, r.status(), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldMeasureEveryOperationOnAnOddNumberOfRanks() throws Exception {
        final TuttiScript.Result r = TuttiScript.run(dir, "bench", "-n", "3", "--nodes", "2", "--sizes", "8,2M", "--calls", "10", "--warmup", "5",
            "--json", "b.json", "--plot", "b.svg");
        assertEquals(0, r.status(), r::toString);
        final List<String> lines = r.out().lines().toList();
        assertTrue(lines.getFirst().startsWith("# 3 ranks on 2 nodes: Tutti "), r::toString);
        assertTrue(lines.get(1).startsWith("operation "), r::toString);
        assertTrue(r.err().lines().toList().getLast().startsWith("100%  17/17  0:00 left  reduce_scatter 2097152 bytes"), r::toString);

        final JsonNode json = new ObjectMapper().readTree(dir.resolve("b.json").toFile());
        assertEquals(3, json.get("ranks").asInt());
        assertEquals(2, json.get("nodes").asInt());
        assertEquals(lines.size() - 2, json.get("results").size(), r::toString);
        final List<String> measured = new ArrayList<>();
        for (final JsonNode row : json.get("results")) {
            final String operation = row.get("operation").asText();
            measured.add(operation + " " + row.get("bytes") + " " + row.get("calls"));
            assertTrue(lines.get(measured.size() + 1).startsWith(operation + " "), r::toString);
            assertTrue(0 < row.get("p50").asDouble() && row.get("min").asDouble() <= row.get("p50").asDouble()
                && row.get("p50").asDouble() <= row.get("p90").asDouble() && row.get("p90").asDouble() <= row.get("p99").asDouble(), row::toString);
            assertEquals(operation.equals("bandwidth"), row.has("megabytesPerSecond"), row::toString);
        }
        final List<String> expected = new ArrayList<>();
        for (final String o : OPERATIONS) {
            expected.add(o + (o.equals("barrier") ? " 0 10" : " 8 10"));
            if (!o.equals("barrier")) {
                expected.add(o + " 2097152 1");
            }
        }
        assertEquals(expected, measured);
        final List<String> texts = PictureChecks.texts(PictureChecks.legible(dir.resolve("b.svg")));
        assertTrue(texts.contains("3 ranks on 2 nodes"), texts::toString);
        assertTrue(texts.containsAll(OPERATIONS), texts::toString);
    }

    @Test
    void shouldMeasureOnARunningClusterAndReportWhatTheJobRefuses() throws Exception {
        try (TuttiScript.Daemon daemon = new TuttiScript.Daemon(dir, "--name", "a")) {
            final Path png = dir.resolve("b.png");
            final TuttiScript.Result r = CommandInJvm.run("bench", "--connect", daemon.address, "-n", "2", "--sizes", "1K", "--calls", "3",
                "--plot", png.toString(), "-p", "check=off", "allreduce", "barrier");
            assertEquals(0, r.status(), r::toString);
            assertEquals(List.of("#", "operation", "allreduce", "barrier"), r.out().lines().map(l -> l.substring(0, l.indexOf(' '))).toList());
            assertFalse(r.out().contains("direct"), r::toString);
            PictureChecks.assertWhole(png);

            final TuttiScript.Result direct = CommandInJvm.run("bench", "--connect", daemon.address, "-n", "2", "--sizes", "8,72,64K", "--calls", "5",
                "--direct", "vector", "pingpong");
            assertEquals(0, direct.status(), direct::toString);
            assertTrue(direct.out().lines().findFirst().orElseThrow().endsWith(", direct buffers"), direct::toString);
            assertEquals(List.of("vector 8 5", "vector 72 5", "vector 65536 1", "pingpong 8 5", "pingpong 72 5", "pingpong 65536 1"),
                direct.out().lines().skip(2).map(l -> String.join(" ", List.of(l.split(" +")).subList(0, 3))).toList());

            final List<String> accesses = List.of("put", "get", "puts", "gets", "accumulate", "fetch", "fence", "pscw", "lock", "passive");
            for (final String memory : List.of("--direct", "--create")) {
                final List<String> line = new ArrayList<>(List.of("bench", "--connect", daemon.address, "-n", "2", "--sizes", "64", "--calls", "2",
                    memory));
                line.addAll(accesses);
                final TuttiScript.Result windows = CommandInJvm.run(line.toArray(String[]::new));
                assertEquals(0, windows.status(), windows::toString);
                assertEquals(accesses, windows.out().lines().skip(2).map(l -> l.substring(0, l.indexOf(' '))).toList());
            }

            final TuttiScript.Result refused = CommandInJvm.run("bench", "--connect", daemon.address, "-n", "2", "-p", "check=often", "barrier");
            assertEquals(2, refused.status(), refused::toString);
            assertEquals("", refused.out());
            assertEquals(1, refused.err().lines().count(), refused::toString);
        }
    }

    @Test
    void shouldRefuseOptionsOfTheComparisonWithOtherLibraries() throws Exception {
        final String script = ProjectPaths.DIR.resolve("bench/peers").toString();
        assertEquals("", bash("bash", "-n", script).err());
        final TuttiScript.Result help = bash(script, "--help");
        assertEquals(0, help.status(), help::toString);
        assertTrue(help.out().startsWith("Compares Tutti with Open MPI, MPICH and LAM/MPI"), help::toString);
        for (final List<String> bad : List.of(List.of("--ranks", "1"), List.of("--rounds", "0"), List.of("--peers", "openmpi,lamm"),
            List.of("--transports", "heap,shn"), List.of("--transports"), List.of("--sizes", "big"), List.of("--sizes"), List.of("--fast"),
            List.of("--direct", "--without-cma", "bcst"))) {
            final TuttiScript.Result r = bash(script, bad);
            assertEquals(2, r.status(), r::toString);
            assertTrue(r.err().startsWith("peers: ") && r.err().contains(bad.getLast()) && r.err().lines().count() == 1, r::toString);
        }
    }

    @Tag("nightly")
    @Test
    void shouldMeasureAccessToAFileOfAllRanks() throws Exception {
        final String script = ProjectPaths.DIR.resolve("bench/files").toString();
        assertTrue(bash(script, "--help").out().startsWith("Compares access to a file by all ranks with Open MPI"));
        for (final List<String> bad : List.of(List.of("--ranks", "0"), List.of("--mib"), List.of("--folder", "/nosuch"), List.of("--fast"))) {
            final TuttiScript.Result r = bash(script, bad);
            assertEquals(2, r.status(), r::toString);
            assertTrue(r.err().startsWith("files: ") && r.err().contains(bad.getLast()) && r.err().lines().count() == 1, r::toString);
        }
        final TuttiScript.Result r = bash(script, List.of("--alone", "--mib", "2", "--rounds", "1", "--ranks", "3"));
        assertEquals(0, r.status(), r::toString);
        for (final String operation : List.of("write_at_all", "read_at_all", "write_at", "read_at", "read_at_blocks", "copy", "transfer")) {
            assertTrue(r.out().lines().anyMatch(l -> l.matches("\\| " + operation + " \\| [0-9]+ \\| – \\| – \\|")), r::toString);
        }
    }

    @Tag("nightly")
    @Test
    void shouldPrintWhatEachCallAllocatesOnOneNodeAndOnTwo() throws Exception {
        final String script = ProjectPaths.DIR.resolve("bench/allocation").toString();
        final TuttiScript.Result help = bash(script, "--help");
        assertTrue(help.status() == 0 && help.out().startsWith("Measures how many bytes calls "), help::toString);
        for (final List<String> bad : List.of(List.of("--calls", "0"), List.of("--sizes", "8,big"), List.of("--rounds"), List.of("--fast"))) {
            final TuttiScript.Result r = bash(script, bad);
            assertEquals(2, r.status(), r::toString);
            assertTrue(r.err().startsWith("allocation: ") && r.err().contains(bad.getLast()) && r.err().lines().count() == 1, r::toString);
        }
        final TuttiScript.Result r = bash(script, List.of("--warmup", "1", "--rounds", "1", "--calls", "2", "--sizes", "8,65536"));
        // code that is not compiled exceeds limits
        assertTrue(r.status() <= 1 && r.err().isEmpty(), r::toString);
        final List<String> expected = new ArrayList<>();
        for (final String path : List.of("one node", "two nodes")) {
            expected.add(path + " barrier 0");
            for (final String bytes : List.of("8", "65536")) {
                for (final String operation : List.of("bcast", "reduce", "allreduce", "allgather", "alltoall", "pingpong")) {
                    expected.add(path + " " + operation + " " + bytes);
                }
            }
        }
        final List<List<String>> rows = rows(r.out());
        assertEquals(expected, rows.stream().map(row -> String.join(" ", row.subList(0, 3))).toList(), r::toString);
        assertEquals(r.status() == 1, rows.stream().anyMatch(row -> row.getLast().equals("exceeded")), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldPrintTheMethodsInWhichTheTimeOfACallGoes() throws Exception {
        final String script = ProjectPaths.DIR.resolve("bench/profile").toString();
        final TuttiScript.Result help = bash(script, "--help");
        assertTrue(help.status() == 0 && help.out().startsWith("Shows on what the time of a call is spent"), help::toString);
        for (final List<String> bad : List.of(List.of("--nodes", "3"), List.of("--sizes", "8,big"), List.of("--rows"), List.of("--fast"))) {
            final TuttiScript.Result r = bash(script, bad);
            assertEquals(2, r.status(), r::toString);
            assertTrue(r.err().startsWith("profile: ") && r.err().contains(bad.getLast()) && r.err().lines().count() == 1, r::toString);
        }
        final TuttiScript.Result r = bash(script, List.of("--sizes", "8", "--nodes", "2", "--seconds", "1", "--rows", "3", "pingpong"));
        assertEquals(0, r.status(), r::toString);
        assertTrue(r.out().lines().anyMatch(line -> line.startsWith("pingpong of 8 bytes, 2 nodes: ")), r::toString);
        final List<List<String>> rows = rows(r.out());
        assertTrue(!rows.isEmpty() && rows.size() <= 3 && rows.stream().allMatch(row -> row.get(1).endsWith("%")), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldPrintTheTimesOfTheFirstCallsOnDaemonsInEachState() throws Exception {
        final String script = ProjectPaths.DIR.resolve("bench/cold").toString();
        final TuttiScript.Result help = bash(script, "--help");
        assertTrue(help.status() == 0 && help.out().startsWith("Measures how long the first calls "), help::toString);
        for (final List<String> bad : List.of(List.of("--ranks", "1"), List.of("--states", "hot"), List.of("--operations", "scan"),
            List.of("--steady", "1999"),
            List.of("--idle", "-1"), List.of("--jobs"), List.of("--fast"))) {
            final TuttiScript.Result r = bash(script, bad);
            assertEquals(2, r.status(), r::toString);
            assertTrue(r.err().startsWith("cold: ") && r.err().contains(bad.getLast()) && r.err().lines().count() == 1, r::toString);
        }
        final TuttiScript.Result r =
            bash(script, List.of("--rounds", "1", "--ranks", "2", "--idle", "0", "--jobs", "1", "--operations", "alltoall", "--steady",
                "2000"));
        assertEquals(0, r.status(), r::toString);
        final List<String> expected = new ArrayList<>();
        List.of("fresh", "idle", "used").forEach(state -> expected.add(state + " 2 alltoall"));
        final List<List<String>> rows = rows(r.out());
        assertEquals(expected, rows.stream().map(row -> String.join(" ", row.subList(0, 3))).toList(), r::toString);
        for (final List<String> row : rows) {
            assertEquals(14, row.size(), r::toString);
            row.subList(3, 10).forEach(figure -> assertTrue(Double.parseDouble(figure) > 0, r::toString));
            assertEquals(row.getFirst().equals("used") ? "5" : "20", row.get(10), r::toString);
        }
    }

    @Tag("nightly")
    @Test
    void shouldPrintWhatCheckpointsCost() throws Exception {
        final String script = ProjectPaths.DIR.resolve("bench/checkpoint").toString();
        final TuttiScript.Result help = bash(script, "--help");
        assertTrue(help.status() == 0 && help.out().startsWith("Measures checkpoints: "), help::toString);
        final TuttiScript.Result bad = bash(script, "3", "0");
        assertTrue(bad.status() == 2 && bad.err().startsWith("checkpoint: invalid value: 3 0"), bad::toString);
        final TuttiScript.Result r = bash(script, "1", "2");
        assertEquals(0, r.status(), r::toString);
        final List<List<String>> rows = rows(r.out()).stream().filter(row -> row.getFirst().matches("[123]")).toList();
        assertEquals(List.of("1 disk", "2 disk", "2 memory 1+1", "3 memory 2+1", "3 memory 1+2"),
            rows.stream().map(row -> row.get(0) + " " + row.get(1)).toList(), r::toString);
        rows.forEach(row -> row.subList(2, 5).forEach(figure -> assertTrue(Double.parseDouble(figure) > 0, r::toString)));
        assertTrue(r.out().contains("dd with fsync: MiB/s "), r::toString);
    }

    @Tag("nightly")
    @Test
    void shouldPrintWhatChangesOfRunningJobsCost() throws Exception {
        final String script = ProjectPaths.DIR.resolve("bench/live").toString();
        final TuttiScript.Result help = bash(script, "--help");
        assertTrue(help.status() == 0 && help.out().startsWith("Measures modules that change under running jobs: "), help::toString);
        final TuttiScript.Result bad = bash(script, "1", "3", "64x");
        assertTrue(bad.status() == 2 && bad.err().startsWith("live: invalid value: 1 3 64x"), bad::toString);
        final TuttiScript.Result r = bash(script, "1", "3", "64");
        assertEquals(0, r.status(), r::toString);
        final List<List<String>> rows = rows(r.out()).stream().filter(row -> row.stream().skip(1).allMatch(c -> c.matches("-?[0-9.]+"))).toList();
        assertEquals(List.of("allreduce 8", "allreduce 1048576", "1 3", "2 3", "bcast 64", "reduce 64", "allreduce 64", "allgather 64",
            "alltoall 64"), rows.stream().map(row -> row.get(0) + " " + row.get(1)).toList(), r::toString);
        assertTrue(r.out().contains("total time lost in 300 calls of each: "), r::toString);
    }

    /** Returns the cells of the rows of a table in Markdown, without its head. */
    private static List<List<String>> rows(final String printed) {
        return printed.lines().filter(line -> line.startsWith("| ")).skip(1)
            .map(line -> Stream.of(line.split("\\|", -1)).map(String::strip).toList()).map(cells -> cells.subList(1, cells.size() - 1)).toList();
    }

    private TuttiScript.Result bash(final String script, final List<String> args) throws Exception {
        return bash(Stream.concat(Stream.of(script), args.stream()).toArray(String[]::new));
    }

    private TuttiScript.Result bash(final String... line) throws Exception {
        final ProcessBuilder builder = new ProcessBuilder(line).directory(dir.toFile());
        builder.environment().putAll(TuttiScript.SHORT_LIVED);
        return TuttiScript.finish(builder.start(), System.nanoTime());
    }
}
