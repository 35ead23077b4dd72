/**
 * Work that runs one item at a time on the threads that submit it, without a lock.
 *
 * <pre>{@code
 * WorkItem -> SerialExecutor.submit -> WorkItem.run      on the submitting thread, or on that of the owner
 *             SerialExecutor -> DeferredWork             executors that are yet to be drained on this thread
 * }</pre>
 */
@NullMarked
package tutti.runtime.serial;

import org.jspecify.annotations.NullMarked;
