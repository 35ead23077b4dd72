package tutti.runtime.select;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import tutti.coll.CollJob;
import tutti.coll.ThreadLevel;
import tutti.coll.ThreadRange;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.ExcludedModule;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.UserPreferences;
import tutti.runtime.registry.OfferedModule;

/**
 * The modules that all nodes of a job agreed on, as service objects of one node, and what the selections of all communicators share. Queries each
 * module's thread levels once. Safe for any thread.
 *
 * <p><b>Threads.</b> The lock of this object guards the answers to the thread query, and is held while a module answers. Bound
 * parameters and the rules of a layout are kept in concurrent maps. All else is final.
 */
public final class JobModules {
    private final String job;
    private final int ranks;
    private final AgreedModules agreement;
    private final ModuleParameters parameters;
    private final ConcurrentMap<TunedModule, ModuleParameters> tuned = new ConcurrentHashMap<>();
    private final UserPreferences preferences;
    private final RuleTable rules;
    private final long rulesHash;
    private final LayoutRules noRules;
    private final ConcurrentMap<NodeLayout, LayoutRules> rulesByLayout = new ConcurrentHashMap<>();
    private final List<OfferedModule> agreed;
    private final List<ExcludedModule> leftOut;
    private final Map<OfferedModule, Threads> threads = new HashMap<>();

    /** A module with values of its parameters that replace those of the job. */
    private record TunedModule(String name, SortedMap<String, String> values) {}

    /** The answer of a module: the thread levels that it supports, or the reason why the job does not use it. */
    private record Threads(ThreadRange range, String refusal) {}

    /**
     * Creates the modules of a job.
     *
     * @param agreement the agreement, the same on all nodes
     * @param agreed    the service objects of the agreed modules, in the same order on all nodes
     */
    public JobModules(final String job, final int ranks, final AgreedModules agreement, final List<OfferedModule> agreed) {
        this.job = job;
        this.ranks = ranks;
        this.agreement = agreement;
        this.parameters = new ModuleParameters(agreement.parameters());
        this.preferences = new UserPreferences(agreement.parameters(), agreement.given());
        this.rules = agreement.rules();
        this.rulesHash = new AgreementHash().add(rules.rules().toString()).add(Boolean.toString(rules.isDefault())).value();
        this.noRules = new LayoutRules(rules, null, preferences);
        this.agreed = List.copyOf(agreed);
        this.leftOut = agreement.leftOut();
    }

    /** Returns the agreed modules. */
    public List<OfferedModule> agreed() {
        return agreed;
    }

    /** Returns the identities of the agreed modules. */
    public List<ModuleId> ids() {
        return agreed.stream().map(OfferedModule::id).toList();
    }

    /** Returns those of the modules that another job has, too, by their identities. */
    public JobModules inCommonWith(final String other, final List<ModuleId> modules) {
        final List<ExcludedModule> excluded = new ArrayList<>(leftOut);
        for (final ModuleId m : ids()) {
            if (!modules.contains(m)) {
                excluded.add(new ExcludedModule(m.toString(), modules.stream().filter(o -> o.name().equals(m.name())).findAny()
                    .map(o -> other + (o.version().equals(m.version()) ? " has it with another digest" : " has " + o))
                    .orElse("missing in " + other)));
            }
        }
        return new JobModules(job, ranks, new AgreedModules(ids().stream().filter(modules::contains).toList(), excluded, agreement.parameters(),
            agreement.given(), rules), agreed.stream().filter(m -> modules.contains(m.id())).toList());
    }

    /** Returns what selection depends on, for other jobs, which know this one by a name. */
    public SelectionInputs inputs(final String name) {
        return new SelectionInputs(name, ids(), agreement.parameters(), agreement.given(), rules.source(), rulesHash);
    }

    /** Returns the modules that the nodes did not agree on. */
    public List<ExcludedModule> leftOut() {
        return leftOut;
    }

    /** Returns the job's parameters. */
    public Map<String, String> parameters() {
        return parameters.all();
    }

    /** Returns the preferences of the job's user. */
    UserPreferences preferences() {
        return preferences;
    }

    /** Returns the rules that apply to communicators of a layout; null is that of intercommunicators, to which none apply. */
    LayoutRules rulesFor(final NodeLayout layout) {
        return layout == null ? noRules : rulesByLayout.computeIfAbsent(layout, l -> new LayoutRules(rules, l, preferences));
    }

    /** Returns the job's rules. */
    public RuleTable rules() {
        return rules;
    }

    /** Returns a hash of the rules that is the same in every JVM. */
    long rulesHash() {
        return rulesHash;
    }

    CollJob view(final ThreadLevel level) {
        return new JobView(job, ranks, level, parameters);
    }

    /** Returns the job as a module sees it with these values of its parameters in place of the job's. */
    CollJob view(final ThreadLevel level, final String module, final SortedMap<String, String> values) {
        return new JobView(job, ranks, level, tuned.computeIfAbsent(new TunedModule(module, values), m -> parameters.with(module, values)));
    }

    /** Returns why a module cannot serve a rank of that thread level; null when it can. */
    synchronized String refusal(final OfferedModule module, final ThreadLevel level) {
        final Threads t = threads.computeIfAbsent(module, m -> ask(m, level));
        if (t.refusal() != null) {
            return t.refusal();
        }
        return t.range().contains(level) ? null : "thread level " + level + " is not supported: range=" + t.range().min() + ".."
            + t.range().max();
    }

    private Threads ask(final OfferedModule module, final ThreadLevel level) {
        try {
            final Optional<ThreadRange> range = module.module().threads(view(level));
            return range == null ? new Threads(null, "thread query returned null")
                : range.isPresent() ? new Threads(range.get(), null) : new Threads(null, "opts out of this job");
        } catch (final Throwable e) {
            return new Threads(null, "thread query failed: " + ModuleFailure.text(e));
        }
    }
}
