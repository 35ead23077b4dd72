package tutti.runtime.intercept;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.intercept.CallInterceptor;

/** The job's parameters {@code intercept}, which names the modules that intercept its calls, and {@code intercept.nested}. */
public final class InterceptionOption {
    /** The name of the parameter that names interceptors. */
    public static final String PARAMETER = CallInterceptor.PARAMETER;
    /** The name of the parameter by which interceptors are told of nested collectives, too. */
    public static final String NESTED = PARAMETER + ".nested";

    private InterceptionOption() {}

    /** Returns whether a module is an interceptor, by its name. */
    public static boolean isInterceptor(final String module) {
        return module.startsWith(CallInterceptor.PREFIX);
    }

    /** Returns the names of the modules that intercept the calls of a job with these parameters, the outermost first. */
    public static List<String> names(final Map<String, String> parameters) {
        final String value = parameters.get(PARAMETER);
        return value == null ? List.of() : Stream.of(value.split(",")).map(name -> CallInterceptor.PREFIX + name.strip()).distinct().toList();
    }

    /** Returns whether interceptors are told of the collectives that modules nest. */
    public static boolean isNested(final Map<String, String> parameters) {
        return parameters.containsKey(PARAMETER) && "true".equals(parameters.get(NESTED));
    }

    /** Returns what is wrong with a value of {@link #PARAMETER}, as text; null when it is valid. */
    public static @Nullable String problem(final String value) {
        return value.matches("[\\w-]+( *, *[\\w-]+)*") ? null : "not names of interceptors, separated by commas: profile,chaos";
    }

    /** Returns what is wrong with a value of {@link #NESTED}, as text; null when it is valid. */
    public static @Nullable String nestedProblem(final String value) {
        return value.equals("true") || value.equals("false") ? null : "neither true nor false";
    }
}
