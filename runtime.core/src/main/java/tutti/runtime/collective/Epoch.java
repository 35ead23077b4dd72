package tutti.runtime.collective;

import org.jspecify.annotations.Nullable;
import tutti.runtime.context.CommContext;
import tutti.runtime.schedule.ScheduleCache;
import tutti.runtime.schedule.SlotAllocator;

/**
 * An epoch of a communicator at one rank: the modules that serve successive calls, with the executions of these calls. The next epoch begins at the
 * same call on all ranks.
 *
 * @param table   the modules
 * @param planner plans calls by them
 * @param cache   executions of the calls
 * @param canary  the trial in the shadow of the calls; null if there is none
 * @param classes classes of the calls, as far as they are tuned
 */
record Epoch(CollTable table, SchedulePlanner planner, ScheduleCache cache, @Nullable Canary canary, TunedClasses classes) {

    /**
     * Creates an epoch without executions.
     *
     * @param slots allocator of the slots in shared memory, the same for all epochs of the communicator
     */
    static Epoch of(final CommContext comm, final CollTable table, final SlotAllocator slots) {
        final SchedulePlanner planner = new SchedulePlanner(comm, table, slots);
        final ScheduleCache cache = new ScheduleCache(planner, comm.pending());
        return new Epoch(table, planner, cache, table.canary(), new TunedClasses(table, cache));
    }
}
