package tutti.runtime.select;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tutti.coll.CollJob;
import tutti.coll.CollModule;
import tutti.coll.advanced.ThreadLevel;
import tutti.coll.advanced.ThreadRange;
import tutti.coll.advanced.ThreadSupport;
import tutti.runtime.intercept.InterceptionOption;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.ExcludedModule;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.UserPreferences;
import tutti.runtime.registry.OfferedModule;

/**
 * The modules that nodes of a job agreed on, as service objects of one node, and what the selections of all communicators share. Queries each
 * module's thread levels once. Safe for any thread.
 *
 * <p><b>Threads.</b> The lock of this object guards the answers to the thread query, and is held while a module answers. What sets of nodes agree
 * on is kept in a concurrent map. All else is final.
 */
public final class JobModules {
    private static final String FALLBACK = "basic";

    private final String job;
    private final int ranks;
    private final AgreedModules agreement;
    private final SelectionSettings settings;
    private final Map<ModuleId, OfferedModule> offered;
    private final List<OfferedModule> agreed;
    private final List<OfferedModule> interceptors;
    private final ConcurrentMap<SortedSet<Integer>, NodesModules> byNodes = new ConcurrentHashMap<>();
    private final Map<OfferedModule, Threads> threads = new HashMap<>();
    /** Number of the change that brought them; 0 for those with which the job began. */
    private final int change;
    /** Those of which these are a part, for communicators of several jobs; null for others. */
    private final @Nullable JobModules base;
    /** What is tried in the shadow of these; null in most jobs. */
    private final @Nullable CanaryTrial trial;
    /** Number of selections that use them. */
    private final AtomicInteger users = new AtomicInteger();
    private volatile Runnable whenUnused = () -> {};

    /** The answer of a module to the thread query. */
    private sealed interface Threads {
        /** The module supports these thread levels. */
        record Supported(ThreadRange range) implements Threads {}

        /** The job does not use the module, for this reason. */
        record Refused(String reason) implements Threads {}
    }

    /**
     * The modules that some nodes of the job agreed on.
     *
     * @param modules their service objects on this node, in the same order on all these nodes
     * @param leftOut the other modules of the job, with the reasons
     */
    record NodesModules(List<OfferedModule> modules, List<ExcludedModule> leftOut) {}

    /**
     * Creates the modules of a job.
     *
     * @param agreement the agreement, the same on all nodes
     * @param offered   the service objects of the modules that this node {@linkplain AgreedModules#keptOn keeps}
     */
    public JobModules(final String job, final int ranks, final AgreedModules agreement, final List<OfferedModule> offered) {
        this(job, ranks, agreement, offered, new SelectionSettings(agreement), 0, null, null);
    }

    private JobModules(final String job, final int ranks, final AgreedModules agreement, final List<OfferedModule> offered,
        final SelectionSettings settings, final int change, final @Nullable JobModules base, final @Nullable CanaryTrial trial) {
        this.trial = trial;
        this.change = change;
        this.base = base;
        this.job = job;
        this.ranks = ranks;
        this.agreement = agreement.without(InterceptionOption::isInterceptor);
        this.settings = settings;
        this.offered = offered.stream().collect(Collectors.toMap(OfferedModule::id, Function.identity()));
        this.agreed = offered(this.agreement);
        this.interceptors = InterceptionOption.names(agreement.parameters()).stream()
            .flatMap(name -> agreement.modules().stream().filter(m -> m.name().equals(name))).map(this.offered::get).toList();
    }

    /**
     * Returns the modules of the job as a change brings them. What was computed for earlier ones is not computed again for those that stay.
     *
     * @param next    the new agreement, the same on all nodes
     * @param offered the service objects of the modules that this node keeps by it
     * @param number  number of the change, from 1
     * @param tried   what is tried in their shadow, whose candidate has the same number; null for nothing
     */
    public JobModules changed(final AgreedModules next, final List<OfferedModule> offered, final int number, final @Nullable CanaryTrial tried) {
        return new JobModules(job, ranks, next, offered, settings.keptFor(next, offered), number, null, tried);
    }

    private List<OfferedModule> offered(final AgreedModules by) {
        return by.modules().stream().map(offered::get).toList();
    }

    /** Returns the modules that these nodes agreed on; this node must be one of them. */
    NodesModules on(final SortedSet<Integer> nodes) {
        return byNodes.computeIfAbsent(nodes, n -> {
            final AgreedModules by = agreement.on(n);
            return new NodesModules(offered(by), by.leftOut());
        });
    }

    /** Returns the number of the change that brought them; 0 for those with which the job began. */
    public int change() {
        return change;
    }

    /** Returns what is tried in the shadow of these modules; null if nothing is. */
    public @Nullable CanaryTrial trial() {
        return trial;
    }

    /** Returns the identities of all modules that this node keeps for them, those of a trial included. */
    public Set<ModuleId> kept() {
        if (trial == null) {
            return offered.keySet();
        }
        final Set<ModuleId> all = new HashSet<>(offered.keySet());
        all.addAll(trial.candidate().kept());
        return all;
    }

    /** Counts one more user, until it {@linkplain #release releases} them. */
    void retain() {
        (base == null ? this : base).users.incrementAndGet();
    }

    /** Ends a use. */
    void release() {
        final JobModules used = base == null ? this : base;
        if (used.users.decrementAndGet() == 0) {
            used.whenUnused.run();
        }
    }

    /** Returns whether nobody uses them, nor those of a trial. */
    boolean isUnused() {
        return users.get() == 0 && (trial == null || trial.candidate().isUnused());
    }

    /** Calls back whenever the last user has released them, or those of a trial. */
    void whenUnused(final Runnable callback) {
        whenUnused = callback;
        if (trial != null) {
            trial.candidate().whenUnused(callback);
        }
    }

    /** Returns the identities of the agreed modules. */
    public List<ModuleId> ids() {
        return agreed.stream().map(OfferedModule::id).toList();
    }

    /** Returns the modules that intercept the calls of the job, the outermost first; empty in most jobs. */
    public List<OfferedModule> interceptors() {
        return interceptors;
    }

    /**
     * Returns the modules for a communicator of ranks of several jobs.
     *
     * @param jobs the jobs, this one first
     * @throws MpiFailure when the nodes of the communicator have no module in common
     */
    public JobModules with(final List<JobAgreement.Member> jobs) {
        final AgreedModules all = JobAgreement.between(jobs);
        return new JobModules(job, ranks, all, offered(all), new SelectionSettings(all), change, this, null);
    }

    /**
     * Returns what selection depends on, for other jobs, which know this one by a name.
     *
     * @param nodes number of nodes of the job
     */
    public SelectionInputs inputs(final String name, final int nodes) {
        final List<Integer> all = IntStream.range(0, nodes).boxed().toList();
        return new SelectionInputs(name, agreement.nodes().isEmpty() ? ids().stream().map(m -> new AgreedModules.Held(m, all)).toList()
            : agreement.held(), agreement.parameters(), agreement.given(), rules());
    }

    /** Returns the job's parameters. */
    public Map<String, String> parameters() {
        return agreement.parameters();
    }

    /** Returns the job's parameters with other values for a module, by name without its prefix. */
    public Map<String, String> parametersOf(final String module, final SortedMap<String, String> values) {
        return settings.parametersOf(module, values).all();
    }

    /** Returns the fallback module; null when the job has none. */
    public @Nullable CollModule fallback() {
        return agreed.stream().filter(m -> m.id().name().equals(FALLBACK)).findFirst().map(OfferedModule::module).orElse(null);
    }

    /** Returns the class of the links between the job's nodes. */
    LinkSpeed link() {
        return LinkSpeed.of(agreement.parameters());
    }

    /** Returns the preferences of the job's user. */
    UserPreferences preferences() {
        return settings.preferences();
    }

    /** Returns the rules that apply to communicators of a layout. */
    LayoutRules rulesFor(final NodeLayout layout) {
        return settings.rulesFor(layout);
    }

    /** Returns the job's rules. */
    public RuleTable rules() {
        return agreement.rules();
    }

    /** Returns a hash of the rules that is the same in every JVM. */
    long rulesHash() {
        return settings.rulesHash();
    }

    /** Returns the job as its modules see it. */
    public CollJob view() {
        return new JobView(job, ranks, settings.parameters());
    }

    /** Returns the job as a module sees it with these values of its parameters in place of the job's. */
    CollJob view(final String module, final SortedMap<String, String> values) {
        return new JobView(job, ranks, settings.parametersOf(module, values));
    }

    /**
     * Returns the highest thread level that all modules of this node support. Modules that the job's user excludes, and those that do not take part
     * in the job, do not count.
     */
    public synchronized ThreadLevel highestThreadLevel() {
        return offered.values().stream()
            .filter(m -> !InterceptionOption.isInterceptor(m.id().name()) && !preferences().excludes(m.id().name()))
            .map(m -> threads(m, ThreadLevel.MULTIPLE)).filter(Threads.Supported.class::isInstance).map(t -> ((Threads.Supported) t).range().max())
            .min(Comparator.naturalOrder()).orElse(ThreadLevel.MULTIPLE);
    }

    /** Returns why a module cannot serve a rank of that thread level; null when it can. */
    synchronized @Nullable String refusal(final OfferedModule module, final ThreadLevel level) {
        return switch (threads(module, level)) {
            case Threads.Refused(final String reason) -> reason;
            case Threads.Supported(final ThreadRange range) -> range.contains(level) ? null
                : "thread level " + level + " is not supported: range=" + range.min() + ".." + range.max();
        };
    }

    private Threads threads(final OfferedModule module, final ThreadLevel level) {
        return threads.computeIfAbsent(module, m -> ask(m, level));
    }

    private Threads ask(final OfferedModule module, final ThreadLevel level) {
        try {
            if (!(module.module() instanceof final ThreadSupport support)) {
                return new Threads.Supported(ThreadRange.ALL);
            }
            final Optional<ThreadRange> range = support.threads(view(), level);
            return range == null ? new Threads.Refused("thread query returned null")
                : range.isPresent() ? new Threads.Supported(range.get()) : new Threads.Refused("opts out of this job");
        } catch (final Throwable e) {
            return new Threads.Refused("thread query failed: " + ModuleFailure.text(e));
        }
    }
}
