package tutti.runtime.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The processors to which the threads of a rank are bound. Set by the job's parameters {@code bind} and {@code bind.report}.
 *
 * @param unit     the processors that a rank gets
 * @param overload whether several ranks may get the same
 */
public record BindingMode(Unit unit, boolean overload) {
    /** The name of the parameter. */
    public static final String PARAMETER = "bind";
    /** The name of the parameter that says whether each rank prints to standard error where it is bound. */
    public static final String REPORT_PARAMETER = "bind.report";
    /** The value of the parameter for a report. */
    public static final String REPORT_ON = "on";

    private static final String OVERLOAD = ":overload-allowed";

    /** Sets of processors that a rank can get. */
    public enum Unit {
        /** All processors of the node. */
        NONE,
        /** A core, with all its hardware threads. */
        CORE,
        /** A hardware thread. */
        HWTHREAD
    }

    /** Returns the mode of a job, by its parameters. */
    public static BindingMode of(final Map<String, String> parameters) {
        final String value = parameters.getOrDefault(PARAMETER, "none");
        return new BindingMode(switch (value.replace(OVERLOAD, "")) {
            case "core" -> Unit.CORE;
            case "hwthread" -> Unit.HWTHREAD;
            default -> Unit.NONE;
        }, value.endsWith(OVERLOAD));
    }

    /** Returns whether the ranks of a job print where they are bound, by its parameters. */
    public static boolean isReported(final Map<String, String> parameters) {
        return REPORT_ON.equals(parameters.get(REPORT_PARAMETER));
    }

    /** Returns what is wrong with a value of the parameter, as text; null when it is valid. */
    public static @Nullable String problem(final String value) {
        return value.matches("none|(core|hwthread)(" + OVERLOAD + ")?") ? null
            : "none of core, hwthread, none, core" + OVERLOAD + ", hwthread" + OVERLOAD;
    }

    /** Returns what is wrong with a value of the parameter for reports, as text; null when it is valid. */
    public static @Nullable String reportProblem(final String value) {
        return value.equals(REPORT_ON) || value.equals("off") ? null : "neither on nor off";
    }
}
