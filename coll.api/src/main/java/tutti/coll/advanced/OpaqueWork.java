package tutti.coll.advanced;

import org.osgi.annotation.versioning.ConsumerType;

/**
 * Work of a module whose meaning a plan does not state: it counts, checks or logs what the plan's tasks read and write, or drives a device. A module
 * implements it.
 *
 * <p>{@link AdvancedPlan#opaque} says which memory such a task reads and writes, so the plan is ordered, cached, explained and traced as any other. A
 * proof takes what the task writes for unknown. So a plan is proved whose results do not depend on it, and refused otherwise.
 *
 * <p>Completion, threads and errors are those of {@link TaskHandler}.
 */
@ConsumerType
public interface OpaqueWork extends TaskHandler<OpaqueTask> {}
