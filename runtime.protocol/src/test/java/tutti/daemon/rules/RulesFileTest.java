package tutti.daemon.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static tutti.runtime.policy.RuleCondition.BLOCK;
import static tutti.runtime.policy.RuleCondition.BYTES;
import static tutti.runtime.policy.RuleCondition.COMMUTATIVE;
import static tutti.runtime.policy.RuleCondition.GROUPS;
import static tutti.runtime.policy.RuleCondition.IN_PLACE;
import static tutti.runtime.policy.RuleCondition.LEVEL;
import static tutti.runtime.policy.RuleCondition.LINK;
import static tutti.runtime.policy.RuleCondition.NODES;
import static tutti.runtime.policy.RuleCondition.POWER_OF_TWO;
import static tutti.runtime.policy.RuleCondition.PREDEFINED;
import static tutti.runtime.policy.RuleCondition.RANKS;
import static tutti.runtime.policy.RuleCondition.RANKS_PER_NODE;
import static tutti.runtime.policy.RuleCondition.REGULAR;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;

/** Tests of valid and invalid files of rule tables. */
class RulesFileTest {
    private static final String USE = "MODULE, MODULE/ALGORITHM or MODULE/ALGORITHM:PARAMETER=VALUE,... as text, or an array of them";
    private static final String RANGE = "allowed: 2..8, 2.., ..64K or 7, with K, M, G for powers of 1024";

    private static final String LEVELS = "allowed: \"hwthread\", \"core\", \"cache\", \"numa\", \"socket\", \"jvm\", \"host\", \"switch\", "
        + "\"switch2\", \"switch3\" and so on, \"cluster\", or an array of them";

    private static RuleTable of(final String json) throws InvalidRulesException {
        return RulesFile.of("t.json", json.getBytes(StandardCharsets.UTF_8));
    }

    private static String errorOf(final String json) {
        final String message = assertThrows(InvalidRulesException.class, () -> of(json), json).getMessage();
        assertEquals(1, message.lines().count(), message);
        return message;
    }

    @Test
    void shouldReadEveryFieldAndAllowOptionalOnesToBeMissing() throws Exception {
        final List<AlgorithmRef> basic = List.of(new AlgorithmRef("basic", null));
        assertEquals(new RuleTable("t.json", List.of(
            new SelectionRule("allreduce",
                List.of(new AlgorithmRef("smp", "direct", new TreeMap<>(Map.of("segment", "16384"))), new AlgorithmRef("basic", null)))
                .with(RANKS, "2..8").with(NODES, new LongRange(1, 1)).with(RANKS_PER_NODE, "2..").with(BYTES, new LongRange(0, 65_536))
                .with(COMMUTATIVE, "true").with(PREDEFINED, "false").with(IN_PLACE, "false"),
            new SelectionRule("bcast", basic).with(GROUPS, new LongRange(2, 4)).with(POWER_OF_TWO, "true"),
            new SelectionRule("allgatherv", basic).with(REGULAR, "true").with(BLOCK, "..4K").with(LEVEL, "host or switch3"),
            new SelectionRule(null, basic).with(LEVEL, "jvm"), new SelectionRule(null, basic),
            new SelectionRule(null, List.of(new AlgorithmRef("ring", null))).with(LINK, "slow"))),
            of("""
                {"rules": [
                  {"operation": "allreduce", "ranks": "2..8", "nodes": 1, "ranksPerNode": "2..", "bytes": "..64K",
                   "commutative": true, "predefined": false, "inPlace": false, "use": ["smp/direct:segment=16K", "basic"]},
                  {"operation": "bcast", "groups": "2..4", "powerOfTwo": true, "use": "basic"},
                  {"operation": "allgatherv", "regular": true, "block": "..4K", "level": ["switch3", "host", "host"], "use": "basic"},
                  {"level": "jvm", "use": "basic"}, {"ranks": "0..", "use": "basic"},
                  {"link": "slow", "use": "ring"}
                ]}
                """));
        assertEquals(new RuleTable("t.json", List.of()), of("{\"rules\": []}"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "[]|t.json: rule 2: not an object: []; allowed: {\"use\": \"MODULE/ALGORITHM\", ...}",
        "{}|t.json: rule 2: use: missing; allowed: " + USE,
        "{\"use\": 7}|t.json: rule 2: use: 7; allowed: " + USE,
        "{\"use\": \"a/b/c\"}|t.json: rule 2: use: \"a/b/c\" (not a reference to a module or algorithm); allowed: " + USE,
        "{\"use\": \"a/\"}|t.json: rule 2: use: \"a/\" (not a reference to a module or algorithm); allowed: " + USE,
        "{\"use\": \"a/b:k\"}|t.json: rule 2: use: \"a/b:k\" (not a reference to a module or algorithm); allowed: " + USE,
        "{\"use\": \"a/b:k=1,k=2\"}|t.json: rule 2: use: \"a/b:k=1,k=2\" (parameter occurs twice: k); allowed: " + USE,
        "{\"use\": []}|t.json: rule 2: use: []; allowed: " + USE,
        "{\"use\": [\"a\", [\"b\"]]}|t.json: rule 2: use: [\"b\"]; allowed: " + USE,
        "{\"use\": {}}|t.json: rule 2: use: {}; allowed: " + USE,
        "{\"use\": null}|t.json: rule 2: use: null; allowed: " + USE,
        "{\"use\": \"a\", \"commutative\": \"yes\"}|t.json: rule 2: commutative: \"yes\"; allowed: true, false",
        "{\"use\": \"a\", \"link\": \"medium\"}|t.json: rule 2: link: \"medium\" (no such value: medium); allowed: \"fast\", \"slow\", "
            + "or an array of them",
        "{\"use\": \"a\", \"link\": 1}|t.json: rule 2: link: 1; allowed: \"fast\", \"slow\", or an array of them",
        "{\"use\": \"a\", \"inPlace\": null}|t.json: rule 2: inPlace: null; allowed: true, false",
        "{\"use\": \"a\", \"size\": 3}|t.json: rule 2: size: no such field; allowed: operation, ranks, groups, nodes, ranksPerNode, "
            + "powerOfTwo, level, link, bytes, block, regular, commutative, predefined, inPlace, use",
        "{\"use\": \"a\", \"operation\": \"scan\", \"groups\": \"2..\"}|t.json: rule 2: groups: scan is not defined on intercommunicators; "
            + "allowed with allgather, allgatherv, allreduce, alltoall, alltoallv, alltoallw, barrier, bcast, gather, gatherv, reduce, "
            + "reduce_scatter, reduce_scatter_block, scatter, scatterv",
        "{\"use\": \"a\", \"operation\": \"alltoallv\", \"regular\": true}|t.json: rule 2: regular: alltoallv has no blocks that may differ and "
            + "that every rank knows; allowed with allgatherv, reduce_scatter",
        "{\"use\": \"a\", \"powerOfTwo\": 8}|t.json: rule 2: powerOfTwo: 8; allowed: true, false",
        "{\"use\": \"a\", \"regular\": [true]}|t.json: rule 2: regular: [true]; allowed: true, false",
        "{\"use\": \"a\", \"level\": []}|t.json: rule 2: level: [] (no words); " + LEVELS,
        "{\"use\": \"a\", \"level\": \"switch1\"}|t.json: rule 2: level: \"switch1\" (no such value: switch1); " + LEVELS,
        "{\"use\": \"a\", \"level\": [\"host\", \"Host\"]}|t.json: rule 2: level: [\"host\",\"Host\"] (no such value: Host); " + LEVELS,
        "{\"use\": \"a\", \"level\": \"host or jvm\"}|t.json: rule 2: level: \"host or jvm\" (no such value: host or jvm); " + LEVELS,
        "{\"use\": \"a\", \"level\": {}}|t.json: rule 2: level: {}; " + LEVELS,
        "{\"use\": \"a\", \"level\": [[\"host\"]]}|t.json: rule 2: level: [\"host\"]; " + LEVELS,
        "{\"use\": \"a\", \"bytes\": \"8..\", \"operation\": \"alltoallw\"}|t.json: rule 2: bytes: alltoallw has a length that not every rank "
            + "knows; allowed with allgather, allgatherv, allreduce, alltoall, barrier, bcast, exscan, gather, reduce, reduce_scatter, "
            + "reduce_scatter_block, scan, scatter",
        "{\"use\": \"a\", \"operation\": \"bcast\", \"commutative\": true}|t.json: rule 2: commutative: bcast is not a reduction; allowed with "
            + "allreduce, exscan, reduce, reduce_scatter, reduce_scatter_block, scan",
        "{\"use\": \"a\", \"operation\": \"gather\", \"inPlace\": true}|t.json: rule 2: inPlace: gather has ranks that may differ in it; "
            + "allowed with allgather, allgatherv, allreduce, alltoall, alltoallv, alltoallw"})
    void shouldNameRuleAndFieldAndWhatIsAllowed(final String rule, final String message) {
        assertEquals(message, errorOf("{\"rules\": [{\"use\": \"basic\"}, " + rule + "]}"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', value = {
        "\"8..2\"|\"8..2\" (range is empty: 8..2)", "\"..\"|\"..\" (not a range)", "\"\"|\"\" (not a range)", "\"-1\"|\"-1\" (not a range)",
        "-1|-1 (not a range)", "\"1T\"|\"1T\" (not a range)", "\"1..2..3\"|\"1..2..3\" (not a range)", "1.5|1.5", "true|true", "[2]|[2]", "null|null",
        "\"..99999999999G\"|\"..99999999999G\" (number too large: 99999999999G)",
        "123456789012345678901234567890|123456789012345678901234567890 (not a range)"})
    void shouldRefuseInvalidRanges(final String range, final String found) {
        for (final String field : List.of("ranks", "groups", "nodes", "ranksPerNode", "bytes", "block")) {
            assertEquals("t.json: rule 1: " + field + ": " + found + "; " + RANGE,
                errorOf("{\"rules\": [{\"use\": \"a\", \"" + field + "\": " + range + "}]}"));
        }
    }

    @Test
    void shouldRefuseUnknownOperations() {
        assertTrue(errorOf("{\"rules\": [{\"operation\": \"allReduce\", \"use\": \"a\"}]}")
            .startsWith("t.json: rule 1: operation: \"allReduce\"; allowed: allgather, allgatherv, allreduce,"));
        assertTrue(errorOf("{\"rules\": [{\"operation\": null, \"use\": \"a\"}]}").startsWith("t.json: rule 1: operation: null; allowed: allgather"));
    }

    @Test
    void shouldRefuseFilesThatAreNotTables() {
        for (final String json : List.of("", "[]", "7", "null", "{}", "{\"rules\": {}}", "{\"rules\": [], \"more\": 1}")) {
            assertEquals("t.json: not a table of rules; allowed: {\"rules\": [{...}, ...]}", errorOf(json));
        }
        assertTrue(errorOf("{\"rules\": [").startsWith("t.json: not JSON: line 1, column "));
        assertTrue(errorOf("{\"rules\": []} x").startsWith("t.json: not JSON: line 1, column "));
        assertTrue(errorOf("\u0000").startsWith("t.json: not JSON: line 1, column "));
        assertTrue(errorOf("{\"rules\": [{\"use\": \"a\", \"use\": \"b\"}]}").contains("Duplicate field 'use'"));
        assertTrue(errorOf("[".repeat(100_000)).startsWith("t.json: not JSON: "));
        assertEquals("t.json: too many rules: rules=10001, max=10000", errorOf("{\"rules\": [" + "{},".repeat(10_000) + "{}]}"));
    }

    @Test
    void shouldNameAFileThatIsMissingOrIsAFolder(@TempDir final Path dir) {
        assertEquals(dir.resolve("x.json") + ": no such file",
            assertThrows(InvalidRulesException.class, () -> RulesFile.read(dir.resolve("x.json"))).getMessage());
        assertTrue(assertThrows(InvalidRulesException.class, () -> RulesFile.read(dir)).getMessage().startsWith(dir + ": cannot be read: "));
    }
}
