/**
 * The engine of the collectives: records plans, freezes them into schedules, caches and runs them.
 *
 * <pre>{@code
 * Algorithm -> PlanBuilder (a PlanRecorder) -> TaskList -> Schedule -> ScheduleExecution, held by ScheduleCache
 * ScheduleExecution -> MessageTasks -> Mailbox, PeerNode                  send, recv
 * ScheduleExecution -> SharedMemoryTasks -> ExposedSegments, PendingAwaits   post, await, get, reduce
 * }</pre>
 */
@NullMarked
package tutti.runtime.schedule;

import org.jspecify.annotations.NullMarked;
