package tutti.runtime.select;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tutti.runtime.module.AgreedModules.Held;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;

/**
 * The inputs of a job's selection of modules, as the job tells them to the jobs that it connects to.
 *
 * @param job        id of the job in its cluster, for messages
 * @param held       every module that a node of the job holds for the job
 * @param parameters its parameters
 * @param given      names of the parameters that its user set
 * @param rules      its selection rules
 */
public record SelectionInputs(String job, List<Held> held, Map<String, String> parameters, Set<String> given, RuleTable rules) {

    /** Copies the collections. */
    public SelectionInputs {
        held = List.copyOf(held);
        parameters = Map.copyOf(parameters);
        given = Set.copyOf(given);
    }

    /** Returns the modules that some node holds. */
    Set<ModuleId> modules() {
        return held.stream().map(Held::module).collect(Collectors.toSet());
    }

    /** Returns the value of a parameter, for messages. */
    String value(final String parameter) {
        final String value = parameters.get(parameter);
        return value == null ? "none" : given.contains(parameter) ? value : value + " by default";
    }
}
