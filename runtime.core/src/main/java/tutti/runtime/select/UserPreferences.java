package tutti.runtime.select;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tutti.coll.Operation;

/**
 * What a job's user wants of the selection: {@code coll.select=ring,^tree} puts modules first in that order and excludes others,
 * {@code coll.bcast=ring} takes a module for one operation wherever it can serve, {@code coll.bcast=ring/pipelined} one of its algorithms, and
 * {@code coll.reproducible=true} has reductions combined with one set of brackets.
 */
public final class UserPreferences {
    /** The parameter that orders and excludes. */
    public static final String SELECT = "coll.select";
    /** The parameter that wants results whose bits depend on the number of ranks alone: true or false. */
    public static final String REPRODUCIBLE = "coll.reproducible";
    private static final String PREFIX = "coll.";
    private static final char NOT = '^';

    private final List<String> first = new ArrayList<>();
    private final Set<String> excluded = new HashSet<>();
    private final Map<String, String> parameters;

    /** Those in a job's parameters. */
    public UserPreferences(final Map<String, String> parameters) {
        this.parameters = parameters;
        for (final String word : parameters.getOrDefault(SELECT, "").split(",")) {
            final String name = word.strip();
            if (!name.isEmpty() && name.charAt(0) == NOT) {
                excluded.add(name.substring(1).strip());
            } else if (!name.isEmpty()) {
                first.add(name);
            }
        }
    }

    /** The parameter that picks a module for an operation. */
    public static String parameterOf(final Operation<?> operation) {
        return PREFIX + operation.id();
    }

    /** The modules that the user named in the order of choice, first come first. */
    public List<String> first() {
        return List.copyOf(first);
    }

    /** The modules that the user does not want. */
    public Set<String> excluded() {
        return Set.copyOf(excluded);
    }

    /** What the user wants for an operation, or null. */
    public AlgorithmRef pick(final Operation<?> operation) {
        final String wanted = parameters.get(parameterOf(operation));
        return wanted == null ? null : AlgorithmRef.of(wanted);
    }

    /** Whether reductions must have the same bits whoever serves them. */
    boolean reproducible() {
        return Boolean.parseBoolean(parameters.get(REPRODUCIBLE));
    }

    /** What is wrong with a value of {@link #REPRODUCIBLE}, in words; null when nothing is. */
    public static String problem(final String value) {
        return "true".equals(value) || "false".equals(value) ? null : "neither true nor false";
    }

    boolean names(final String module) {
        return first.contains(module);
    }

    boolean excludes(final String module) {
        return excluded.contains(module);
    }

    /** Place in the order of choice; what was not named comes after all that was. */
    int place(final String module) {
        final int i = first.indexOf(module);
        return i < 0 ? Integer.MAX_VALUE : i;
    }
}
