package tutti.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchTableTest {
    private static final List<String> LINES = List.of(
        "a warning of the library",
        "# 3 ranks on 1 node: Open MPI v4.1.4",
        "operation          bytes   calls     min[us]     p50[us]     p90[us]     p99[us]        MB/s",
        "pingpong               8    2000        0.35        0.45        0.53        0.78           -",
        "bandwidth           1024    2000        9.92       14.21       15.74       57.23      4613.3",
        "bandwidth          65536      40      429.69      634.3");

    @TempDir
    private Path dir;

    @Test
    void shouldParseTheRowsAndTheLineAboutTheJob() {
        assertEquals(Optional.of(new BenchTable(3, 1, "Open MPI v4.1.4", List.of(
            new BenchResult("pingpong", 8, 2000, 0.35, 0.45, 0.53, 0.78, null),
            new BenchResult("bandwidth", 1024, 2000, 9.92, 14.21, 15.74, 57.23, 4613.3)))), BenchTable.parse(LINES));
        assertEquals(Optional.empty(), BenchTable.parse(LINES.subList(2, 6)));
    }

    @Test
    void shouldWriteJsonWithARateForBandwidthOnly() throws Exception {
        final Path file = dir.resolve("bench.json");
        BenchTable.parse(LINES).orElseThrow().writeJson(file);
        final JsonNode json = JsonMapper.builder().build().readTree(file.toFile());
        assertEquals(3, json.get("ranks").asInt());
        assertEquals("pingpong", json.at("/results/0/operation").asText());
        assertEquals(0.45, json.at("/results/0/p50").asDouble());
        assertFalse(json.at("/results/0").has("megabytesPerSecond"));
        assertEquals(4613.3, json.at("/results/1/megabytesPerSecond").asDouble());
    }
}
