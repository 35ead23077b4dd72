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
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Version;
import tutti.runtime.policy.LinkSpeed;
import tutti.runtime.policy.RuleTable;

/**
 * The modules that a job may use. Between nodes, these are for each name the highest version that all of them hold with the same digest: for
 * communicators with ranks on all nodes of the job {@link #modules}, for others what {@link #on} finds for their nodes. The set is frozen when the
 * job starts.
 *
 * @param modules    what all nodes of the job agree on: one module per name, in the order of the names
 * @param leftOut    the other modules, each with the reason
 * @param parameters the job's parameters, frozen; names and values are the same on all ranks
 * @param given      names of the parameters that the user set; the others have the defaults of the node that launched the job
 * @param rules      the job's rules, frozen
 * @param nodes      names of the job's nodes; empty if the same modules serve on all communicators
 * @param held       every module that a node holds
 */
public record AgreedModules(List<ModuleId> modules, List<ExcludedModule> leftOut, Map<String, String> parameters, Set<String> given,
    RuleTable rules, List<String> nodes, List<Held> held) {
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
        this(modules, leftOut, parameters, given, rules, List.of(), List.of());
    }

    /** Returns the same modules, parameters and rules for a job whose nodes all hold the same modules. */
    public AgreedModules onAnyNodes() {
        return new AgreedModules(modules, leftOut, parameters, given, rules);
    }

    /** Returns the agreement without the modules whose names a condition holds for. */
    public AgreedModules without(final Predicate<String> name) {
        return new AgreedModules(modules.stream().filter(m -> !name.test(m.name())).toList(), leftOut, parameters, given, rules, nodes,
            held.stream().filter(h -> !name.test(h.module().name())).toList());
    }

    /** Returns the same modules with parameters, the names of those that the user set, and rules. */
    public AgreedModules with(final Map<String, String> frozenParameters, final Set<String> givenNames, final RuleTable frozenRules) {
        return new AgreedModules(modules, leftOut, frozenParameters, givenNames, frozenRules, nodes, held);
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
        final Map<ModuleId, QuarantinedModule> quarantine = new HashMap<>();
        catalogues.values().forEach(c -> c.quarantine().forEach(q -> quarantine.merge(q.module(), q, (a, b) -> a.since() < b.since() ? b : a)));
        return of(nodes, holders, quarantine.values().stream().filter(QuarantinedModule::isActive)
            .collect(Collectors.toMap(QuarantinedModule::module, QuarantinedModule::reason)));
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
        return new AgreedModules(List.of(), List.of(), Map.of(), Set.of(), RuleTable.NONE, nodes, held)
            .on(IntStream.range(0, nodes.size()).boxed().collect(Collectors.toCollection(TreeSet::new)));
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
        return new AgreedModules(agreed, others, parameters, given, rules, nodes, held);
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
     * other jobs, which may hold a lower version alone.
     *
     * @param node index of the node in the job
     */
    public List<ModuleId> keptOn(final int node) {
        return nodes.isEmpty() ? modules : held.stream().filter(h -> h.isCommonTo(List.of(node))).map(Held::module).toList();
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
