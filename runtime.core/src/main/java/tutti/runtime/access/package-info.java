/**
 * Access to the memory of other ranks: the memory of windows on this node, the locks on it, and the frames by which other nodes access it.
 *
 * <pre>{@code
 * origin:  AccessOperation -> PeerNode -> ACCESS frames -> link              completes an AccessRequest, when it is sent or answered
 * target:  link -> WindowTable -> WindowPart -> WindowMemory, WindowLocks    on the thread that reads the link: the target's rank takes no part
 *                              -> AccessAnswer -> PeerNode -> ANSWER frames -> link
 * }</pre>
 *
 * <p>Ranks of one JVM access {@link tutti.runtime.access.WindowMemory} themselves, and so do ranks of JVMs that map it. {@link
 * tutti.runtime.access.MemoryWords} keep their accesses apart.
 */
@NullMarked
package tutti.runtime.access;

import org.jspecify.annotations.NullMarked;
