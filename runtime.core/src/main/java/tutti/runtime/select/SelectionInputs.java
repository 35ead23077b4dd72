package tutti.runtime.select;

import java.util.List;
import java.util.Map;
import java.util.Set;
import tutti.runtime.module.ModuleId;

/**
 * The inputs of a job's selection of modules, as the job tells them to the jobs that it connects to.
 *
 * @param job        id of the job in its cluster, for messages
 * @param modules    the modules that its nodes agreed on, in the order of their names
 * @param parameters its parameters
 * @param given      names of the parameters that its user set
 * @param rules      name of its selection rules, for messages
 * @param rulesHash  hash of the rules, equal for equal rules in every JVM
 */
public record SelectionInputs(String job, List<ModuleId> modules, Map<String, String> parameters, Set<String> given, String rules,
    long rulesHash) {

    /** Copies the collections. */
    public SelectionInputs {
        modules = List.copyOf(modules);
        parameters = Map.copyOf(parameters);
        given = Set.copyOf(given);
    }

    /** Returns the value of a parameter, for messages. */
    String value(final String parameter) {
        final String value = parameters.get(parameter);
        return value == null ? "none" : given.contains(parameter) ? value : value + " by default";
    }
}
