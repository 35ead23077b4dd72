/**
 * JVMs that a node starts with bundles of its own: for the proof of a module, and for the ranks of jobs.
 *
 * <pre>{@code
 * ContainerCommand -> command line with the class path and bundles of this container
 * JvmProcess -> process of a job JVM, its options, limits and why it ended; JvmMain is its main class
 * }</pre>
 */
@NullMarked
package tutti.daemon.jvm;

import org.jspecify.annotations.NullMarked;
