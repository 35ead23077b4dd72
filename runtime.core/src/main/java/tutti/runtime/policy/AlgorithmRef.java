package tutti.runtime.policy;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A reference to a module or to one of its algorithms, as rules and parameters write it.
 *
 * @param module    name of the module
 * @param algorithm name of its algorithm for the operation; null for all its algorithms in the module's order
 */
public record AlgorithmRef(String module, @Nullable String algorithm) {
    private static final char SLASH = '/';

    /** Checks that the module is given. */
    public AlgorithmRef {
        Objects.requireNonNull(module, "module");
    }

    /** Parses {@code MODULE} or {@code MODULE/ALGORITHM}. */
    public static AlgorithmRef of(final String text) {
        final int slash = text.indexOf(SLASH);
        return slash < 0 ? new AlgorithmRef(text, null) : new AlgorithmRef(text.substring(0, slash), text.substring(slash + 1));
    }

    /** Returns the form that {@link #of} parses. */
    @Override
    public String toString() {
        return algorithm == null ? module : module + SLASH + algorithm;
    }
}
