/**
 * How the ranks of a communicator agree although ranks fail: the algorithm alone, without messages, threads or time.
 */
@NullMarked
package tutti.runtime.fault;

import org.jspecify.annotations.NullMarked;
