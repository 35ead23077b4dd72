/**
 * Access to the JDK's own packages, and listing of threads. Not exported.
 */
@NullMarked
package tutti.runtime.process.jdk;

import org.jspecify.annotations.NullMarked;
