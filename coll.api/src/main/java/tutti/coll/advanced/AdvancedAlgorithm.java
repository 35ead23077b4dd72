package tutti.coll.advanced;

import org.osgi.annotation.versioning.ConsumerType;
import tutti.coll.Algorithm;
import tutti.coll.Call;
import tutti.coll.Plan;

/**
 * An algorithm that fills an {@link AdvancedPlan}: it uses shared memory, sub-communicators or tasks of the module.
 *
 * @param <C> the type of the calls that it plans
 */
@ConsumerType
@FunctionalInterface
public interface AdvancedAlgorithm<C extends Call> extends Algorithm<C> {

    /** Adds the tasks of the planning rank to a plan, as {@link Algorithm#plan} does. */
    void plan(C call, AdvancedPlan plan);

    @Override
    default void plan(final C call, final Plan plan) {
        plan(call, AdvancedPlan.of(plan));
    }
}
