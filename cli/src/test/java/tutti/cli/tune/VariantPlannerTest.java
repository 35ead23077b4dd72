package tutti.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class VariantPlannerTest {
    private static final TunableParameter K = new TunableParameter("tree/knomial", "k", "4", "ranks", List.of(2L, 4L, 8L, 16L));
    private static final TunableParameter SEGMENT =
        new TunableParameter("tree/knomial", "segment", "32768", "bytes", List.of(8192L, 32_768L, 131_072L));
    private static final TunableParameter THROTTLE = new TunableParameter("tree/throttled", "throttle", "8", "ranks", List.of(2L, 8L, 32L));

    private final List<Measurement> points = new ArrayList<>();

    private void point(final String operation, final int ranks, final long bytes, final String algorithm, final double micros) {
        points.add(new Measurement(new TuneSetting(operation, ranks, 1, bytes), algorithm, micros));
    }

    /** Returns the planned variants by size, for operations that have the given parameters. */
    private Map<Long, List<String>> plan(final int index, final String operation, final int ranks, final TunableParameter... parameters) {
        final List<TuneSetting> settings = points.stream().map(Measurement::setting).distinct().filter(s -> s.ranks() == ranks).toList();
        final Map<Long, List<String>> variants = new TreeMap<>();
        VariantPlanner.plan(index, settings, Map.of(operation, List.of(parameters)), points).forEach((s, v) -> variants.put(s.bytes(), v));
        return variants;
    }

    @Test
    void shouldVaryAlgorithmsThatAreAtMostTwiceAsSlowAsTheFastest() {
        point("bcast", 8, 64, "basic/binomial", 5);
        point("bcast", 8, 64, "tree/knomial", 9);
        point("bcast", 8, 1024, "basic/binomial", 5);
        point("bcast", 8, 1024, "tree/knomial", 11);
        assertEquals(Map.of(64L, List.of("tree/knomial:k=2", "tree/knomial:k=8")), plan(0, "bcast", 8, K));
    }

    @Test
    void shouldOmitValuesWithoutEffect() {
        for (final int ranks : new int[] {2, 4, 16}) {
            point("bcast", ranks, 16_384, "tree/knomial", 9);
            point("bcast", ranks, 65_536, "tree/knomial", 9);
        }
        assertEquals(Map.of(16_384L, List.of(), 65_536L, List.of()), plan(0, "bcast", 2, K));
        assertEquals(List.of("tree/knomial:k=2"), plan(0, "bcast", 4, K).get(16_384L));
        assertEquals(List.of("tree/knomial:k=2", "tree/knomial:k=8", "tree/knomial:k=16"), plan(0, "bcast", 16, K).get(16_384L));
        assertEquals(Map.of(16_384L, List.of("tree/knomial:segment=8K"), 65_536L, List.of("tree/knomial:segment=8K", "tree/knomial:segment=128K")),
            plan(0, "bcast", 4, SEGMENT));
    }

    @Test
    void shouldVaryTheNextParameterWithTheBestValueOfTheFirst() {
        point("bcast", 8, 16_384, "tree/knomial", 9);
        point("bcast", 8, 16_384, "tree/knomial:k=2", 8);
        point("bcast", 8, 16_384, "tree/knomial:k=8", 10);
        assertEquals(Map.of(16_384L, List.of("tree/knomial:k=2,segment=8K")), plan(1, "bcast", 8, K, SEGMENT));
        assertEquals(Map.of(), plan(2, "bcast", 8, K, SEGMENT));
    }

    @Test
    void shouldPlanTheSameVariantsAgainAfterTheyWereMeasured() {
        point("bcast", 8, 16_384, "tree/knomial", 9);
        point("bcast", 8, 16_384, "basic/binomial", 5);
        final Map<Long, List<String>> first = plan(0, "bcast", 8, K, SEGMENT);
        point("bcast", 8, 16_384, "tree/knomial:k=2", 1);
        point("bcast", 8, 16_384, "tree/knomial:k=2,segment=8K", 1);
        assertEquals(first, plan(0, "bcast", 8, K, SEGMENT));
    }

    @Test
    void shouldJudgeAllSizesTogetherWhereRulesKnowNoBytes() {
        for (final long bytes : new long[] {64, 4096}) {
            point("gatherv", 4, bytes, "basic/linear", bytes == 64 ? 1 : 30);
            point("gatherv", 4, bytes, "tree/throttled", bytes == 64 ? 3 : 20);
        }
        assertEquals(Map.of(64L, List.of("tree/throttled:throttle=2"), 4096L, List.of("tree/throttled:throttle=2")),
            plan(0, "gatherv", 4, THROTTLE));
    }

    @Test
    void shouldVaryAParameterWhoseValueIsUnknown() {
        point("bcast", 8, 64, "m/a", 9);
        assertEquals(List.of("m/a:x=1", "m/a:x=2"), Stream.of(new TunableParameter("m/a", "x", null, "none", List.of(1L, 2L)))
            .flatMap(p -> plan(0, "bcast", 8, p).get(64L).stream()).toList());
    }
}
