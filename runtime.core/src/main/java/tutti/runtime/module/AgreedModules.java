package tutti.runtime.module;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Version;
import tutti.runtime.policy.RuleTable;

/**
 * The modules that a job may use: for each name, the highest version that every node of the job holds with the same digest. The set is
 * frozen when the job starts.
 *
 * @param modules    one module per name, in the order of the names
 * @param leftOut    the other modules, each with the reason
 * @param parameters the job's parameters, frozen; names and values are the same on all ranks
 * @param given      names of the parameters that the user set; the others have the defaults of the node that launched the job
 * @param rules      the job's rules, frozen
 */
public record AgreedModules(List<ModuleId> modules, List<ExcludedModule> leftOut, Map<String, String> parameters, Set<String> given,
    RuleTable rules) {
    /** Copies the collections. */
    public AgreedModules {
        modules = List.copyOf(modules);
        leftOut = List.copyOf(leftOut);
        parameters = Map.copyOf(parameters);
        given = Set.copyOf(given);
        Objects.requireNonNull(rules, "rules");
    }

    /** Returns the same modules with parameters, the names of those that the user set, and rules. */
    public AgreedModules with(final Map<String, String> frozenParameters, final Set<String> givenNames, final RuleTable frozenRules) {
        return new AgreedModules(modules, leftOut, frozenParameters, givenNames, frozenRules);
    }

    /**
     * Computes what nodes agree on. The result has no parameters and no rules.
     *
     * @param nodes the catalogue of each node, by the node's name
     */
    public static AgreedModules between(final Map<String, Catalogue> nodes) {
        final Map<String, TreeMap<Version, Map<String, Set<String>>>> holders = new TreeMap<>();
        nodes.forEach((node, catalogue) -> {
            for (final ModuleId m : catalogue.modules()) {
                holders.computeIfAbsent(m.name(), n -> new TreeMap<>()).computeIfAbsent(m.version(), v -> new LinkedHashMap<>())
                    .computeIfAbsent(m.digest(), d -> new TreeSet<>()).add(node);
            }
        });
        final List<ModuleId> agreed = new ArrayList<>();
        final List<ExcludedModule> leftOut = new ArrayList<>();
        holders.forEach((name, versions) -> {
            @Nullable
            ModuleId best = null;
            final List<ExcludedModule> others = new ArrayList<>();
            for (final var v : versions.descendingMap().entrySet()) {
                final String digest = commonDigest(v.getValue(), nodes.keySet());
                if (digest != null && best == null) {
                    best = new ModuleId(name, v.getKey(), digest);
                    agreed.add(best);
                } else {
                    others.add(new ExcludedModule(name + " " + v.getKey(), digest != null && best != null ? "version " + best.version() + " is higher"
                        : reason(v.getValue(), nodes.keySet())));
                }
            }
            leftOut.addAll(others);
        });
        return new AgreedModules(agreed, leftOut, Map.of(), Set.of(), RuleTable.NONE);
    }

    /** Returns the digest that all nodes have, or null. */
    private static @Nullable String commonDigest(final Map<String, Set<String>> holders, final Set<String> nodes) {
        return holders.entrySet().stream().filter(h -> !h.getKey().isEmpty() && h.getValue().containsAll(nodes)).map(Map.Entry::getKey)
            .findFirst().orElse(null);
    }

    private static String reason(final Map<String, Set<String>> holders, final Set<String> nodes) {
        final Set<String> missing = new TreeSet<>(nodes);
        holders.values().forEach(missing::removeAll);
        final List<String> reasons = new ArrayList<>();
        if (!missing.isEmpty()) {
            reasons.add("missing on " + names(missing));
        }
        final Set<String> unreadable = holders.getOrDefault("", Set.of());
        if (!unreadable.isEmpty()) {
            reasons.add("digest cannot be read on " + names(unreadable));
        }
        final Set<String> outliers = outliers(holders);
        if (!outliers.isEmpty()) {
            reasons.add("digest differs on " + names(outliers));
        }
        return String.join("; ", reasons);
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

    private static String names(final Set<String> nodes) {
        return nodes.stream().map(n -> "node " + n).collect(Collectors.joining(", "));
    }
}
