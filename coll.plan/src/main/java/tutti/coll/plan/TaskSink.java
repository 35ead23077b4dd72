package tutti.coll.plan;

import org.jspecify.annotations.Nullable;
import org.osgi.annotation.versioning.ConsumerType;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;

/**
 * Receives the tasks of a plan and of the collectives nested in it, after {@link PlanRecorder} has checked them. For the planning thread.
 *
 * @param <M> the type of communicators
 */
@ConsumerType
public interface TaskSink<M extends PlanComm<M>> {

    /** Begins a part: the plan itself, or a collective nested in it. Parts begin in the order of {@link PlanRecorder#index()}. */
    void begin(PlanRecorder<M> part);

    /** Accepts a reservation of scratch memory, by its range in the whole plan's scratch memory. */
    void reserve(BufferRange range);

    /** Accepts ranks that read the shared memory of a part: ranks of the part's communicator. */
    void share(PlanRecorder<M> part, int... readers);

    /**
     * Accepts a task. Its id is the number of tasks that were accepted before. An exception refuses it.
     *
     * @param part      the part that the task belongs to
     * @param kind      its kind
     * @param from      the range that it reads, in the buffers of the whole plan; in a peer's memory, as its part names it; null for none, and for
     *                  an opaque task
     * @param into      the range that it writes, in the buffers of the whole plan; null for none, and for an opaque task
     * @param peer      its peer, a rank of the part's communicator; -1 for none
     * @param post      of a post or an await, the index of the post in its part; otherwise -1
     * @param reduction of a reduce task; otherwise null
     * @param before    the tasks that must be complete before it starts; to be read within this method
     */
    void add(PlanRecorder<M> part, TaskKind kind, @Nullable BufferRange from, @Nullable BufferRange into, int peer, int post,
        @Nullable Reduction reduction, Predecessors before);

    /**
     * Accepts who carries out the task that was accepted last: of each opaque task and offloaded collective, and of copies and reductions between
     * buffers of the rank that a worker carries out.
     */
    void assign(Assignment assignment);
}
