package tutti.daemon.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;

/** Tests of valid and invalid files of rule tables. */
class RulesFileTest {
    private static final String USE = "MODULE, MODULE/ALGORITHM or MODULE/ALGORITHM:PARAMETER=VALUE,... as text, or an array of them";
    private static final String RANGE = "allowed: 2..8, 2.., ..64K or 7, with K, M, G for powers of 1024";

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
        assertEquals(new RuleTable("t.json", List.of(
            new SelectionRule("allreduce", new LongRange(2, 8), new LongRange(1, 1), new LongRange(2, Long.MAX_VALUE), new LongRange(0, 65_536),
                true, false,
                List.of(new AlgorithmRef("smp", "direct", new TreeMap<>(Map.of("segment", "16384"))), new AlgorithmRef("basic", null))),
            new SelectionRule("bcast", null, new LongRange(2, 4), null, null, null, null, null, null, List.of(new AlgorithmRef("basic", null))),
            new SelectionRule(null, null, null, null, null, LinkSpeed.SLOW, null, null, null, List.of(new AlgorithmRef("ring", null))))),
            of("""
                {"rules": [
                  {"operation": "allreduce", "ranks": "2..8", "nodes": 1, "ranksPerNode": "2..", "bytes": "..64K",
                   "commutative": true, "inPlace": false, "use": ["smp/direct:segment=16K", "basic"]},
                  {"operation": "bcast", "groups": "2..4", "use": "basic"},
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
        "{\"use\": \"a\", \"link\": \"medium\"}|t.json: rule 2: link: \"medium\"; allowed: \"fast\", \"slow\"",
        "{\"use\": \"a\", \"link\": 1}|t.json: rule 2: link: 1; allowed: \"fast\", \"slow\"",
        "{\"use\": \"a\", \"inPlace\": null}|t.json: rule 2: inPlace: null; allowed: true, false",
        "{\"use\": \"a\", \"size\": 3}|t.json: rule 2: size: no such field; allowed: operation, ranks, groups, nodes, ranksPerNode, link, "
            + "bytes, commutative, inPlace, use",
        "{\"use\": \"a\", \"operation\": \"scan\", \"groups\": \"2..\"}|t.json: rule 2: groups: scan is not defined on intercommunicators; "
            + "allowed with all operations but scan, exscan and those of neighbours",
        "{\"use\": \"a\", \"operation\": \"bcast\", \"commutative\": true}|t.json: rule 2: commutative: bcast is not a reduction; allowed with "
            + "reduce, allreduce, scan, exscan, reduce_scatter, reduce_scatter_block",
        "{\"use\": \"a\", \"operation\": \"gather\", \"inPlace\": true}|t.json: rule 2: inPlace: ranks may differ in gather; allowed with allgather, "
            + "allgatherv, allreduce, alltoall, alltoallv, alltoallw"})
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
        for (final String field : List.of("ranks", "nodes", "ranksPerNode", "bytes")) {
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
