package tutti.coll;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A collective algorithm: describes the part of one rank in one collective call.
 *
 * <p>The plan must depend only on the call, on the plan's rank and sizes, and on the arguments with which the algorithm was constructed.
 * Each rank plans independently of the others, and the plans of all ranks must match.
 *
 * <p>Use {@link Plan#rank()}, not the rank for which the module was queried: to check that messages match, the runtime also has a rank plan
 * for its peers. Algorithms that nest collectives of sub-communicators are exempt from that.
 *
 * <p>Called on any thread, but never concurrently for one communicator and the duplicates that its module serves. Calls are rare, because the runtime
 * caches the resulting schedule.
 * An exception makes the collective call fail; the error names the module.
 *
 * @param <C> the type of call that the algorithm serves
 */
@ConsumerType
@FunctionalInterface
public interface Algorithm<C extends Call> {

    /**
     * Adds the tasks of rank {@code plan.rank()} for a call.
     *
     * @param call the arguments of that rank
     * @param plan the plan to fill; valid until this method returns
     */
    void plan(C call, Plan plan);
}
