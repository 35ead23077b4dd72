package tutti.runtime.policy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tutti.coll.Operation;

/**
 * The preferences of a job's user for the selection, as job parameters:
 * <ul>
 * <li>{@code coll.select=ring,^tree} lists modules that precede all others, in that order, and excludes modules by {@code ^};
 * <li>{@code coll.bcast=ring} picks a module for one operation, for all calls that it can serve;
 * <li>{@code coll.bcast=ring/pipeline} picks one of its algorithms;
 * <li>{@code coll.bcast=ring/pipeline:segment=64K} picks an algorithm, and gives its parameter a value for these calls;
 * <li>{@code coll.reproducible=true} restricts reductions to algorithms of the order {@link tutti.coll.ReductionOrder#CANONICAL}.
 * </ul>
 */
public final class UserPreferences {
    /** The parameter that orders and excludes modules. */
    public static final String SELECT = "coll.select";
    /** The parameter, true or false, that requires results whose bits depend on the number of ranks alone. */
    public static final String REPRODUCIBLE = "coll.reproducible";
    private static final String PREFIX = "coll.";
    private static final char NOT = '^';

    private final List<String> first = new ArrayList<>();
    private final Set<String> excluded = new HashSet<>();
    private final Map<String, String> parameters;
    private final Set<String> given;

    /**
     * Reads the preferences from a job's parameters.
     *
     * @param parameters the parameters
     * @param given      the names of those that the user set; the others have defaults
     */
    public UserPreferences(final Map<String, String> parameters, final Set<String> given) {
        this.parameters = parameters;
        this.given = given;
        for (final String item : parameters.getOrDefault(SELECT, "").split(",")) {
            final String name = item.strip();
            if (!name.isEmpty() && name.charAt(0) == NOT) {
                excluded.add(name.substring(1).strip());
            } else if (!name.isEmpty()) {
                first.add(name);
            }
        }
    }

    /** Returns the name of the parameter that picks a module for an operation. */
    public static String parameterOf(final Operation<?> operation) {
        return PREFIX + operation.id();
    }

    /** Returns the name of a parameter of a module, with its prefix. */
    public static String parameterOf(final String module, final String parameter) {
        return PREFIX + module + "." + parameter;
    }

    /** Returns whether the user set a parameter. */
    public boolean sets(final String parameter) {
        return given.contains(parameter);
    }

    /** Returns the job's value of a parameter; null when it has none. */
    public @Nullable String value(final String parameter) {
        return parameters.get(parameter);
    }

    /** Returns the modules that the user listed to precede others, in that order. */
    public List<String> first() {
        return List.copyOf(first);
    }

    /** Returns the modules that the user excludes. */
    public Set<String> excluded() {
        return Set.copyOf(excluded);
    }

    /**
     * Returns the module or algorithm that the user picked for an operation, or null.
     *
     * @throws IllegalArgumentException when the value is not a reference
     */
    public @Nullable AlgorithmRef pick(final Operation<?> operation) {
        final String wanted = parameters.get(parameterOf(operation));
        return wanted == null ? null : AlgorithmRef.of(wanted);
    }

    /** Returns whether reductions must have the same bits whichever algorithm serves them. */
    public boolean reproducible() {
        return Boolean.parseBoolean(parameters.get(REPRODUCIBLE));
    }

    /** Returns what is wrong with a value of {@link #REPRODUCIBLE}, as text; null when it is valid. */
    public static @Nullable String problem(final String value) {
        return "true".equals(value) || "false".equals(value) ? null : "neither true nor false";
    }

    /** Returns whether the user listed a module. */
    public boolean names(final String module) {
        return first.contains(module);
    }

    /** Returns whether the user excludes a module. */
    public boolean excludes(final String module) {
        return excluded.contains(module);
    }

    /** Returns the position of a module in the order of choice. Modules that the user did not list follow all that the user listed. */
    public int position(final String module) {
        final int i = first.indexOf(module);
        return i < 0 ? Integer.MAX_VALUE : i;
    }
}
