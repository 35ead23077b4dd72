package tutti.runtime.select;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.AlgorithmTable;
import tutti.coll.CollInstance;
import tutti.coll.CollJob;

/**
 * The algorithms of a module on a communicator for values of parameters that rules and picks name, and for others that are asked for later.
 *
 * <p><b>Threads.</b> The lock of this object guards the tables, since communicators that share a selection may ask for others at the same time.
 */
final class TunedTables {
    private static final Logger LOG = LoggerFactory.getLogger(TunedTables.class);

    private final Set<SortedMap<String, String>> wanted;
    private final Function<SortedMap<String, String>, CollJob> jobs;
    private final Map<SortedMap<String, String>, AlgorithmTable> tables = new LinkedHashMap<>();
    private final Map<SortedMap<String, String>, String> problems = new LinkedHashMap<>();

    /**
     * Creates tables that are empty until {@link #make}.
     *
     * @param wanted sets of values, in the same order on all ranks
     * @param jobs   returns the job with a set of values
     */
    TunedTables(final Set<SortedMap<String, String>> wanted, final Function<SortedMap<String, String>, CollJob> jobs) {
        this.wanted = wanted;
        this.jobs = jobs;
    }

    /** Makes the tables anew. */
    synchronized void make(final CollInstance instance) {
        clear();
        wanted.forEach(values -> add(instance, values));
    }

    private void add(final CollInstance instance, final SortedMap<String, String> values) {
        try {
            final AlgorithmTable table = instance.tuned(jobs.apply(values));
            if (table == null) {
                problems.put(values, "takes no parameters of rules");
            } else {
                tables.put(values, table);
            }
        } catch (final Throwable e) {
            LOG.debug("module cannot have the parameters {}", values, e);
            problems.put(values, "cannot have these parameters: " + ModuleFailure.text(e));
        }
    }

    /** Returns the algorithms for values that need not be wanted; null when there are none. */
    @Nullable
    synchronized AlgorithmTable of(final SortedMap<String, String> values, final CollInstance instance) {
        if (!tables.containsKey(values) && !problems.containsKey(values)) {
            add(instance, values);
        }
        return tables.get(values);
    }

    /** Returns the algorithms for these values; null when there are none. */
    @Nullable
    synchronized AlgorithmTable of(final SortedMap<String, String> values) {
        return tables.get(values);
    }

    /** Returns why there are no algorithms for these values, as a predicate of the module; null when there are some. */
    @Nullable
    synchronized String problem(final SortedMap<String, String> values) {
        return problems.get(values);
    }

    /** Returns the sets of values for which there are algorithms. */
    synchronized Set<SortedMap<String, String>> values() {
        return new LinkedHashSet<>(tables.keySet());
    }

    synchronized void clear() {
        tables.clear();
        problems.clear();
    }
}
