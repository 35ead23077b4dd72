package tutti.daemon.monitor;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.introspect.TuningRules;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.SelectionRule;

/**
 * What the jobs of a cluster have found out about a class of calls, while they tuned live calls with the same modules.
 *
 * @param tuning the result of the latest job; an algorithm was found
 * @param calls  number of calls that were measured, in all jobs that have found the same algorithm one after the other
 * @param jobs   number of these jobs
 */
public record TuningRecord(CallTuning tuning, long calls, int jobs) {
    /** Checks that an algorithm was found, in at least one job, and that there is a rule of it. */
    public TuningRecord {
        Objects.requireNonNull(tuning, "tuning");
        if (!tuning.isDecided() || tuning.served() >= tuning.algorithms().size() || tuning.selected() >= tuning.algorithms().size()) {
            throw new IllegalArgumentException("no algorithm was found: served=" + tuning.served() + ", algorithms=" + tuning.algorithms().size());
        }
        Objects.requireNonNull(TuningRules.rule(tuning), "rule");
        if (jobs < 1 || calls < 0) {
            throw new IllegalArgumentException("out of range: jobs=" + jobs + ", calls=" + calls);
        }
    }

    /** Creates the record of one job. */
    public static TuningRecord of(final CallTuning tuning) {
        return new TuningRecord(tuning, tuning.measuredCalls(), 1);
    }

    /** Returns the modules whose algorithms were measured. */
    public Set<ModuleId> modules() {
        return tuning.algorithms().stream().map(CallTuning.Measured::module).collect(Collectors.toSet());
    }

    /**
     * Returns the record after one more job, whose result takes the place of the one before. The jobs count together as long as they find the same
     * algorithm; the first that finds another one begins anew.
     */
    public TuningRecord then(final CallTuning next) {
        final boolean isSame = next.best().module().equals(tuning.best().module()) && next.best().algorithm().equals(tuning.best().algorithm());
        return isSame ? new TuningRecord(next, calls + next.measuredCalls(), jobs + 1) : of(next);
    }

    /** Returns the record without the algorithms of other modules than these; null when one of them was found to be the fastest. */
    public @Nullable TuningRecord only(final Collection<ModuleId> modules) {
        final CallTuning left = tuning.only(new HashSet<>(modules)::contains);
        return left == null ? null : new TuningRecord(left, calls, jobs);
    }

    /** Returns the rule by which another job begins with the algorithm that was found. */
    public SelectionRule rule() {
        return TuningRules.rule(tuning);
    }

    /** Returns the latest record of each class of calls, by class; {@code records} has the latest last. */
    public static List<TuningRecord> latest(final Collection<TuningRecord> records) {
        final Map<CallTuning.CallClass, TuningRecord> latest = new TreeMap<>();
        records.forEach(r -> latest.put(r.tuning().callClass(), r));
        return List.copyOf(latest.values());
    }

    /** Returns why calls should be served by the algorithm that was found. */
    @Override
    public String toString() {
        return tuning.text(calls, jobs);
    }
}
