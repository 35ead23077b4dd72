package tutti.runtime.select;

import java.util.Objects;

/**
 * A module that is to serve, or one of its algorithms, as rules and parameters name it.
 *
 * @param module    its name
 * @param algorithm of that module for the operation in question; null for those that it has, in its order
 */
public record AlgorithmRef(String module, String algorithm) {
    private static final char SLASH = '/';

    /** Needs the module. */
    public AlgorithmRef {
        Objects.requireNonNull(module, "module");
    }

    /** Reads {@code MODULE} or {@code MODULE/ALGORITHM}. */
    public static AlgorithmRef of(final String text) {
        final int slash = text.indexOf(SLASH);
        return slash < 0 ? new AlgorithmRef(text, null) : new AlgorithmRef(text.substring(0, slash), text.substring(slash + 1));
    }

    /** As it is read. */
    @Override
    public String toString() {
        return algorithm == null ? module : module + SLASH + algorithm;
    }
}
