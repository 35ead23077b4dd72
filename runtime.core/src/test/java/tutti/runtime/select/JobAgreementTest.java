package tutti.runtime.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.osgi.framework.Version;
import tutti.runtime.Ranks;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.LongRange;
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
        return new SelectionInputs(name, modules, parameters, Set.copyOf(parameters.keySet()), "none", 1);
    }

    private static void refused(final String reason, final SelectionInputs own, final SelectionInputs other) {
        assertEquals(reason, assertThrows(MpiFailure.class, () -> JobAgreement.check(own, other)).getMessage());
        assertThrows(MpiFailure.class, () -> JobAgreement.check(other, own));
    }

    @Test
    void shouldNameWhatJobsHaveThatHaveNothingInCommon() {
        refused("the jobs have no module in common: job a has basic 1.0.0 (aaaaaaaa), ring 1.1.0 (bbbbbbbb); job b has basic 1.0.0 (cccccccc), "
            + "ring 1.0.0 (bbbbbbbb); install the same modules on the nodes of both", job("a", List.of(BASIC, RING), Map.of()),
            job("b", List.of(module("basic", "1.0.0", "cccccccccccc"), module("ring", "1.0.0", "bbbbbbbbbbbb")), Map.of()));
    }

    @ParameterizedTest
    @CsvSource({"coll.ring.segment", "coll.reproducible", "coll.select", "check"})
    void shouldRefuseOtherValuesOfWhatRanksMustDecideAlike(final String parameter) {
        refused("the jobs have different values of parameter " + parameter + ": job a has x; job b has none; start both with the same -p "
            + parameter + "=VALUE", job("a", List.of(BASIC, RING), Map.of(parameter, "x")), job("b", List.of(RING), Map.of()));
    }

    @ParameterizedTest
    @CsvSource({"coll.tree.segment", "progress", "trace", "transport", "coll.rules"})
    void shouldAcceptOtherValuesOfEverythingElse(final String parameter) {
        JobAgreement.check(job("a", List.of(BASIC, RING), Map.of(parameter, "x")), job("b", List.of(RING), Map.of(parameter, "y")));
    }

    private static SelectionInputs withRules(final String name, final String file, final String algorithm) {
        final RuleTable rules = new RuleTable(file, List.of(new SelectionRule("allreduce", LongRange.ALL, LongRange.ALL, LongRange.ALL,
            LongRange.ALL, null, null, List.of(new AlgorithmRef(algorithm, null)))));
        return Ranks.job(2, Map.of(), rules, List.of(), List.of()).inputs(name);
    }

    @Test
    void shouldCompareRulesAndNotTheNamesOfTheirFiles() {
        final SelectionInputs own = withRules("a", "/a/rules.json", "basic");
        final SelectionInputs same = withRules("b", "/b/rules.json", "basic");
        final SelectionInputs other = withRules("b", "/a/rules.json", "ring");
        assertEquals(own.rulesHash(), same.rulesHash());
        refused(
            "the jobs have different selection rules: job a has /a/rules.json #" + Long.toHexString(own.rulesHash()) + "; job b has /a/rules.json #"
                + Long.toHexString(other.rulesHash()) + "; start both with the same -p coll.rules=FILE",
            with(own, List.of(BASIC)),
            with(other, List.of(BASIC)));
        JobAgreement.check(with(own, List.of(BASIC)), with(same, List.of(BASIC)));
    }

    private static SelectionInputs with(final SelectionInputs inputs, final List<ModuleId> modules) {
        return new SelectionInputs(inputs.job(), modules, inputs.parameters(), inputs.given(), inputs.rules(), inputs.rulesHash());
    }
}
