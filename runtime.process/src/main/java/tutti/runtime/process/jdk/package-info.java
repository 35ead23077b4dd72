/**
 * What the runtime uses of the JDK's own packages: access to them, and the listing of threads. Not exported.
 */
@NullMarked
package tutti.runtime.process.jdk;

import org.jspecify.annotations.NullMarked;
