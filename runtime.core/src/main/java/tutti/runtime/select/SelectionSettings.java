package tutti.runtime.select;

import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.policy.UserPreferences;
import tutti.runtime.registry.OfferedModule;

/**
 * The settings of a job that decide its selections beside its modules: the parameters and preferences of its user, and the rules. Keeps what it
 * computes: parameters bound to types of modules, and the rules for layouts.
 *
 * <p><b>Threads.</b> Safe for any thread. The maps are concurrent; all else is immutable.
 */
final class SelectionSettings {
    private final ModuleParameters parameters;
    private final ConcurrentMap<TunedModule, ModuleParameters> tuned;
    /** Names of the parameters that the user set. */
    private final Set<String> given;
    private final UserPreferences preferences;
    private final RuleTable rules;
    private final long rulesHash;
    private final ConcurrentMap<NodeLayout, LayoutRules> rulesByLayout;

    /** A module with values of its parameters that replace those of the job. */
    private record TunedModule(String name, SortedMap<String, String> values) {}

    /** Takes the settings of an agreement. */
    SelectionSettings(final AgreedModules agreement) {
        parameters = new ModuleParameters(agreement.parameters());
        tuned = new ConcurrentHashMap<>();
        given = agreement.given();
        preferences = new UserPreferences(agreement.parameters(), given);
        rules = agreement.rules();
        rulesHash = new AgreementHash().add(rules.rules().toString()).add(Boolean.toString(rules.isDefault())).add(rules.learnt().size()).value();
        rulesByLayout = new ConcurrentHashMap<>();
    }

    private SelectionSettings(final SelectionSettings same, final Set<ClassLoader> loaders) {
        parameters = same.parameters.keptFor(loaders);
        tuned = new ConcurrentHashMap<>();
        same.tuned.forEach((module, bound) -> tuned.put(module, bound.keptFor(loaders)));
        given = same.given;
        preferences = same.preferences;
        rules = same.rules;
        rulesHash = same.rulesHash;
        rulesByLayout = same.rulesByLayout;
    }

    /** Returns the settings of a later agreement of the job, whose modules these are. They keep no classes of other modules. */
    SelectionSettings keptFor(final AgreedModules next, final List<OfferedModule> offered) {
        final boolean isSame = next.parameters().equals(parameters.all()) && next.given().equals(given) && next.rules().equals(rules);
        return isSame
            ? new SelectionSettings(this, offered.stream().map(m -> m.module().getClass().getClassLoader()).collect(Collectors.toSet()))
            : new SelectionSettings(next);
    }

    /** Returns the parameters of the job. */
    ModuleParameters parameters() {
        return parameters;
    }

    /** Returns the parameters of the job with these values for a module, by name without its prefix. */
    ModuleParameters parametersOf(final String module, final SortedMap<String, String> values) {
        return values.isEmpty() ? parameters : tuned.computeIfAbsent(new TunedModule(module, values), m -> parameters.with(module, values));
    }

    /** Returns the preferences of the job's user. */
    UserPreferences preferences() {
        return preferences;
    }

    /** Returns the rules that apply to communicators of a layout. */
    LayoutRules rulesFor(final NodeLayout layout) {
        return rulesByLayout.computeIfAbsent(layout, l -> new LayoutRules(rules, l, preferences));
    }

    /** Returns a hash of the rules that is the same in every JVM. */
    long rulesHash() {
        return rulesHash;
    }
}
