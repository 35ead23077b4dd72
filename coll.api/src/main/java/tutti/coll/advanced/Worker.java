package tutti.coll.advanced;

import org.osgi.annotation.versioning.ConsumerType;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;

/**
 * Carries out copies and reductions of plans elsewhere: on threads of a module, on a device, or by a library. A module implements it.
 *
 * <p>{@link AdvancedPlan#copy(Worker, BufferRange, BufferRange, tutti.coll.Task...)} and {@link AdvancedPlan#reduce(Worker, Reduction,
 * BufferRange, BufferRange, tutti.coll.Task...)} say what such a task reads and writes, and what it computes. So a plan with it is proved, cached,
 * explained and traced as any other.
 *
 * <p>Completion, threads and errors are those of {@link TaskHandler}.
 */
@ConsumerType
public interface Worker extends TaskHandler<WorkerTask> {}
