package tutti.runtime.policy;

import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A reference to a module or to one of its algorithms, as rules and parameters write it. An algorithm may have values of parameters of its module,
 * which replace those of the job for the calls that the algorithm serves: {@code tree/kary:branches=4,segment=64K}.
 *
 * @param module     name of the module
 * @param algorithm  name of its algorithm for the operation; null for all its algorithms in the module's order
 * @param parameters values of the module's parameters, by name without the prefix {@code coll.NAME.}; empty for a module. A number has no unit
 */
public record AlgorithmRef(String module, @Nullable String algorithm, SortedMap<String, String> parameters) {
    /** The text form of a reference, for messages. */
    public static final String SYNTAX = "MODULE, MODULE/ALGORITHM or MODULE/ALGORITHM:PARAMETER=VALUE,...";
    private static final Pattern TEXT =
        Pattern.compile("([^\\s/:=,]+)(?:/([^\\s/:=,]+)(?::([^\\s/:=,]+=[^\\s/:=,]+(?:,[^\\s/:=,]+=[^\\s/:=,]+)*))?)?");

    /**
     * Copies the parameters.
     *
     * @throws IllegalArgumentException when a module without an algorithm has parameters
     */
    public AlgorithmRef {
        Objects.requireNonNull(module, "module");
        parameters = parameters == null ? Collections.emptySortedMap() : Collections.unmodifiableSortedMap(new TreeMap<>(parameters));
        if (algorithm == null && !parameters.isEmpty()) {
            throw new IllegalArgumentException("parameters without an algorithm: module=" + module + ", parameters=" + parameters);
        }
    }

    /** Creates a reference without parameters. */
    public AlgorithmRef(final String module, final @Nullable String algorithm) {
        this(module, algorithm, Collections.emptySortedMap());
    }

    /**
     * Parses {@code MODULE}, {@code MODULE/ALGORITHM} or {@code MODULE/ALGORITHM:PARAMETER=VALUE,...}. A number may end in K, M or G, for powers of
     * 1024.
     *
     * @throws IllegalArgumentException when the text is not a reference; the message says what is wrong
     */
    public static AlgorithmRef of(final String text) {
        final Matcher m = TEXT.matcher(text);
        if (!m.matches()) {
            throw new IllegalArgumentException("not a reference to a module or algorithm");
        }
        final SortedMap<String, String> parameters = new TreeMap<>();
        for (final String parameter : m.group(3) == null ? new String[0] : m.group(3).split(",")) {
            final int equals = parameter.indexOf('=');
            final String value = parameter.substring(equals + 1);
            if (parameters.put(parameter.substring(0, equals), ScaledNumber.matches(value) ? Long.toString(ScaledNumber.parse(value)) : value)
                != null) {
                throw new IllegalArgumentException("parameter occurs twice: " + parameter.substring(0, equals));
            }
        }
        return new AlgorithmRef(m.group(1), m.group(2), parameters);
    }

    /** Returns the same algorithm with these parameters. */
    public AlgorithmRef with(final Map<String, String> values) {
        return new AlgorithmRef(module, algorithm, new TreeMap<>(values));
    }

    /** Returns the form that {@link #of} parses. */
    @Override
    public String toString() {
        return algorithm == null ? module : module + "/" + named(algorithm, parameters);
    }

    /** Returns the name of an algorithm followed by its parameters, as in the text form of a reference. */
    public static String named(final String algorithm, final SortedMap<String, String> parameters) {
        return parameters.isEmpty() ? algorithm : parameters.entrySet().stream().map(p -> p.getKey() + "=" + text(p.getValue()))
            .collect(Collectors.joining(",", algorithm + ":", ""));
    }

    private static String text(final String value) {
        return ScaledNumber.matches(value) ? ScaledNumber.text(ScaledNumber.parse(value)) : value;
    }
}
