package tutti.coll;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The instance of a module that needs no initialization and keeps no state.
 *
 * @param table  the algorithms that the module offers
 * @param tables returns the algorithms with the parameters of a job; null where they cannot have others
 */
record TableOnly(AlgorithmTable table, Function<CollJob, @Nullable AlgorithmTable> tables) implements CollInstance {
    @Override
    public @Nullable AlgorithmTable tuned(final CollJob job) {
        return tables.apply(job);
    }

    @Override
    public boolean servesDuplicates() {
        return true;
    }
}
