package tutti.interceptors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ProfileReportTest {
    private static final RankProfile FIRST = new RankProfile(0, "a", 2_000_000_000L, List.of(
        new RankProfile.Site("allReduce", "Heat.main:12", 10, 300_000_000L, 90_000_000L, 80),
        new RankProfile.Site("send", "Heat.step:30", 1000, 100_000_000L, 1_000_000L, 1 << 20)), new TreeMap<>(Map.of(8L, 10L, 1024L, 1000L)));
    private static final RankProfile SECOND = new RankProfile(1, "b", 2_000_000_000L,
        List.of(new RankProfile.Site("allReduce", "Heat.main:12", 10, 100_000_000L, 20_000_000L, 80)), new TreeMap<>(Map.of(8L, 10L)));

    private static ProfileReport report() {
        return new ProfileReport("a-1-ff", List.of(SECOND, FIRST));
    }

    @Test
    void shouldReadWhatARankWrote() {
        assertEquals(FIRST, RankProfile.of(FIRST.toBytes()));
    }

    @Test
    void shouldReportTimeByRankAndLineWithTheImbalance() {
        assertEquals("""
            profile of job a-1-ff: 2 ranks, 2.000 s, 12.5 % of it in MPI

            rank  node              time s     MPI s    MPI %
               0  a                  2.000     0.400     20.0
               1  b                  2.000     0.100      5.0

            operation         calls    time s   MPI %    mean us     max us      bytes  max/mean  line
            allReduce            20     0.400    80.0    20000.0    90000.0      160 B      1.50  Heat.main:12
            send               1000     0.100    20.0      100.0     1000.0    1.0 MiB      2.00  Heat.step:30

            data up to      calls
                   8 B         20
               1.0 KiB       1000
            """, report().text(20).replace("\r", ""));
    }

    @Test
    void shouldSayHowToSeeMoreSites() {
        assertTrue(report().text(1).contains("and 1 more: -p intercept.profile.sites=2"));
    }

    @Test
    void shouldWriteJsonWithEveryRank() {
        assertEquals("{\"job\":\"a-1-ff\",\"nanos\":4000000000,\"mpiNanos\":500000000,\"ranks\":[{\"rank\":0,\"node\":\"a\",\"nanos\":2000000000,"
            + "\"mpiNanos\":400000000,\"sites\":[{\"operation\":\"allReduce\",\"line\":\"Heat.main:12\",\"calls\":10,\"nanos\":300000000,"
            + "\"longest\":90000000,\"bytes\":80},{\"operation\":\"send\",\"line\":\"Heat.step:30\",\"calls\":1000,\"nanos\":100000000,"
            + "\"longest\":1000000,\"bytes\":1048576}]},{\"rank\":1,\"node\":\"b\",\"nanos\":2000000000,\"mpiNanos\":100000000,\"sites\":["
            + "{\"operation\":\"allReduce\",\"line\":\"Heat.main:12\",\"calls\":10,\"nanos\":100000000,\"longest\":20000000,\"bytes\":80}]}],"
            + "\"lengths\":[{\"upTo\":8,\"calls\":20},{\"upTo\":1024,\"calls\":1000}]}\n", report().json());
    }

    @Test
    void shouldSumTheCallSitesOfAllRanksForThePage() {
        assertEquals("{\"job\":\"a-1-ff\",\"nanos\":4000000000,\"mpiNanos\":500000000,\"ranks\":[{\"rank\":0,\"node\":\"a\",\"nanos\":2000000000,"
            + "\"mpiNanos\":400000000},{\"rank\":1,\"node\":\"b\",\"nanos\":2000000000,\"mpiNanos\":100000000}],\"sites\":["
            + "{\"operation\":\"allReduce\",\"line\":\"Heat.main:12\",\"calls\":20,\"nanos\":400000000,\"mostNanos\":300000000,"
            + "\"longest\":90000000,\"bytes\":160},{\"operation\":\"send\",\"line\":\"Heat.step:30\",\"calls\":1000,\"nanos\":100000000,"
            + "\"mostNanos\":100000000,\"longest\":1000000,\"bytes\":1048576}],\"moreSites\":0,"
            + "\"lengths\":[{\"upTo\":8,\"calls\":20},{\"upTo\":1024,\"calls\":1000}]}\n", report().summary());
    }

    @Test
    void shouldDrawABarPerRankAndSite() {
        final String svg = report().svg(1);
        assertEquals(2, svg.split("rank \\d, node").length - 1);
        assertTrue(svg.contains("80.0 %, 20 calls, Heat.main:12"), svg);
        assertTrue(!svg.contains("Heat.step:30") && svg.endsWith("</svg>\n"), svg);
    }
}
