package tutti.runtime.module;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Version;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.policy.RuleTable;

/**
 * The modules that a job may use. Between nodes, these are for each name the highest version that all of them hold with the same digest: for
 * communicators with ranks on all nodes of the job {@link #modules}, for others what {@link #on} finds for their nodes. The set is frozen when the
 * job starts; a job that changes its modules while it runs has a new one from then on.
 *
 * @param modules    what all nodes of the job agree on: one module per name, in the order of the names
 * @param leftOut    the other modules, each with the reason
 * @param parameters the job's parameters, frozen; names and values are the same on all ranks
 * @param given      names of the parameters that the user set; the others have the defaults of the node that launched the job
 * @param rules      the job's rules, frozen
 * @param nodes      names of the job's nodes; empty if the same modules serve on all communicators
 * @param held       every module that a node holds
 * @param canary     a module that is tried in the shadow of the others; null if there is none
 */
public record AgreedModules(List<ModuleId> modules, List<ExcludedModule> leftOut, Map<String, String> parameters, Set<String> given,
    RuleTable rules, List<String> nodes, List<Held> held, @Nullable CanaryTerms canary) {
    /** The order of {@link #held}: by name, and of each name the module that is preferred first. */
    private static final Comparator<ModuleId> BEST_FIRST = Comparator.comparing(ModuleId::name)
        .thenComparing(ModuleId::version, Comparator.reverseOrder()).thenComparing(ModuleId::digest);

    /**
     * A module, and the nodes that hold it.
     *
     * @param module the module
     * @param nodes  indices of the nodes in the job, in ascending order
     * @param quarantine why the module is in quarantine; null when it is not
     */
    public record Held(ModuleId module, List<Integer> nodes, @Nullable String quarantine) {
        /** Copies the list. */
        public Held {
            Objects.requireNonNull(module, "module");
            nodes = List.copyOf(nodes);
        }

        /** Creates a module that is not in quarantine. */
        public Held(final ModuleId module, final List<Integer> nodes) {
            this(module, nodes, null);
        }

        /** Returns whether the module is not in quarantine, its identity is known, and all these nodes hold it. */
        boolean isCommonTo(final Collection<Integer> others) {
            return quarantine == null && !module.digest().isEmpty() && nodes.containsAll(others);
        }
    }

    /** Copies the collections. */
    public AgreedModules {
        modules = List.copyOf(modules);
        leftOut = List.copyOf(leftOut);
        parameters = Map.copyOf(parameters);
        given = Set.copyOf(given);
        Objects.requireNonNull(rules, "rules");
        nodes = List.copyOf(nodes);
        held = List.copyOf(held);
    }

    /** Creates an agreement whose modules serve on all communicators of the job. */
    public AgreedModules(final List<ModuleId> modules, final List<ExcludedModule> leftOut, final Map<String, String> parameters,
        final Set<String> given, final RuleTable rules) {
        this(modules, leftOut, parameters, given, rules, List.of(), List.of(), null);
    }

    /** Returns the same modules, parameters and rules for a job whose nodes all hold the same modules. */
    public AgreedModules onAnyNodes() {
        return new AgreedModules(modules, leftOut, parameters, given, rules);
    }

    /** Returns the agreement without the modules whose names a condition holds for. */
    public AgreedModules without(final Predicate<String> name) {
        return new AgreedModules(modules.stream().filter(m -> !name.test(m.name())).toList(), leftOut, parameters, given, rules, nodes,
            held.stream().filter(h -> !name.test(h.module().name())).toList(), canary);
    }

    /** Returns the same modules with parameters, the names of those that the user set, and rules. */
    public AgreedModules with(final Map<String, String> frozenParameters, final Set<String> givenNames, final RuleTable frozenRules) {
        return new AgreedModules(modules, leftOut, frozenParameters, givenNames, frozenRules, nodes, held, canary);
    }

    /** Returns this agreement with the measured class of the links between its nodes, unless the user has given one. Fast is the default. */
    public AgreedModules with(final LinkSpeed link) {
        if (given.contains(LinkSpeed.PARAMETER) || link == LinkSpeed.of(parameters)) {
            return this;
        }
        final Map<String, String> all = new TreeMap<>(parameters);
        all.put(LinkSpeed.PARAMETER, link.toString());
        return with(all, given, rules);
    }

    /**
     * Computes what nodes agree on. The result has no parameters and no rules.
     *
     * @param catalogues the catalogue of each node, by the node's name, in the order of the nodes in the job
     */
    public static AgreedModules between(final Map<String, Catalogue> catalogues) {
        final List<String> nodes = List.copyOf(catalogues.keySet());
        final Map<ModuleId, List<Integer>> holders = new HashMap<>();
        int node = 0;
        for (final Catalogue catalogue : catalogues.values()) {
            for (final ModuleId m : catalogue.modules()) {
                holders.computeIfAbsent(m, id -> new ArrayList<>()).add(node);
            }
            node++;
        }
        return of(nodes, holders, quarantine(catalogues.values()));
    }

    /** Returns the reason for each module that is in quarantine; of several records of a module the latest one holds. */
    private static Map<ModuleId, String> quarantine(final Collection<Catalogue> catalogues) {
        final Map<ModuleId, QuarantinedModule> latest = new HashMap<>();
        catalogues.forEach(c -> c.quarantine().forEach(q -> latest.merge(q.module(), q, (a, b) -> a.since() < b.since() ? b : a)));
        return latest.values().stream().filter(QuarantinedModule::isActive)
            .collect(Collectors.toMap(QuarantinedModule::module, QuarantinedModule::reason));
    }

    /**
     * Computes what nodes agree on. The result has no parameters and no rules.
     *
     * @param nodes      names of the nodes
     * @param holders    for each module the indices of the nodes that hold it
     * @param quarantine for each module that is in quarantine the reason
     */
    public static AgreedModules of(final List<String> nodes, final Map<ModuleId, List<Integer>> holders, final Map<ModuleId, String> quarantine) {
        final List<Held> held = new ArrayList<>();
        holders.entrySet().stream().sorted(Map.Entry.comparingByKey(BEST_FIRST))
            .forEach(h -> held.add(new Held(h.getKey(), h.getValue(), quarantine.get(h.getKey()))));
        return new AgreedModules(List.of(), List.of(), Map.of(), Set.of(), RuleTable.NONE, nodes, List.of(), null).holding(held, null);
    }

    /** Returns what all nodes agree on when they hold other modules, with the parameters and rules of the job. */
    private AgreedModules holding(final List<Held> others, final @Nullable CanaryTerms tried) {
        return new AgreedModules(modules, leftOut, parameters, given, rules, nodes, others, tried)
            .on(IntStream.range(0, nodes.size()).boxed().collect(Collectors.toCollection(TreeSet::new)));
    }

    /**
     * Returns the agreement with further nodes, behind the others, which take part only if they hold all modules that the others agree on.
     *
     * @param names their names in the job
     */
    public AgreedModules later(final List<String> names) {
        if (nodes.isEmpty()) {
            return this;
        }
        final List<Integer> indices = IntStream.range(nodes.size(), nodes.size() + names.size()).boxed().toList();
        return new AgreedModules(modules, leftOut, parameters, given, rules, Stream.concat(nodes.stream(), names.stream()).toList(),
            held.stream().map(h -> modules.contains(h.module())
                ? new Held(h.module(), Stream.concat(h.nodes().stream(), indices.stream()).toList(), h.quarantine()) : h).toList(),
            canary);
    }

    /**
     * Returns the agreement of the running job with the modules of one name that its nodes hold now, and without modules that are in quarantine now.
     * The modules of all other names are held as before, so that a change of one module changes no other. A trial of a module of the name ends.
     *
     * @param name name of the modules
     * @param now  catalogues of the nodes with ranks that run, by their indices in the job; all other nodes count as holders, since no communicator
     *             with ranks on them is used any more
     */
    public AgreedModules with(final String name, final Map<Integer, Catalogue> now) {
        final Map<ModuleId, String> quarantine = quarantine(now.values());
        final Map<ModuleId, SortedSet<Integer>> holders = new TreeMap<>(BEST_FIRST);
        now.forEach((node, catalogue) -> catalogue.modules().stream().filter(m -> m.name().equals(name))
            .forEach(m -> holders.computeIfAbsent(m, id -> new TreeSet<>()).add(node)));
        final List<Integer> ended = IntStream.range(0, nodes.size()).boxed().filter(n -> !now.containsKey(n)).toList();
        holders.values().forEach(h -> h.addAll(ended));
        final List<Held> others = new ArrayList<>();
        held.stream().filter(h -> !h.module().name().equals(name))
            .forEach(h -> others.add(new Held(h.module(), h.nodes(), quarantine.getOrDefault(h.module(), h.quarantine()))));
        holders.forEach((module, on) -> others.add(new Held(module, List.copyOf(on), quarantine.get(module))));
        others.sort(Comparator.comparing(Held::module, BEST_FIRST));
        return holding(others, canary != null && canary.module().name().equals(name) ? null : canary);
    }

    /** Returns the agreement of the running job with a trial of a module, which its nodes hold, in place of one that runs. */
    public AgreedModules trying(final CanaryTerms terms) {
        return new AgreedModules(modules, leftOut, parameters, given, rules, nodes, held, terms);
    }

    /** Returns what the nodes would agree on if the module on trial replaced all others of its name; this agreement without a trial. */
    public AgreedModules candidate() {
        if (canary == null) {
            return this;
        }
        final ModuleId tried = canary.module();
        return holding(held.stream().filter(h -> h.module().equals(tried) || !h.module().name().equals(tried.name()))
            .map(h -> h.module().equals(tried) ? new Held(tried, h.nodes()) : h).toList(), null);
    }

    /** Returns why a module on trial is not tried, though its nodes agree on a trial; null when it is. */
    public @Nullable String notTried() {
        if (canary == null) {
            return "no trial";
        }
        final ModuleId tried = canary.module();
        final AgreedModules with = candidate();
        return tried.equals(with.module(tried.name())) ? null
            : with.leftOut().stream().filter(m -> m.module().equals(tried.toString())).map(ExcludedModule::reason).findFirst()
                .orElse("no node of the job holds it");
    }

    /** Returns the agreement of the running job without a module that was put in quarantine. */
    public AgreedModules without(final ModuleId module, final String reason) {
        return holding(held.stream().map(h -> h.module().equals(module) ? new Held(module, h.nodes(), reason) : h).toList(), canary);
    }

    /** Returns all modules that the job may use on some of its communicators, each with its holders. */
    private List<Held> usable() {
        return held.stream().filter(h -> h.isCommonTo(List.of())).toList();
    }

    /** Returns whether the job may use a module on some of its communicators. */
    public boolean mayUse(final ModuleId module) {
        return usable().stream().anyMatch(h -> h.module().equals(module));
    }

    /** Returns whether the job may use and try the same modules, on the same communicators, as by another agreement of the same nodes. */
    public boolean isSameUse(final AgreedModules other) {
        return usable().equals(other.usable()) && Objects.equals(canary, other.canary);
    }

    /** Returns the module of a name that all nodes agree on; null when there is none. */
    public @Nullable ModuleId module(final String name) {
        return modules.stream().filter(m -> m.name().equals(name)).findFirst().orElse(null);
    }

    /**
     * Returns the agreement of some nodes of the job, with the parameters and rules of the job. The nodes of a communicator agree on more than those
     * of the job if the others lack a module or hold another version of it.
     *
     * @param some indices of the nodes in the job
     */
    public AgreedModules on(final SortedSet<Integer> some) {
        if (nodes.isEmpty()) {
            return this;
        }
        final List<ModuleId> agreed = new ArrayList<>();
        final List<ExcludedModule> others = new ArrayList<>();
        for (int i = 0, end; i < held.size(); i = end) {
            end = i + 1;
            while (end < held.size() && held.get(end).module().name().equals(held.get(i).module().name())) {
                end++;
            }
            agree(held.subList(i, end), some, agreed, others);
        }
        return new AgreedModules(agreed, others, parameters, given, rules, nodes, held, canary);
    }

    /** Selects one of the modules of a name, and adds the reasons why the others are left out. */
    private void agree(final List<Held> named, final SortedSet<Integer> some, final List<ModuleId> agreed, final List<ExcludedModule> others) {
        final @Nullable ModuleId best = named.stream().filter(h -> h.isCommonTo(some)).findFirst().map(Held::module).orElse(null);
        if (best != null) {
            agreed.add(best);
        }
        final Map<Version, List<Held>> versions = new LinkedHashMap<>();
        named.forEach(h -> versions.computeIfAbsent(h.module().version(), v -> new ArrayList<>()).add(h));
        versions.forEach((version, digests) -> {
            if (best == null || !version.equals(best.version())) {
                others.add(new ExcludedModule(digests.getFirst().module().toString(),
                    best != null && digests.stream().anyMatch(h -> h.isCommonTo(some)) ? "version " + best.version() + " is higher"
                        : reason(digests, some)));
            }
        });
    }

    /**
     * Returns the modules that a node needs for the job: those that may serve on some communicator with ranks on the node, and perhaps on nodes of
     * other jobs, which may hold a lower version alone; and the module on trial.
     *
     * @param node index of the node in the job
     */
    public List<ModuleId> keptOn(final int node) {
        return nodes.isEmpty() ? modules
            : held.stream().filter(h -> h.isCommonTo(List.of(node)) || canary != null && h.module().equals(canary.module())
                && h.nodes().contains(node)).map(Held::module).toList();
    }

    private String reason(final List<Held> digests, final SortedSet<Integer> some) {
        final String quarantine = digests.stream().map(Held::quarantine).filter(Objects::nonNull).findFirst().orElse(null);
        if (quarantine != null) {
            return "quarantined: " + quarantine;
        }
        final Map<String, Set<String>> holders = new LinkedHashMap<>();
        final Set<String> missing = names(some);
        for (final Held h : digests) {
            final Set<String> names = names(h.nodes().stream().filter(some::contains).toList());
            missing.removeAll(names);
            if (!names.isEmpty()) {
                holders.put(h.module().digest(), names);
            }
        }
        final List<String> reasons = new ArrayList<>();
        if (!missing.isEmpty()) {
            reasons.add("missing on " + text(missing));
        }
        final Set<String> unreadable = holders.getOrDefault("", Set.of());
        if (!unreadable.isEmpty()) {
            reasons.add("digest cannot be read on " + text(unreadable));
        }
        final Set<String> outliers = outliers(holders);
        if (!outliers.isEmpty()) {
            reasons.add("digest differs on " + text(outliers));
        }
        return String.join("; ", reasons);
    }

    private Set<String> names(final Collection<Integer> some) {
        return some.stream().map(nodes::get).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the nodes without the most frequent digest. Between equally frequent digests, that of the first node by name counts. */
    private static Set<String> outliers(final Map<String, Set<String>> holders) {
        Set<String> most = Set.of();
        final Set<String> all = new HashSet<>();
        for (final var h : holders.entrySet()) {
            if (h.getKey().isEmpty()) {
                continue;
            }
            all.addAll(h.getValue());
            if (h.getValue().size() > most.size() || h.getValue().size() == most.size() && first(h.getValue()).compareTo(first(most)) < 0) {
                most = h.getValue();
            }
        }
        final Set<String> outliers = new TreeSet<>(all);
        outliers.removeAll(most);
        return outliers;
    }

    private static String first(final Set<String> names) {
        return names.iterator().next();
    }

    private static String text(final Set<String> names) {
        return names.stream().map(n -> "node " + n).collect(Collectors.joining(", "));
    }
}
