package tutti.coll.advanced;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Carries out collectives among ranks outside of the runtime, such as a network that reduces. A module implements it.
 *
 * <p>{@link AdvancedPlan#offloaded} says which collective of which ranks such a task is a part of, so a plan with it is proved, cached, explained and
 * traced as any other. Each rank starts its part. The device matches the parts by {@link OffloadedTask#communicator} and
 * {@link OffloadedTask#number}, combines the contributions, writes the results into the memory of each part, and completes it. It may complete a part
 * as soon as the results of that rank are written.
 *
 * <p><b>Results.</b> A device combines contributions in the order of ranks. It may choose the brackets, but the results of one collective have the
 * same bits on all ranks.
 *
 * <p><b>Errors.</b> A rank whose part fails, or which cannot start it because its call has failed, tells the others. Their parts that are not
 * complete are cancelled, and the calls fail, so no rank waits for a part that does not come. The device forgets a part that was cancelled.
 *
 * <p>Completion and threads are those of {@link TaskHandler}.
 */
@ConsumerType
public interface OffloadDevice extends TaskHandler<OffloadedTask> {}
