package tutti.daemon.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.osgi.framework.Version;
import tutti.daemon.modules.ModuleOffers;
import tutti.daemon.monitor.TuningRecord;
import tutti.daemon.node.ExitStatus;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.LongRange;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;

/** Tests of agreements of jobs. Nodes a and b have basic and ring; only a has tree. */
class JobAgreementResolverTest {
    private static final ModuleId BASIC = new ModuleId("basic", new Version(1, 0, 0), "b");
    private static final ModuleId RING = new ModuleId("ring", new Version(1, 2, 0), "r");
    private static final ModuleId TREE = new ModuleId("tree", new Version(1, 0, 0), "t");

    private final Map<String, Catalogue> nodes = new LinkedHashMap<>(Map.of("b", new Catalogue(1, List.of(BASIC, RING))));
    private String configured = "65536";
    private Path table;
    private RuleTable userRules;
    private List<TuningRecord> learnt = List.of();

    private static final class RingOffers implements ModuleOffers {
        private final SortedMap<String, List<String>> names = new TreeMap<>(Map.of("bcast", List.of("ring", "pipelined"), "allreduce",
            List.of("ring")));

        @Override
        public Set<String> operations(final ModuleId module) {
            return module.equals(RING) ? names.keySet() : Set.of();
        }

        @Override
        public SortedMap<String, List<String>> algorithms(final ModuleId module, final Map<String, String> parameters) {
            assertEquals(RING, module);
            return names;
        }
    }

    private AgreedModules of(final String... parameters) throws JobAgreementResolver.JobRefusedException, InterruptedException {
        nodes.put("a", new Catalogue(1, List.of(BASIC, RING, TREE)));
        return resolve(parameters);
    }

    private AgreedModules resolve(final String... parameters) throws JobAgreementResolver.JobRefusedException, InterruptedException {
        final Map<String, String> given = new LinkedHashMap<>();
        Stream.of(parameters).forEach(p -> given.put(p.substring(0, p.indexOf('=')), p.substring(p.indexOf('=') + 1)));
        return new JobAgreementResolver(module -> switch (module.name()) {
            case "ring" -> List.of(new Parameter("coll.ring.segment", configured, v -> v.matches("\\d+") ? null : "not a number of its type"));
            case "tree" -> List.of(new Parameter("coll.tree.k", "2", v -> null));
            case "gone" -> null;
            default -> List.of();
        }, new RingOffers(), table).resolve(nodes, given, userRules, learnt);
    }

    @Test
    void shouldFreezeTheGivenParametersAndTheDefaultsOfModulesOfAllOrSomeNodes() throws Exception {
        assertEquals(Map.of("coll.ring.segment", "65536", "coll.tree.k", "2"), of().parameters());
        assertEquals(Map.of("coll.ring.segment", "128", "coll.tree.k", "2", "coll.select", "ring,^tree", "coll.bcast", "basic"),
            of("coll.ring.segment=128", "coll.select=ring,^tree", "coll.bcast=basic").parameters());
        assertEquals(List.of(BASIC, RING), of().modules());
        assertEquals(List.of("basic", "ring", "tree"), of().on(new TreeSet<>(List.of(1))).modules().stream().map(ModuleId::name).toList());
    }

    @Test
    void shouldAcceptParametersOfAModuleThatSomeNodesLack() throws Exception {
        assertEquals("4", of("coll.tree.k=4").parameters().get("coll.tree.k"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "coll.rign.segment=1|2|no such parameter: coll.rign.segment; did you mean coll.ring.segment?",
        "coll.ring.segment=big|2|bad value: coll.ring.segment=big: not a number of its type",
        "coll.brodcast=ring|2|no such parameter: coll.brodcast; did you mean coll.bcast?",
        "coll.bcast=rong|2|no such module: coll.bcast=rong; did you mean ring?",
        "intercept=profile|2|no such interceptor: intercept=profile; there are: none",
        "check=maybe|2|bad value: check=maybe: none of full, fast, off",
        "check.kinds=yes|2|bad value: check.kinds=yes: neither on nor off",
        "check.threads=yes|2|bad value: check.threads=yes: neither on nor off",
        "check.thread=on|2|no such parameter: check.thread; did you mean check.threads?",
        "coll.tune=on|2|bad value: coll.tune=on: none of off, online",
        "coll.live=on|2|bad value: coll.live=on: none of off, quarantine, follow",
        "coll.lve=off|2|no such parameter: coll.lve; did you mean coll.live?",
        "progress=fast|2|bad value: progress=fast: none of spin, adaptive, park",
        "chek=full|2|no such parameter: chek; did you mean check?",
        "coll.bcast=rong/pipelined|2|no such module: coll.bcast=rong; did you mean ring?",
        "coll.bcast=ring/pipelined/x|2|bad value: coll.bcast=ring/pipelined/x: not a reference to a module or algorithm; allowed: "
            + "MODULE, MODULE/ALGORITHM or MODULE/ALGORITHM:PARAMETER=VALUE,...",
        "coll.bcast=ring/pipelined:segmnt=1|2|coll.bcast=ring/pipelined:segmnt=1: module ring has no parameter segmnt; allowed: segment",
        "coll.bcast=ring/pipelined:segment=x|2|coll.bcast=ring/pipelined:segment=x: bad value: segment=x: not a number of its type",
        "coll.bcast=basic/binomial:k=2|2|coll.bcast=basic/binomial:k=2: module basic has no parameter k; allowed: none",
        "coll.bcast=ring/binomial|2|no such algorithm: coll.bcast=ring/binomial; there are: ring/ring, ring/pipelined",
        "coll.scan=ring/ring|2|module ring does not offer scan: coll.scan=ring/ring; it offers allreduce, bcast",
        "coll.scan=ring|2|module ring does not offer scan: coll.scan=ring; it offers allreduce, bcast",
        "coll.bcast=hierarchical|2|no such module: coll.bcast=hierarchical; there are: basic, ring, tree",
        "coll.reproducible=yes|2|bad value: coll.reproducible=yes: neither true nor false",
        "coll.select=^trie|2|no such module: coll.select=trie; did you mean tree?",
        "coll.select=^basic|2|coll.select: basic cannot be excluded: it is the fallback module",
        "coll.select=tree|4|module tree was requested by coll.select, but the nodes do not agree on it: tree 1.0.0: missing on node b",
        "coll.scan=tree|4|module tree was requested by coll.scan, but the nodes do not agree on it: tree 1.0.0: missing on node b"})
    void shouldRefuseInvalidParametersWithTheReason(final String parameter, final int status, final String reason) {
        final JobAgreementResolver.JobRefusedException e = assertThrows(JobAgreementResolver.JobRefusedException.class, () -> of(parameter));
        assertEquals(reason, e.getMessage());
        assertEquals(status, e.status());
    }

    @Test
    void shouldNameTheConfigurationWhenItsValueIsBad() {
        configured = "many";
        final JobAgreementResolver.JobRefusedException e = assertThrows(JobAgreementResolver.JobRefusedException.class, this::of);
        assertEquals("bad value: coll.ring.segment=many (from the configuration of the launching node): not a number of its type", e.getMessage());
    }

    @Test
    void shouldFreezeTheRulesOfTheUserOrElseOfTheNodeWhenTheJobIsLaunched(@TempDir final Path dir) throws Exception {
        assertEquals(RuleTable.NONE, of().rules());
        table = dir.resolve("rules.json");
        assertEquals(RuleTable.NONE, of().rules(), "there is no such file");
        Files.writeString(table, "{\"rules\": [{\"use\": \"ring\"}]}");
        final SelectionRule ring = new SelectionRule(null, List.of(new AlgorithmRef("ring", null)));
        assertEquals(new RuleTable(table.toString(), List.of(ring), true), of().rules());
        assertEquals(RuleTable.NONE, of("coll.rules=none").rules());
        userRules = new RuleTable("mine", List.of(ring, ring));
        assertEquals(userRules, of("coll.rules=mine").rules());
        assertEquals("mine", of("coll.rules=mine").parameters().get("coll.rules"));
    }

    private static CallTuning found(final ModuleId best, final ModuleId other, final long bytes) {
        return new CallTuning("MPI_COMM_WORLD", new CallTuning.Shape(3, 2, new LongRange(1, 2)), "bcast", CallTuning.Kind.USUAL,
            LongRange.only(bytes), List.of(new CallTuning.Measured(other, new AlgorithmRef(other.name(), "linear"), 12, 900, 9, 1.8, null),
                new CallTuning.Measured(best, AlgorithmRef.of(best.name() + "/pipelined"), 30, 500, 9, 1, null)),
            1, 0, 100, 1, 0);
    }

    @Test
    void shouldBeginAJobThatTunesItsCallsWithWhatEarlierJobsHaveFoundOut(@TempDir final Path dir) throws Exception {
        learnt = List.of(TuningRecord.of(found(RING, BASIC, 8)).then(found(RING, BASIC, 8)));
        table = Files.writeString(dir.resolve("rules.json"), "{\"rules\": [{\"use\": \"basic\"}]}");
        final SelectionRule basic = new SelectionRule(null, List.of(new AlgorithmRef("basic", null)));
        assertEquals(List.of(basic), of().rules().rules());
        final RuleTable rules = of("coll.tune=online").rules();
        assertEquals(List.of("bcast, ranks 3, nodes 2, ranks per node 1..2, bytes 8: ring/pipelined, else basic/linear", "any operation: basic"),
            rules.rules().stream().map(SelectionRule::toString).toList());
        assertEquals("measured on 84 calls of 2 jobs: ring/pipelined 1.8 times faster than basic/linear", rules.name(0));
        assertEquals("rule 1 of " + table, rules.name(1));
        assertTrue(rules.isDefault());
        userRules = new RuleTable("mine", List.of(basic));
        assertEquals(2, of("coll.tune=online", "coll.rules=mine").rules().rules().size());
        // the rules of the job that spawns
        userRules = rules;
        assertEquals(rules, of("coll.tune=online").rules());
        assertEquals(new RuleTable(table.toString(), List.of(basic), true), of().rules());
        userRules = RuleTable.NONE;
        assertEquals(RuleTable.NONE, of("coll.tune=online", "coll.rules=none").rules(), "the user wants no rules");
    }

    @Test
    void shouldBeginWithWhatTheModulesOfTheJobWereMeasuredFor() throws Exception {
        final ModuleId old = new ModuleId("ring", new Version(1, 1, 0), "o");
        learnt = List.of(TuningRecord.of(found(old, BASIC, 8)));
        assertEquals(RuleTable.NONE, of("coll.tune=online").rules(), "the nodes have another version");
        learnt = List.of(TuningRecord.of(found(TREE, BASIC, 8)));
        assertEquals(RuleTable.NONE, of("coll.tune=online").rules(), "a node lacks it");
        learnt = List.of(TuningRecord.of(found(RING, TREE, 8)), TuningRecord.of(found(BASIC, old, 8)), TuningRecord.of(found(RING, old, 4)));
        final RuleTable rules = of("coll.tune=online").rules();
        assertEquals(List.of("bcast, ranks 3, nodes 2, ranks per node 1..2, bytes 4: ring/pipelined",
            "bcast, ranks 3, nodes 2, ranks per node 1..2, bytes 8: basic/pipelined"), rules.rules().stream().map(SelectionRule::toString).toList());
        assertEquals(List.of("measured on 42 calls of 1 job: ring/pipelined", "measured on 42 calls of 1 job: basic/pipelined"), rules.learnt());
    }

    @Test
    void shouldRefuseRulesThatAreInvalidOrNotSent(@TempDir final Path dir) throws Exception {
        assertEquals("coll.rules=mine: the command that launches a job must read the table",
            assertThrows(JobAgreementResolver.JobRefusedException.class, () -> of("coll.rules=mine")).getMessage());
        table = Files.writeString(dir.resolve("rules.json"), "{\"rules\": [{\"bytes\": 3}]}");
        final JobAgreementResolver.JobRefusedException e = assertThrows(JobAgreementResolver.JobRefusedException.class, this::of);
        assertEquals("rules of the launching node: " + table + ": rule 1: use: missing; allowed: "
            + "MODULE, MODULE/ALGORITHM or MODULE/ALGORITHM:PARAMETER=VALUE,... as text, or an array of them", e.getMessage());
        assertEquals(ExitStatus.USAGE, e.status());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "ring/ring:segmnt=64K|module ring has no parameter segmnt; allowed: segment",
        "ring/ring:segment=big|bad value: segment=big: not a number of its type",
        "basic/linear:k=2|module basic has no parameter k; allowed: none",
        "tree/knomial:segment=1|module tree has no parameter segment; allowed: k"})
    void shouldRefuseRulesWithInvalidParameters(final String use, final String reason, @TempDir final Path dir) throws Exception {
        final SelectionRule basic = new SelectionRule(null, List.of(new AlgorithmRef("basic", null)));
        userRules = new RuleTable("mine", List.of(basic,
            new SelectionRule(null, List.of(new AlgorithmRef("basic", null), AlgorithmRef.of(use)))));
        final JobAgreementResolver.JobRefusedException e = assertThrows(JobAgreementResolver.JobRefusedException.class, this::of);
        assertEquals("mine: rule 2: use: \"" + use + "\": " + reason, e.getMessage());
        assertEquals(ExitStatus.USAGE, e.status());
        userRules = null;
        table = Files.writeString(dir.resolve("rules.json"), "{\"rules\": [{\"use\": \"" + use + "\"}]}");
        assertEquals("rules of the launching node: " + table + ": rule 1: use: \"" + use + "\": " + reason,
            assertThrows(JobAgreementResolver.JobRefusedException.class, this::of).getMessage());
    }

    @Test
    void shouldAcceptRulesWithValidParametersAndWithThoseOfModulesThatNoNodeHas() throws Exception {
        userRules = new RuleTable("mine", List.of(new SelectionRule(null,
            List.of(AlgorithmRef.of("ring/ring:segment=64K"), AlgorithmRef.of("absent/x:k=2")))));
        assertEquals(userRules, of("coll.ring.segment=128").rules());
        assertEquals(Set.of("coll.ring.segment"), of("coll.ring.segment=128").given());
        assertEquals(Set.of(), of().given());
    }

    @Test
    void shouldNotCheckParametersOfAModuleThatTheNodeHasNoMore(@TempDir final Path dir) throws Exception {
        final ModuleId gone = new ModuleId("gone", new Version(1, 0, 0), "g");
        nodes.put("a", new Catalogue(1, List.of(BASIC, gone)));
        nodes.put("b", new Catalogue(1, List.of(BASIC, gone)));
        table = Files.writeString(dir.resolve("rules.json"), "{\"rules\": [{\"use\": \"gone/gone:segment=32K\"}]}");
        final AgreedModules agreed = resolve();
        assertEquals(List.of(BASIC, gone), agreed.modules());
        assertEquals("gone/gone:segment=32K", agreed.rules().rules().getFirst().refs().getFirst().toString());
    }

    @Test
    void shouldRefuseNodesWithoutAModuleInCommon() {
        nodes.put("c", new Catalogue(1, List.of(TREE)));
        nodes.put("d", new Catalogue(1, List.of(RING)));
        final JobAgreementResolver.JobRefusedException e = assertThrows(JobAgreementResolver.JobRefusedException.class, this::of);
        assertEquals(ExitStatus.NO_AGREEMENT, e.status());
        assertEquals("nodes have no module in common: basic 1.0.0: missing on node c, node d; ring 1.2.0: missing on node c; "
            + "tree 1.0.0: missing on node b, node d", e.getMessage());
    }
}
