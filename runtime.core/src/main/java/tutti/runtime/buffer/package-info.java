/**
 * The caller's memory as packed bytes, the only form that messages and schedules use.
 *
 * <pre>{@code
 * PointToPoint, Collectives -> MessageBufferCache -> MessageBuffer -> Datatype, UserMemory
 * }</pre>
 */
@NullMarked
package tutti.runtime.buffer;

import org.jspecify.annotations.NullMarked;
