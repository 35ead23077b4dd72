package com.example.intercept.tally;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TallyOfRankTest {
    private static byte[] bytes(final String lines) {
        return lines.getBytes(StandardCharsets.UTF_8);
    }

    private final List<String> kept = new ArrayList<>();
    private final TallyOfRank tally = new TallyOfRank((type, report) -> kept.add(type + " " + new String(report, StandardCharsets.UTF_8)));

    @Test
    void shouldAddUpTheCallsOfAllRanks() {
        assertEquals("calls of 3 ranks: {barrier=4, send=1}",
            TallyOfRank.sums(List.of(bytes("barrier 2\nsend 1\n"), bytes("barrier 2\n"), tally.end())));
    }

    @Test
    void shouldHandOverTheReportForTheLivePage() {
        tally.report(List.of(bytes("barrier 2\n")));
        assertEquals(List.of("text/plain calls of 1 ranks: {barrier=2}"), kept);
    }
}
