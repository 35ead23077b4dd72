package tutti.runtime.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.osgi.framework.Version;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.AgreedModules.Held;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.RuleCondition;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;

/** Tests which jobs can connect. */
class JobAgreementTest {
    private static final ModuleId BASIC = module("basic", "1.0.0", "aaaaaaaaaaaa");
    private static final ModuleId RING = module("ring", "1.1.0", "bbbbbbbbbbbb");

    private static ModuleId module(final String name, final String version, final String digest) {
        return new ModuleId(name, Version.parseVersion(version), digest);
    }

    private static SelectionInputs job(final String name, final List<ModuleId> modules, final Map<String, String> parameters) {
        return job(name, modules, parameters, RuleTable.NONE);
    }

    private static SelectionInputs job(final String name, final List<ModuleId> modules, final Map<String, String> parameters, final RuleTable rules) {
        return new SelectionInputs(name, modules.stream().map(m -> new Held(m, List.of(0))).toList(), parameters, parameters.keySet(), rules);
    }

    /** Returns a job without parameters of its user. */
    private static SelectionInputs configured(final String name, final Map<String, String> parameters, final RuleTable rules) {
        return new SelectionInputs(name, List.of(new Held(BASIC, List.of(0))), parameters, Set.of(), rules);
    }

    private static void refused(final String reason, final SelectionInputs own, final SelectionInputs other) {
        assertEquals(reason, assertThrows(MpiFailure.class, () -> JobAgreement.check(own, other)).getMessage());
        assertThrows(MpiFailure.class, () -> JobAgreement.check(other, own));
    }

    private static AgreedModules between(final SelectionInputs... jobs) {
        for (final SelectionInputs other : jobs) {
            JobAgreement.check(jobs[0], other);
        }
        final List<JobAgreement.Member> members = new ArrayList<>();
        for (final SelectionInputs j : jobs) {
            members.add(new JobAgreement.Member(j, new TreeMap<>(Map.of(0, "n"))));
        }
        return JobAgreement.between(members);
    }

    @Test
    void shouldNameWhatJobsHaveThatHaveNothingInCommon() {
        refused("the jobs have no module in common: job a has basic 1.0.0 (aaaaaaaa), ring 1.1.0 (bbbbbbbb); job b has basic 1.0.0 (cccccccc), "
            + "ring 1.0.0 (bbbbbbbb); install the same modules on the nodes of both", job("a", List.of(BASIC, RING), Map.of()),
            job("b", List.of(module("basic", "1.0.0", "cccccccccccc"), module("ring", "1.0.0", "bbbbbbbbbbbb")), Map.of()));
    }

    @ParameterizedTest
    @CsvSource({"coll.ring.segment", "coll.reproducible", "coll.select", "coll.bcast"})
    void shouldRefuseTwoValuesOfWhatRanksMustDecideAlike(final String parameter) {
        refused("the jobs have different values of parameter " + parameter + ": job a has x; job b has y; give one of them this parameter, or both "
            + "the same value", job("a", List.of(BASIC, RING), Map.of(parameter, "x")), job("b", List.of(RING), Map.of(parameter, "y")));
    }

    @Test
    void shouldRefuseOtherChecksOfCalls() {
        refused("the jobs have different values of parameter check: job a has full; job b has none; start both with the same -p check=VALUE",
            job("a", List.of(BASIC), Map.of("check", "full")), job("b", List.of(BASIC), Map.of()));
        JobAgreement.check(job("a", List.of(BASIC), Map.of("check", "fast")), job("b", List.of(BASIC), Map.of()));
    }

    @ParameterizedTest
    @CsvSource({"coll.tree.segment", "progress", "trace", "transport"})
    void shouldAcceptOtherValuesOfEverythingElse(final String parameter) {
        JobAgreement.check(job("a", List.of(BASIC, RING), Map.of(parameter, "x")), job("b", List.of(RING), Map.of(parameter, "y")));
    }

    @Test
    void shouldTakeParametersOfCollectivesFromTheJobThatGivesThem() {
        final SelectionInputs server = job("a", List.of(BASIC), Map.of("coll.select", "basic", "progress", "spin", "coll.basic.x", "1"));
        final SelectionInputs client = job("b", List.of(BASIC), Map.of("coll.reproducible", "true", "progress", "park"));
        final SelectionInputs third = job("c", List.of(BASIC), Map.of());
        final Map<String, String> common = Map.of("coll.select", "basic", "coll.basic.x", "1", "coll.reproducible", "true");
        for (final List<SelectionInputs> jobs : List.of(List.of(server, client, third), List.of(third, client, server),
            List.of(client, third, server))) {
            final AgreedModules agreed = between(jobs.toArray(SelectionInputs[]::new));
            final Map<String, String> parameters = new TreeMap<>(agreed.parameters());
            assertEquals(jobs.getFirst().parameters().get("progress"), parameters.remove("progress"));
            assertEquals(common, parameters);
            assertTrue(agreed.given().containsAll(common.keySet()));
        }
    }

    @Test
    void shouldTakeTheDefaultOfTheModuleWhereConfigurationsDiffer() {
        final SelectionInputs own = configured("a", Map.of("coll.basic.x", "1", "coll.basic.y", "2"), RuleTable.NONE);
        final SelectionInputs other = configured("b", Map.of("coll.basic.x", "1", "coll.basic.y", "3"), RuleTable.NONE);
        assertEquals(Map.of("coll.basic.x", "1"), between(own, other).parameters());
        assertEquals(Map.of("coll.basic.x", "1"), between(other, own).parameters());
        final SelectionInputs giver = job("c", List.of(BASIC), Map.of("coll.basic.y", "4"));
        assertEquals("4", between(own, giver).parameters().get("coll.basic.y"));
        assertEquals("4", between(giver, own).parameters().get("coll.basic.y"));
    }

    private static RuleTable rules(final String file, final String algorithm) {
        return new RuleTable(file, List.of(new SelectionRule("allreduce",
            List.of(new AlgorithmRef(algorithm, null), AlgorithmRef.of("tree/kary:branches=4"))).with(RuleCondition.COMMUTATIVE, "true")));
    }

    @Test
    void shouldCompareRulesAndNotTheNamesOfTheirFiles() {
        final RuleTable one = rules("/a/rules.json", "basic");
        final RuleTable other = rules("/a/rules.json", "ring");
        final Map<String, String> given = Map.of(RuleTable.PARAMETER, "rules.json");
        refused("the jobs have different selection rules: job a has " + one + "; job b has " + other
            + "; start both with the same -p coll.rules=FILE, or one of them", job("a", List.of(BASIC), given, one),
            job("b", List.of(BASIC), given, other));
        refused("the jobs have different selection rules: job a has " + one + "; job b has " + other
            + "; start both with the same -p coll.rules=FILE, or one of them", configured("a", Map.of(), one), configured("b", Map.of(), other));
        JobAgreement.check(job("a", List.of(BASIC), given, one), job("b", List.of(BASIC), given, rules("/b/rules.json", "basic")));
    }

    @Test
    void shouldTakeTheRulesOfTheJobThatGivesThem() {
        final SelectionInputs giver = job("a", List.of(BASIC), Map.of(RuleTable.PARAMETER, "rules.json"), rules("/a/rules.json", "basic"));
        final SelectionInputs other = configured("b", Map.of(), rules("default", "ring").asDefault());
        assertEquals(giver.rules(), between(giver, other).rules());
        assertEquals(giver.rules(), between(other, giver).rules());
    }

    @Test
    void shouldWriteAndReadRules() throws IOException {
        final SelectionRule all = new SelectionRule(null, List.of(AlgorithmRef.of("basic/linear"))).with(RuleCondition.RANKS, "2..8")
            .with(RuleCondition.GROUPS, "1..2").with(RuleCondition.RANKS_PER_NODE, "1").with(RuleCondition.LINK, "slow")
            .with(RuleCondition.BYTES, "..1M").with(RuleCondition.BLOCK, "7..").with(RuleCondition.LEVEL, "jvm or switch12")
            .with(RuleCondition.POWER_OF_TWO, "false");
        final RuleTable table = new RuleTable("default", List.of(rules("a", "ring").rules().getFirst(), all), true);
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        table.write(new DataOutputStream(bytes));
        final RuleTable read = RuleTable.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
        assertTrue(table.isAs(read));
        assertEquals(table.toString(), read.toString());
    }

    @Test
    void shouldSayWhyNodesOfACommunicatorHaveNoModuleInCommon() {
        final SelectionInputs own = new SelectionInputs("a", List.of(new Held(BASIC, List.of(0))), Map.of(), Set.of(), RuleTable.NONE);
        final SelectionInputs other = new SelectionInputs("b", List.of(new Held(BASIC, List.of(1))), Map.of(), Set.of(), RuleTable.NONE);
        assertEquals(
            "the nodes of the communicator have no module in common: basic 1.0.0: missing on node n of job b; install the same modules on them",
            assertThrows(MpiFailure.class, () -> between(own, other)).getMessage());
    }
}
