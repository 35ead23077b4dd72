package tutti.runtime.introspect;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tutti.coll.BufferRange;

/**
 * A task of one rank's schedule.
 *
 * @param id      index in the schedule, from 0
 * @param kind    kind of the task
 * @param from    range that the task reads, of a peer's memory for a GET or a REDUCE with a peer; null when it reads nothing
 * @param into    range that the task writes, or null
 * @param bytes   bytes of data
 * @param peer    the other rank, in the communicator of the call; -1 when there is none
 * @param number  of a message, its index among those between the two ranks, from 0; of a POST and an AWAIT, the index of the rank's post; else 0
 * @param context distinguishes messages and posts of different communicators: that of the call and those of collectives nested in it
 * @param part    distinguishes posts of several collectives nested on one communicator, from 0
 * @param module  which part of a module carries it out; null for a task of the runtime
 * @param after   the tasks that this one starts after
 */
public record PlannedTask(int id, Kind kind, @Nullable BufferRange from, @Nullable BufferRange into, long bytes, int peer, int number, int context,
    int part,
    @Nullable ByModule module,
    List<Integer> after) {

    /** The kinds of tasks. */
    public enum Kind {
        /** Sends to the peer. */
        SEND,
        /** Receives from the peer. */
        RECV,
        /** Copies. */
        COPY,
        /** Reduces; with a peer, reads its memory. */
        REDUCE,
        /** Performs no operation: joins the tasks before it. */
        FENCE,
        /** Waits until nobody reads any more what an earlier call left in the shared memory. */
        RESERVE,
        /** Notifies the node's ranks that the tasks before it are done. */
        POST,
        /** Waits for a post of the peer. */
        AWAIT,
        /** Copies from the peer's memory. */
        GET,
        /** Does what the plan does not state. */
        OPAQUE,
        /** Takes part in a collective of a device. */
        OFFLOADED
    }

    /**
     * How a module carries out a task.
     *
     * @param name      name of the worker, the work or the device
     * @param operation id of the operation of an offloaded collective; otherwise null
     * @param reads     ranges that an opaque task reads; otherwise empty
     * @param writes    ranges that an opaque task writes; otherwise empty
     */
    public record ByModule(String name, @Nullable String operation, List<BufferRange> reads, List<BufferRange> writes) {
        /** Copies the lists. */
        public ByModule {
            reads = List.copyOf(reads);
            writes = List.copyOf(writes);
        }
    }

    /** Copies the list. */
    public PlannedTask {
        after = List.copyOf(after);
    }
}
