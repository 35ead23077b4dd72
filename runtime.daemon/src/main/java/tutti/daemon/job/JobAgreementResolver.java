package tutti.daemon.job;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.Operation;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.command.SimilarNames;
import tutti.daemon.modules.ModuleOffers;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.monitor.TuningRecord;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.part.JobAgreements;
import tutti.daemon.part.JobTransports;
import tutti.daemon.part.RanksPerJvm;
import tutti.daemon.rules.InvalidRulesException;
import tutti.daemon.rules.RulesFile;
import tutti.intercept.CallInterceptor;
import tutti.runtime.checkpoint.store.CheckpointOption;
import tutti.runtime.checkpoint.store.MemoryOption;
import tutti.runtime.intercept.InterceptionOption;
import tutti.runtime.model.BindingMode;
import tutti.runtime.model.LiveMode;
import tutti.runtime.model.LossMode;
import tutti.runtime.model.ProgressMode;
import tutti.runtime.model.ProofMode;
import tutti.runtime.model.TuneMode;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ExcludedModule;
import tutti.runtime.module.LogLevels;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.policy.CheckLevel;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.SelectionRule;
import tutti.runtime.policy.TraceOption;
import tutti.runtime.policy.UserPreferences;

/**
 * Resolver of the agreement of a job: the modules that all its nodes have, and parameters and rules that are checked and are the same on all
 * nodes.
 */
@Component(service = {JobAgreementResolver.class, JobAgreements.class})
public final class JobAgreementResolver implements JobAgreements {
    /** Fallback module, which every job has. */
    private static final String BASIC = "basic";
    // Cause: the node that starts the job has a table of rules in its configuration, which is wrong. Remedy: correct it there; the rest of the
    // message is that of `coll.rules`.
    private static final String OWN_RULES = "rules of the launching node: ";

    private static final Logger LOG = LoggerFactory.getLogger(JobAgreementResolver.class);

    private static final List<Parameter> RUNTIME = ofRuntime();

    private final ParameterSource source;
    private final ModuleOffers offers;
    private final @Nullable Path table;

    /**
     * Parameters of modules by name.
     *
     * @param agreed those of the modules that all nodes, or some of them, agree on
     * @param all    those of all modules; a parameter of a module that the job cannot use is checked, but has no effect
     * @param here   names of the modules whose parameters this node knows
     */
    private record Declarations(Map<String, Parameter> agreed, Map<String, Parameter> all, Set<String> here) {}

    /** Refusal of a job, with an exit status and the reason. */
    public static final class JobRefusedException extends Exception {
        private static final long serialVersionUID = 1L;
        private final int status;

        JobRefusedException(final int status, final String why) {
            super(why, null, false, false);
            this.status = status;
        }

        int status() {
            return status;
        }
    }

    /** Creates the resolver of a node, whose rules are those in the file of its settings. */
    @Activate
    public JobAgreementResolver(@Reference(name = "parameters") final ParameterSource source, @Reference(name = "store") final ModuleStore store,
        @Reference(name = "node") final ListeningNode node) {
        this(source, store, node.settings().rules());
    }

    /**
     * Creates the resolver of a node.
     *
     * @param source parameters of the node's modules
     * @param offers operations and algorithms of the node's modules
     * @param table  file with the rules of jobs that do not specify any; null, or a file that does not exist, for no rules
     */
    JobAgreementResolver(final ParameterSource source, final ModuleOffers offers, final @Nullable Path table) {
        this.source = source;
        this.offers = offers;
        this.table = table;
    }

    /**
     * Resolves the agreement of a job. Blocks where the user names an algorithm, since its module is asked for its algorithms.
     *
     * @param all       catalogue of each node, by node name, in the order of the job's nodes
     * @param given     parameters from the user
     * @param userRules rules from the user, or null
     * @param learnt    what earlier jobs have found out, the latest last: a job that tunes its calls begins with it, unless the user wants no rules
     */
    public AgreedModules resolve(final Map<String, Catalogue> all, final Map<String, String> given, final @Nullable RuleTable userRules,
        final List<TuningRecord> learnt) throws JobRefusedException, InterruptedException {
        final Map<String, Catalogue> nodes = withoutOtherInterceptors(all, InterceptionOption.names(given));
        final AgreedModules agreement = AgreedModules.between(nodes);
        if (agreement.modules().isEmpty()) {
            // Cause: each module is missing, another version or in quarantine on some node; the reasons follow. Remedy: install the same modules on
            // all nodes: `tutti modules`.
            throw new JobRefusedException(ExitStatus.NO_AGREEMENT, "nodes have no module in common: " + reasons(agreement.leftOut()));
        }
        final Set<String> known = new TreeSet<>();
        nodes.values().forEach(c -> c.modules().forEach(m -> known.add(m.name())));
        checkInterceptors(InterceptionOption.names(given), all, agreement);
        known.removeIf(InterceptionOption::isInterceptor);
        final Declarations declared = declarations(nodes, agreement);
        checkChoice(new UserPreferences(given, given.keySet()), given.keySet(), known, agreement, declared);
        final Map<String, String> frozen = freeze(given, declared, known);
        checkOffers(new UserPreferences(given, given.keySet()), frozen, agreement);
        final RuleTable rules = userRules == null ? rules(given, declared) : checked(userRules.withoutLearnt(), "", declared);
        if (userRules != null && !rules.isDefault()) {
            // a spawned job has the table of its parent, which may be one that nobody asked for
            checkOffers(rules, frozen, agreement);
        }
        final boolean begins = TuneMode.of(frozen) == TuneMode.ONLINE && !RuleTable.VALUE_NONE.equals(given.get(RuleTable.PARAMETER));
        return agreement.with(frozen, given.keySet(), begins ? withLearnt(rules, agreement, learnt) : rules);
    }

    /** Returns rules after those of what earlier jobs have found out, as far as the job has the same modules as these. */
    private static RuleTable withLearnt(final RuleTable rules, final AgreedModules agreement, final List<TuningRecord> learnt) {
        final List<TuningRecord> usable =
            TuningRecord.latest(learnt.stream().map(r -> r.only(agreement.modules())).filter(Objects::nonNull).map(Objects::requireNonNull).toList());
        return rules.withLearnt(usable.stream().map(TuningRecord::rule).toList(), usable.stream().map(TuningRecord::toString).toList());
    }

    @Override
    public @Nullable AgreedModules between(final Map<String, Catalogue> nodes) {
        try {
            return resolve(nodes, Map.of(), null, List.of());
        } catch (final JobRefusedException e) {
            LOG.debug("nodes have no agreement without parameters: {}", nodes.keySet(), e);
            return null;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /**
     * Returns the agreement of a running job that takes other modules of a name, with defaults of the parameters that the job does not have yet.
     * Blocks where the user named an algorithm, since its module is asked for its algorithms.
     *
     * @param before agreement of the job
     * @param after  the same with the other modules
     * @param name   name of the modules
     * @throws JobRefusedException when the job cannot go on with them as the user wanted it
     */
    AgreedModules follow(final AgreedModules before, final AgreedModules after, final String name) throws JobRefusedException, InterruptedException {
        if (InterceptionOption.isInterceptor(name)) {
            // Cause: interceptors see a job from its begin. Remedy: start the job again.
            throw new JobRefusedException(ExitStatus.FAILED, "interceptors of a job that runs are not changed");
        }
        if (name.equals(BASIC) && after.module(BASIC) == null) {
            // Cause: no other module has all operations. Remedy: install the same `basic` on all nodes of the job.
            throw new JobRefusedException(ExitStatus.NO_AGREEMENT, "every job needs module " + BASIC + ", on which its nodes do not agree any more: "
                + reasons(after.leftOut().stream().filter(l -> l.module().startsWith(name + " ")).toList()));
        }
        final UserPreferences preferences = new UserPreferences(before.parameters(), before.given());
        final Set<String> known = new TreeSet<>(Set.of(name));
        if (preferences.first().contains(name)) {
            checkAgreed(UserPreferences.SELECT, name, known, after);
        }
        for (final Operation<?> o : Operation.values()) {
            if (before.given().contains(UserPreferences.parameterOf(o)) && pick(preferences, o).module().equals(name)) {
                checkAgreed(UserPreferences.parameterOf(o), name, known, after);
            }
        }
        final Declarations declared = new Declarations(new TreeMap<>(), new TreeMap<>(), new HashSet<>());
        IntStream.range(0, after.nodes().size()).mapToObj(after::keptOn).flatMap(List::stream).filter(m -> m.name().equals(name)).distinct()
            .forEach(m -> declare(m, declared, declared.agreed()));
        final Map<String, String> frozen = new TreeMap<>(before.parameters());
        for (final Parameter p : declared.agreed().values()) {
            final String value = frozen.get(p.name());
            if (value != null) {
                check(p, value, "");
            } else if (p.value() != null) {
                check(p, p.value(), " (from the configuration of the launching node)");
                frozen.put(p.name(), p.value());
            }
        }
        checkOffers(preferences, frozen, after);
        return after.with(frozen, before.given(), before.rules());
    }

    /** Returns the catalogues without the interceptors that the job does not use. */
    private static Map<String, Catalogue> withoutOtherInterceptors(final Map<String, Catalogue> all, final List<String> used) {
        final Map<String, Catalogue> nodes = new LinkedHashMap<>();
        all.forEach((node, c) -> nodes.put(node, new Catalogue(c.epoch(),
            c.modules().stream().filter(m -> !InterceptionOption.isInterceptor(m.name()) || used.contains(m.name())).toList(), c.quarantine())));
        return nodes;
    }

    /** Checks that the nodes agree on the interceptors of a job. */
    private static void checkInterceptors(final List<String> used, final Map<String, Catalogue> all, final AgreedModules agreement)
        throws JobRefusedException {
        final Set<String> there = new TreeSet<>();
        all.values().forEach(c -> c.modules().stream().map(ModuleId::name).filter(InterceptionOption::isInterceptor).forEach(there::add));
        for (final String name : used) {
            if (!there.contains(name)) {
                final String names = there.stream().map(n -> n.substring(CallInterceptor.PREFIX.length())).collect(Collectors.joining(", "));
                // Cause: no module of the nodes intercepts calls. Remedy: install one.
                throw new JobRefusedException(ExitStatus.USAGE, "no such interceptor: " + InterceptionOption.PARAMETER + "="
                    + name.substring(CallInterceptor.PREFIX.length()) + "; there are: " + (names.isEmpty() ? "none" : names));
            }
            checkAgreed(InterceptionOption.PARAMETER, name, there, agreement);
        }
    }

    /** Returns the rules of this node. The table is read for each job, so that it can be replaced while the node runs. */
    private RuleTable rules(final Map<String, String> given, final Declarations declared) throws JobRefusedException {
        final String requested = given.get(RuleTable.PARAMETER);
        if (requested != null && !requested.equals(RuleTable.VALUE_NONE)) {
            // Cause: a job was started by other means than `tutti run` with a file of rules. Remedy: `tutti run`, or the content of the table as the
            // parameter's value.
            throw new JobRefusedException(ExitStatus.USAGE,
                RuleTable.PARAMETER + "=" + requested + ": the command that launches a job must read the table");
        }
        if (requested != null || table == null || !Files.isRegularFile(table)) {
            return RuleTable.NONE;
        }
        try {
            final RuleTable rules = RulesFile.read(table);
            rules.warnings().forEach(LOG::warn);
            return checked(rules.asDefault(), OWN_RULES, declared);
        } catch (final InvalidRulesException e) {
            throw new JobRefusedException(ExitStatus.USAGE, OWN_RULES + e.getMessage());
        }
    }

    /** Returns a table of which all parameters are valid. Those of modules that this node does not have are not checked: they have no effect. */
    private static RuleTable checked(final RuleTable rules, final String owner, final Declarations declared) throws JobRefusedException {
        for (int i = 0; i < rules.rules().size(); i++) {
            for (final AlgorithmRef ref : rules.rules().get(i).refs()) {
                final String problem = problem(ref, declared);
                if (problem != null) {
                    throw new JobRefusedException(ExitStatus.USAGE,
                        owner + rules.source() + ": rule " + (i + 1) + ": use: \"" + ref + "\": " + problem);
                }
            }
        }
        return rules;
    }

    /** Returns what is wrong with the parameters of a reference; null when nothing is, or when this node does not have the module. */
    private static @Nullable String problem(final AlgorithmRef ref, final Declarations declared) {
        final String prefix = UserPreferences.parameterOf(ref.module(), "");
        if (!declared.here().contains(ref.module())) {
            return null;
        }
        final List<String> names = declared.all().keySet().stream().filter(p -> p.startsWith(prefix)).map(p -> p.substring(prefix.length())).toList();
        for (final Map.Entry<String, String> p : ref.parameters().entrySet()) {
            if (!names.contains(p.getKey())) {
                // Cause: a choice or rule gives an algorithm a parameter that its module has not. Remedy: choose one of the list.
                return "module " + ref.module() + " has no parameter " + p.getKey() + "; allowed: "
                    + (names.isEmpty() ? "none" : String.join(", ", names));
            }
            final String problem =
                Objects.requireNonNull(declared.all().get(prefix + p.getKey()), "a declared parameter").check().problem(p.getValue());
            if (problem != null) {
                // Cause: a choice or rule gives an algorithm a parameter that its module has not, with a value that the parameter does not take.
                // Remedy: the message says which it takes.
                return "bad value: " + p.getKey() + "=" + p.getValue() + ": " + problem;
            }
        }
        return null;
    }

    private static void checkChoice(final UserPreferences preferences, final Set<String> given, final Set<String> known,
        final AgreedModules agreement, final Declarations declared)
        throws JobRefusedException {
        for (final String name : preferences.excluded()) {
            checkKnown(UserPreferences.SELECT, name, known);
            if (name.equals(BASIC)) {
                throw new JobRefusedException(ExitStatus.USAGE,
                    UserPreferences.SELECT + ": " + BASIC + " cannot be excluded: it is the fallback module");
            }
        }
        for (final String name : preferences.first()) {
            checkAgreed(UserPreferences.SELECT, name, known, agreement);
        }
        for (final Operation<?> o : Operation.values()) {
            if (given.contains(UserPreferences.parameterOf(o))) {
                final AlgorithmRef pick = pick(preferences, o);
                checkAgreed(UserPreferences.parameterOf(o), pick.module(), known, agreement);
                final String problem = problem(pick, declared);
                if (problem != null) {
                    throw new JobRefusedException(ExitStatus.USAGE, UserPreferences.parameterOf(o) + "=" + pick + ": " + problem);
                }
            }
        }
    }

    /**
     * Refuses operations and algorithms that the named modules do not have. What a module offers on some communicators alone, or a module that is not
     * on this node, is not checked.
     */
    private void checkOffers(final UserPreferences preferences, final Map<String, String> frozen, final AgreedModules agreement)
        throws JobRefusedException, InterruptedException {
        for (final Operation<?> o : Operation.values()) {
            final String parameter = UserPreferences.parameterOf(o);
            if (frozen.containsKey(parameter)) {
                final AlgorithmRef pick = pick(preferences, o);
                final ModuleId module = agreement.module(pick.module());
                if (module == null) {
                    // left by a job that runs, for its quarantine
                    continue;
                }
                final Set<String> declared = new TreeSet<>(offers.operations(module));
                if (!declared.isEmpty() && !declared.contains(o.id())) {
                    throw new JobRefusedException(ExitStatus.USAGE, "module " + pick.module() + " does not offer " + o.id() + ": " + parameter + "="
                        + pick + "; it offers " + String.join(", ", declared));
                }
                final List<String> names = pick.algorithm() == null ? List.of() : offers.algorithms(module, frozen).getOrDefault(o.id(), List.of());
                if (!names.isEmpty() && !names.contains(pick.algorithm())) {
                    throw new JobRefusedException(ExitStatus.USAGE, "no such algorithm: " + parameter + "=" + pick + "; there are: "
                        + algorithms(pick.module(), names));
                }
            }
        }
    }

    /** Refuses rules of the user with algorithms that their modules do not have. Modules that the nodes do not have are not checked. */
    private void checkOffers(final RuleTable rules, final Map<String, String> frozen, final AgreedModules agreement)
        throws JobRefusedException, InterruptedException {
        final Map<ModuleId, Map<String, List<String>>> asked = new HashMap<>();
        for (int i = 0; i < rules.rules().size(); i++) {
            final SelectionRule rule = rules.rules().get(i);
            final List<AlgorithmRef> refs = rule.operation() == null || rule.isInter() ? List.of()
                : rule.refs().stream().filter(r -> r.algorithm() != null).toList();
            for (final AlgorithmRef ref : refs) {
                for (final ModuleId module : agreement.modules().stream().filter(m -> m.name().equals(ref.module())).toList()) {
                    Map<String, List<String>> offered = asked.get(module);
                    if (offered == null) {
                        offered = offers.algorithms(module, frozen);
                        asked.put(module, offered);
                    }
                    final List<String> names = offered.getOrDefault(rule.operation(), List.of());
                    if (!names.isEmpty() && !names.contains(ref.algorithm())) {
                        throw new JobRefusedException(ExitStatus.USAGE, rules.source() + ": rule " + (i + 1) + ": use: \"" + ref
                            + "\": no such algorithm; there are: " + algorithms(ref.module(), names));
                    }
                }
            }
        }
    }

    private static String algorithms(final String module, final List<String> names) {
        return names.stream().map(n -> module + "/" + n).collect(Collectors.joining(", "));
    }

    /** Returns the algorithm of an operation that the user has chosen. */
    private static AlgorithmRef pick(final UserPreferences preferences, final Operation<?> operation) throws JobRefusedException {
        try {
            return Objects.requireNonNull(preferences.pick(operation), "a chosen algorithm");
        } catch (final IllegalArgumentException e) {
            final String name = UserPreferences.parameterOf(operation);
            throw new JobRefusedException(ExitStatus.USAGE,
                "bad value: " + name + "=" + preferences.value(name) + ": " + e.getMessage() + "; allowed: "
                    + AlgorithmRef.SYNTAX);
        }
    }

    private static void checkKnown(final String parameter, final String name, final Set<String> known) throws JobRefusedException {
        if (!known.contains(name)) {
            throw new JobRefusedException(ExitStatus.USAGE, "no such module: " + parameter + "=" + name + SimilarNames.suggestion(name, known));
        }
    }

    private static void checkAgreed(final String parameter, final String name, final Set<String> known, final AgreedModules agreement)
        throws JobRefusedException {
        checkKnown(parameter, name, known);
        if (agreement.modules().stream().noneMatch(m -> m.name().equals(name))) {
            throw new JobRefusedException(ExitStatus.NO_AGREEMENT, "module " + name + " was requested by " + parameter
                + ", but the nodes do not agree on it: "
                + reasons(agreement.leftOut().stream().filter(l -> l.module().startsWith(name + " ")).toList()));
        }
    }

    /** Returns the parameters of all modules, as this node declares them. */
    private Declarations declarations(final Map<String, Catalogue> nodes, final AgreedModules agreement) {
        final Declarations declared = new Declarations(new TreeMap<>(), new TreeMap<>(), new HashSet<>());
        Stream.concat(agreement.modules().stream(), IntStream.range(0, nodes.size()).mapToObj(agreement::keptOn).flatMap(List::stream)).distinct()
            .forEach(m -> declare(m, declared, declared.agreed()));
        declared.all().putAll(declared.agreed());
        nodes.values().stream().flatMap(c -> c.modules().stream()).distinct().forEach(m -> declare(m, declared, declared.all()));
        return declared;
    }

    /** Adds the parameters of a module, unless this node does not know them. */
    private void declare(final ModuleId module, final Declarations declared, final Map<String, Parameter> parameters) {
        final List<Parameter> known = source.of(module);
        if (known != null) {
            declared.here().add(module.name());
            known.forEach(p -> parameters.putIfAbsent(p.name(), p));
        }
    }

    private static Map<String, String> freeze(final Map<String, String> given, final Declarations declared, final Set<String> modules)
        throws JobRefusedException {
        final Map<String, Parameter> all = new TreeMap<>(declared.all());
        RUNTIME.forEach(p -> all.put(p.name(), p));
        modules.stream().map(LogLevels::parameterOf).forEach(name -> all.put(name, new Parameter(name, null, LogLevels::problem)));
        final Map<String, String> frozen = new TreeMap<>();
        for (final Map.Entry<String, String> g : given.entrySet()) {
            final Parameter p = all.get(g.getKey());
            if (p == null) {
                // Cause: neither the runtime nor a module has the parameter, and none is similar. Remedy: choose one of the list.
                throw new JobRefusedException(ExitStatus.USAGE,
                    "no such parameter: " + g.getKey() + SimilarNames.suggestion(g.getKey(), all.keySet()));
            }
            check(p, g.getValue(), "");
            frozen.put(g.getKey(), g.getValue());
        }
        for (final Parameter p : declared.agreed().values()) {
            if (!frozen.containsKey(p.name()) && p.value() != null) {
                check(p, p.value(), " (from the configuration of the launching node)");
                frozen.put(p.name(), p.value());
            }
        }
        return frozen;
    }

    private static void check(final Parameter p, final String value, final String origin) throws JobRefusedException {
        final String problem = p.check().problem(value);
        if (problem != null) {
            // Cause: the node that starts the job has a table of rules in its configuration, which is wrong, of a parameter. Remedy: correct it
            // there.
            throw new JobRefusedException(ExitStatus.USAGE, "bad value: " + p.name() + "=" + value + origin + ": " + problem);
        }
    }

    /** Returns the parameters of the runtime itself. */
    private static List<Parameter> ofRuntime() {
        final List<Parameter> all = new ArrayList<>(List.of(new Parameter(UserPreferences.REPRODUCIBLE, null, UserPreferences::problem),
            new Parameter(LinkSpeed.PARAMETER, null, LinkSpeed::problem), new Parameter(CheckLevel.PARAMETER, null, CheckLevel::problem),
            new Parameter(CheckLevel.KINDS_PARAMETER, null, CheckLevel::switchProblem),
            new Parameter(CheckLevel.THREADS_PARAMETER, null, CheckLevel::switchProblem),
            new Parameter(ProofMode.PARAMETER, null, ProofMode::problem), new Parameter(ProofMode.WHEN_PARAMETER, null, ProofMode::whenProblem),
            new Parameter(LiveMode.PARAMETER, null, LiveMode::problem), new Parameter(LossMode.PARAMETER, null, LossMode::problem),
            new Parameter(LossMode.SPARES_PARAMETER, null, LossMode::sparesProblem),
            new Parameter(TuneMode.PARAMETER, null, TuneMode::problem),
            new Parameter(ProgressMode.PARAMETER, null, ProgressMode::problem), new Parameter(BindingMode.PARAMETER, null, BindingMode::problem),
            new Parameter(BindingMode.REPORT_PARAMETER, null, BindingMode::reportProblem),
            new Parameter(InterceptionOption.PARAMETER, null, InterceptionOption::problem),
            new Parameter(InterceptionOption.NESTED, null, InterceptionOption::nestedProblem),
            new Parameter(LogLevels.MODULES, null, LogLevels::problem), new Parameter(LogLevels.SELECTION, null, LogLevels::problem),
            new Parameter(StallOption.PARAMETER, null, StallOption::problem),
            new Parameter(CheckpointOption.PARAMETER, null, CheckpointOption::problem),
            new Parameter(CheckpointOption.KEEP, null, CheckpointOption::keepProblem),
            new Parameter(MemoryOption.PARAMETER, null, MemoryOption::problem),
            new Parameter(MemoryOption.EVERY, null, MemoryOption::everyProblem),
            new Parameter(RanksPerJvm.PARAMETER, null, RanksPerJvm::problem), new Parameter(TraceOption.PARAMETER, null, TraceOption::problem)));
        all.add(new Parameter(JobTransports.PARAMETER, null, v -> JobTransports.named(v).isEmpty() ? "empty" : null));
        Stream.concat(Stream.of(UserPreferences.SELECT, RuleTable.PARAMETER),
            Operation.values().stream().map(UserPreferences::parameterOf))
            .forEach(name -> all.add(new Parameter(name, null, v -> v.isBlank() ? "empty" : null)));
        return List.copyOf(all);
    }

    private static String reasons(final List<ExcludedModule> out) {
        return out.isEmpty() ? "no node has a module" : String.join("; ", out.stream().map(l -> l.module() + ": " + l.reason()).toList());
    }
}
