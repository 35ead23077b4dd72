package tutti.coll;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * A collective algorithm: it describes what one rank does in one call.
 *
 * <p>Planning must depend on nothing but the call, the plan's rank and sizes, and what the algorithm was made with; every rank plans on
 * its own, and the plans must fit together. The rank is the plan's, not the one that the module was asked on: but for algorithms that nest
 * collectives of sub-communicators, a rank also plans for its peers, to see that their messages meet. Called on any thread, seldom (the
 * result is cached), never twice at once for one communicator. An exception fails the call and names the module.
 *
 * @param <C> the call of the operation that it serves
 */
@ConsumerType
@FunctionalInterface
public interface Algorithm<C extends Call> {

    /** Adds the tasks of {@code plan.rank()} for {@code call}. */
    void plan(C call, Plan plan);
}
