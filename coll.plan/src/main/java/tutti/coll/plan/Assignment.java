package tutti.coll.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.coll.advanced.OffloadDevice;
import tutti.coll.advanced.OpaqueWork;
import tutti.coll.advanced.TaskHandler;
import tutti.coll.advanced.Worker;

/** Says who carries out a task that the runtime does not carry out itself, and what the task is beyond its kind. Immutable. */
public sealed interface Assignment {

    /** Returns who carries out the task. */
    TaskHandler<?> handler();

    /** Returns what carries out the task, for people: the name of the handler, after the operation of an offloaded collective. */
    default String description() {
        return handler().name();
    }

    /**
     * A copy or a reduction by a worker.
     *
     * @param handler the worker
     */
    record ByWorker(Worker handler) implements Assignment {}

    /**
     * An opaque task.
     *
     * @param handler the work
     * @param reads   the ranges that it reads, in the buffers of the whole plan
     * @param writes  the ranges that it writes, in the buffers of the whole plan
     */
    record Opaque(OpaqueWork handler, List<BufferRange> reads, List<BufferRange> writes) implements Assignment {
        /** Copies the lists. */
        public Opaque {
            reads = List.copyOf(reads);
            writes = List.copyOf(writes);
        }
    }

    /**
     * A rank's part of an offloaded collective.
     *
     * @param handler   the device
     * @param operation the operation
     * @param call      the arguments of the rank
     * @param send      the send buffer, in the buffers of the whole plan; null for none
     * @param recv      the receive buffer, in the buffers of the whole plan; null for none
     */
    record Offloaded(OffloadDevice handler, Operation<?> operation, Call call, @Nullable BufferRange send,
        @Nullable BufferRange recv) implements Assignment {

        @Override
        public String description() {
            return operation.id() + " by " + handler.name();
        }
    }
}
