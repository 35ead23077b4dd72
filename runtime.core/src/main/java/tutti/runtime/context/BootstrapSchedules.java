package tutti.runtime.context;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tutti.runtime.datatype.Op;
import tutti.runtime.schedule.Schedule;

/**
 * The schedules of the bootstrap collectives of all ranks of a communicator, which its duplicates share.
 *
 * <p><b>Threads.</b> The map is concurrent; threads that plan the same schedule at the same time both use theirs.
 */
final class BootstrapSchedules {
    private final ConcurrentMap<Key, Schedule> planned = new ConcurrentHashMap<>();

    /** An allreduce of a number of values by an operation for a call; without an operation, the notification of the root. */
    private record Key(@Nullable Op op, int values, long call) {}

    /** Returns the schedule of a collective, which is planned if there is none; {@code call} is the signature of its messages, or 0. */
    Schedule of(final @Nullable Op op, final int values, final long call, final Supplier<Schedule> plan) {
        final Key key = new Key(op, values, call);
        Schedule schedule = planned.get(key);
        if (schedule == null) {
            schedule = plan.get();
            planned.put(key, schedule);
        }
        return schedule;
    }
}
