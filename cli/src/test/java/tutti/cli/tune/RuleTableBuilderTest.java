package tutti.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tutti.daemon.rules.RulesFile;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.RuleCondition;
import tutti.runtime.policy.SelectionRule;

class RuleTableBuilderTest {
    private final List<Measurement> points = new ArrayList<>();

    private void point(final String operation, final int ranks, final int nodes, final long bytes, final String algorithm, final double micros) {
        points.add(new Measurement(new TuneSetting(operation, ranks, nodes, bytes), algorithm, micros));
    }

    private List<String> table() {
        return RuleTableBuilder.rules(points).stream().map(SelectionRule::toString).toList();
    }

    @Test
    void shouldUseTheFastestForEverySizeWithBordersBetween() {
        point("bcast", 4, 1, 64, "tree/knomial", 1);
        point("bcast", 4, 1, 64, "ring/pipeline", 2);
        point("bcast", 4, 1, 1024, "tree/knomial", 5);
        point("bcast", 4, 1, 1024, "ring/pipeline", 3);
        point("bcast", 4, 1, 4096, "ring/pipeline", 6);
        point("bcast", 4, 1, 4096, "tree/knomial", 9);
        assertEquals(List.of("bcast, bytes ..256: tree/knomial, else ring/pipeline",
            "bcast, bytes 257..: ring/pipeline, else tree/knomial"), table());
    }

    @Test
    void shouldKeepAnAlgorithmThatIsNearlyAsFast() {
        point("bcast", 4, 1, 64, "tree/knomial", 1);
        point("bcast", 4, 1, 64, "ring/pipeline", 2);
        point("bcast", 4, 1, 1024, "tree/knomial", 3.1);
        point("bcast", 4, 1, 1024, "ring/pipeline", 3);
        assertEquals(List.of("bcast: tree/knomial, else ring/pipeline"), table());
    }

    @Test
    void shouldDistinguishNumbersOfRanksAndNodesWhereTheFastestDiffers() {
        for (final int ranks : new int[] {2, 4, 8}) {
            point("barrier", ranks, 1, 0, "smp/posts", 1);
            point("barrier", ranks, 1, 0, "basic/dissemination", ranks == 8 ? 0.5 : 2);
            point("barrier", ranks, 2, 0, "basic/dissemination", 20);
        }
        assertEquals(List.of("barrier, ranks ..4, nodes ..1: smp/posts, else basic/dissemination",
            "barrier, ranks 5.., nodes ..1: basic/dissemination",
            "barrier, nodes 2..: basic/dissemination"), table());
    }

    private void jvms(final int ranks, final int ranksPerJvm, final String algorithm, final double micros) {
        points.add(new Measurement(new TuneSetting("barrier", ranks, 0, 1, ranksPerJvm, 0), algorithm, micros));
    }

    /** To rules, a JVM is a node; rules for those of one host come before those for nodes. */
    @Test
    void shouldTellJvmsOfOneHostApartByTheNumberOfTheirRanks() {
        final String host = ", nodes 2.., level cache or core or host or hwthread or numa or socket: ";
        point("barrier", 4, 1, 0, "smp/posts", 1);
        point("barrier", 4, 2, 0, "basic/dissemination", 1);
        for (final int ranks : new int[] {2, 4}) {
            jvms(ranks, 1, "recexch/doubling", 2);
            jvms(ranks, 1, "tree/kary", ranks == 2 ? 3 : 1);
        }
        assertEquals(List.of("barrier, ranks ..2" + host + "recexch/doubling, else tree/kary",
            "barrier, ranks 3.." + host + "tree/kary, else recexch/doubling",
            "barrier, nodes ..1: smp/posts", "barrier, nodes 2..: basic/dissemination"), table());
        jvms(4, 2, "smp/hierarchical", 1);
        final String table = String.join("\n", table());
        assertTrue(table.contains(", ranks per node ..1, level "), table);
        assertTrue(table.contains(", ranks per node 2.., level cache or core or host or hwthread or numa or socket: smp/hierarchical"), table);
    }

    private void between(final int first, final int second, final long bytes, final String algorithm, final double micros) {
        points.add(new Measurement(new TuneSetting("allreduce", first + second, first, 1, 0, bytes), algorithm, micros));
    }

    /** Rules for larger groups come first; the smallest measured size also stands for smaller groups. */
    @Test
    void shouldTellIntercommunicatorsApartByTheirSmallerGroup() {
        point("allreduce", 4, 1, 64, "smp/direct", 1);
        for (final int size : new int[] {64, 1024}) {
            between(4, 4, size, "basic/pairs", size == 64 ? 1 : 20);
            between(4, 4, size, "basic/slices", 10);
            between(2, 6, size, "basic/leaders", 3);
            between(2, 6, size, "basic/pairs", 4);
        }
        assertEquals(List.of("allreduce, groups 4.., bytes ..256: basic/pairs", "allreduce, groups 4.., bytes 257..: basic/slices",
            "allreduce, groups 0..: basic/leaders", "allreduce: smp/direct"), table());
    }

    @Test
    void shouldWriteOneRuleWhereAGroupDoesNotKnowItsOwnLengths() {
        for (final long size : new long[] {64, 1024}) {
            points.add(new Measurement(new TuneSetting("allgatherv", 4, 2, 1, 0, size), "basic/direct", 5));
            points.add(new Measurement(new TuneSetting("allgatherv", 4, 2, 1, 0, size), "other/linear", 9));
        }
        assertEquals(List.of("allgatherv, groups 0..: basic/direct"), table());
    }

    @Test
    void shouldNameTheBestOfEachOtherModuleInOrderUpToBasicForJobsThatLackAModule() {
        for (final int size : new int[] {64, 1024}) {
            point("bcast", 4, 1, size, "ring/pipeline", 1);
            point("bcast", 4, 1, size, "ring/chain", 2);
            point("bcast", 4, 1, size, "smp/direct", size == 64 ? 3 : 30);
            point("bcast", 4, 1, size, "tree/knomial", size == 64 ? 4 : 5);
            point("bcast", 4, 1, size, "tree/kary", size == 64 ? 40 : 50);
            point("bcast", 4, 1, size, "basic/binomial", 60);
            point("bcast", 4, 1, size, "slow/chain", 100);
        }
        point("bcast", 4, 1, 64, "small/only", 2);
        assertEquals(List.of("bcast: ring/pipeline, else tree/knomial, else smp/direct, else basic/binomial"), table());
    }

    @Test
    void shouldOmitBytesForOperationsWhoseRulesCannotDependOnThem() {
        point("gatherv", 4, 1, 8192, "basic/linear", 1);
        assertEquals(List.of("gatherv: basic/linear"), table());
    }

    @Test
    void shouldNameParametersThatAreFasterThanThoseOfTheJobByMoreThanNoise() {
        for (final int size : new int[] {64, 65_536}) {
            point("bcast", 4, 1, size, "tree/knomial", 10);
            point("bcast", 4, 1, size, "tree/knomial:k=2", size == 64 ? 9.6 : 8);
            point("bcast", 4, 1, size, "basic/binomial", 20);
        }
        assertEquals(List.of("bcast, bytes ..2K: tree/knomial, else basic/binomial", "bcast, bytes 2049..: tree/knomial:k=2, else basic/binomial"),
            table());
    }

    @Test
    void shouldUseTheLeastMeanOverAllSizesWhereRulesKnowNoBytes() {
        for (final int size : new int[] {64, 4096, 65_536}) {
            point("gatherv", 4, 1, size, "basic/linear", size == 64 ? 1 : 30);
            point("gatherv", 4, 1, size, "tree/throttled", size == 64 ? 2 : 20);
            point("gatherv", 4, 1, size, "tree/throttled:throttle=2", size == 64 ? 2 : 10);
            point("gatherv", 4, 1, size, "smp/direct", size == 64 ? 2 : 40);
        }
        point("gatherv", 4, 1, 64, "m/some", 0.5);
        assertEquals(List.of("gatherv: tree/throttled:throttle=2, else basic/linear"), table());
    }

    @Test
    void shouldWriteATableThatIsReadBackUnchanged(@TempDir final Path dir) throws Exception {
        point("bcast", 2, 1, 64, "tree/knomial", 1);
        point("bcast", 2, 1, 1024, "ring/pipeline", 3);
        point("bcast", 4, 2, 1024, "ring/pipeline", 3);
        point("scan", 4, 2, 1024, "basic/doubling", 3);
        point("reduce", 4, 2, 1024, "tree/kary:branches=4,segment=64K", 3);
        final List<SelectionRule> rules = new ArrayList<>(RuleTableBuilder.rules(points));
        rules.add(new SelectionRule(null, List.of(AlgorithmRef.of("ring"))).with(RuleCondition.LEVEL, "host or switch2")
            .with(RuleCondition.POWER_OF_TWO, "false").with(RuleCondition.GROUPS, "0..").with(RuleCondition.BLOCK, "1..7")
            .with(RuleCondition.PREDEFINED, "true"));
        RuleTableWriter.write(dir.resolve("t.json"), rules);
        assertEquals(rules, RulesFile.read(dir.resolve("t.json")).rules());
    }
}
