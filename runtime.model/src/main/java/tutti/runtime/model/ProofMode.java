package tutti.runtime.model;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** When plans of modules are proved. Set by the job's parameter {@code coll.prove}. */
public enum ProofMode {
    /** Does as {@link #FIRST} for modules that were added to their node, and as {@link #INSTALL} for those that came with it. This is the default. */
    ADDED,
    /** Proves the plans of all ranks for each call that was not proved before, when it is planned first. */
    FIRST,
    /** Relies on the proofs at installation, and compares the messages of a plan with those of some peers. */
    INSTALL,
    /** Proves and compares nothing. */
    OFF;

    /** The name of the parameter. */
    public static final String PARAMETER = "coll.prove";
    /** The name of the parameter that says whether the first run waits for its proof: {@code before} or {@code beside}. */
    public static final String WHEN_PARAMETER = "coll.prove.when";

    private static final String BEFORE = "before";
    private static final String BESIDE = "beside";

    /** Returns the mode of a job, by its parameters. */
    public static ProofMode of(final Map<String, String> parameters) {
        return valueOf(parameters.getOrDefault(PARAMETER, ADDED.toString()).toUpperCase(Locale.ROOT));
    }

    /** Returns whether calls run beside their proofs in a job, by its parameters. By default a call waits for its proof. */
    public static boolean isBeside(final Map<String, String> parameters) {
        return parameters.getOrDefault(WHEN_PARAMETER, BEFORE).equals(BESIDE);
    }

    /** Returns what is wrong with a value of the parameter, as text; null when it is valid. */
    public static @Nullable String problem(final String value) {
        for (final ProofMode m : values()) {
            if (m.toString().equals(value)) {
                return null;
            }
        }
        return "none of added, first, install, off";
    }

    /** Returns what is wrong with a value of the parameter that says when, as text; null when it is valid. */
    public static @Nullable String whenProblem(final String value) {
        return value.equals(BEFORE) || value.equals(BESIDE) ? null : "neither before nor beside";
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
