/**
 * Access to the memory of other ranks: the memory of windows on this node, the locks on it, and the frames by which other nodes access it.
 *
 * <pre>{@code
 * origin:  AccessOperation -> PeerNode -> ACCESS frames -> link       completes an AccessRequest, when it is sent or answered
 * target:  link -> WindowTable -> WindowPart (memory), WindowLocks    on the thread that reads the link: the target's rank takes no part
 *                              -> AccessAnswer -> PeerNode -> ANSWER frames -> link
 * }</pre>
 *
 * <p>Ranks of one JVM access a {@link tutti.runtime.access.WindowPart} themselves.
 */
@NullMarked
package tutti.runtime.access;

import org.jspecify.annotations.NullMarked;
