/**
 * JVMs that a node starts for the ranks of jobs, with bundles of its own.
 *
 * <pre>{@code
 * JvmProcess -> ContainerCommand -> process of a job JVM, its options, limits and why it ended
 * }</pre>
 */
@NullMarked
package tutti.daemon.jvm;

import org.jspecify.annotations.NullMarked;
