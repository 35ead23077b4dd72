/** Proof of a module before it is installed, in a process that the store of the node has started. */
@NullMarked
package tutti.daemon.install;

import org.jspecify.annotations.NullMarked;
