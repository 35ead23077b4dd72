package tutti.runtime.collective;

import org.jspecify.annotations.Nullable;
import tutti.coll.Call;
import tutti.runtime.introspect.CallTuning;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.AlgorithmRef;
import tutti.runtime.schedule.ScheduleCache;
import tutti.runtime.select.Selection;
import tutti.runtime.tuning.Samples;

/**
 * An algorithm that tuning tries, or keeps, for a class of calls. It serves calls of a signature once all ranks have planned one; after some
 * signatures it is trusted with all others, so that a program whose calls all differ does not compare for ever.
 *
 * <p>As its class of calls, it is used by one thread at a time, in the order of the calls.
 *
 * @param <C> the type of the operation's calls
 */
final class TunedAlgorithm<C extends Call> implements ScheduleCache.Choice {
    private static final int TRUSTED = 16;

    private final ModuleId module;
    private final AlgorithmRef ref;
    private final Selection.@Nullable SelectedAlgorithm<C> chosen;
    private final long[] signatures = new long[TRUSTED];
    private int planned;
    private int calls;
    private long median;
    private long spread;
    /** How many times as long as the fastest it took; 0 when that is not known. */
    private double slowdown;
    private @Nullable String problem;

    /**
     * Creates an algorithm that was not measured.
     *
     * @param ref    its reference with the values of parameters
     * @param chosen the algorithm; null when its module does not have it on this rank
     */
    TunedAlgorithm(final ModuleId module, final AlgorithmRef ref, final Selection.@Nullable SelectedAlgorithm<C> chosen) {
        this.module = module;
        this.ref = ref;
        this.chosen = chosen;
    }

    ModuleId module() {
        return module;
    }

    AlgorithmRef ref() {
        return ref;
    }

    /** Returns the algorithm; null when its module does not have it on this rank. */
    Selection.@Nullable SelectedAlgorithm<C> chosen() {
        return chosen;
    }

    /** Returns whether this is the algorithm of a module with these values of parameters. */
    boolean is(final ModuleId otherModule, final AlgorithmRef other) {
        return module.equals(otherModule) && ref.equals(other);
    }

    /** Returns whether it is the same algorithm as another one, perhaps with other values of parameters. */
    boolean isVariantOf(final TunedAlgorithm<C> other) {
        return module.equals(other.module) && ref.algorithm() != null && ref.algorithm().equals(other.ref.algorithm());
    }

    /** Returns whether all ranks have planned a call of this signature, or so many of others that this one needs no comparison. */
    boolean isPlanned(final long signature) {
        if (planned == TRUSTED) {
            return true;
        }
        for (int i = 0; i < planned; i++) {
            if (signatures[i] == signature) {
                return true;
            }
        }
        return false;
    }

    /** Notes that all ranks have planned a call of this signature. */
    void planned(final long signature) {
        if (!isPlanned(signature)) {
            signatures[planned++] = signature;
        }
    }

    /** Notes that it serves no more calls; {@code why} is a predicate. */
    void refuse(final String why) {
        problem = why;
    }

    /** Returns why it serves no more calls; null while it may. */
    @Nullable
    String problem() {
        return problem;
    }

    /** Takes over what was measured, as the latest of all. */
    void measured(final int number, final Samples times) {
        calls += number;
        if (times.count() > 0) {
            median = times.median();
            spread = times.spread();
        }
    }

    /** Takes over what was measured in an earlier epoch. */
    void measured(final CallTuning.Measured earlier) {
        calls = earlier.calls();
        median = earlier.medianNanos();
        spread = earlier.spreadNanos();
        slowdown = earlier.slowdown();
        problem = earlier.problem();
    }

    /** Returns the median of its calls in the latest trial in nanoseconds; 0 when none was measured. */
    long median() {
        return median;
    }

    /** Returns the distance between the quartiles of these calls. */
    long spread() {
        return spread;
    }

    /** Returns how many times as long as the fastest it took; 0 when that is not known. */
    double slowdown() {
        return slowdown;
    }

    void setSlowdown(final double factor) {
        slowdown = factor;
    }

    CallTuning.Measured report() {
        return new CallTuning.Measured(module, ref, calls, median, spread, slowdown, problem);
    }

    @Override
    public String toString() {
        return ref.toString();
    }
}
