/**
 * The contexts of communication: what a rank and its communicators are to the messages and collectives above them.
 *
 * <pre>{@code
 * RankContext: job (JobEnvironment), mailbox, lifecycle, options
 * CommContext -> CommMembers (groups), context id (ContextIds), CommChannel (targets of messages), NodeLocality (shared memory)
 *             -> BootstrapCollective, CommSplitExchange     exchanges before, or without, selected modules
 * }</pre>
 */
@NullMarked
package tutti.runtime.context;

import org.jspecify.annotations.NullMarked;
