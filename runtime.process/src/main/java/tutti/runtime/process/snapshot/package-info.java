/**
 * Tells whether programs of ranks that have ended left anything in this JVM: compares its state with a snapshot that was taken before they ran.
 *
 * <pre>{@code
 * JvmSnapshot -> Examined: Setting, SettingMap, Registry, SystemProperties, SignalActions (what is set and registered)
 *             -> Examined: LiveThreads, ChildProcesses, OpenFiles, CommonPool             (what may go by itself, or by a garbage collection)
 *             -> Examined: ManagedBeans, LoggingState
 *             -> RankLoaders                                                              (last: class loaders of ranks that are reachable)
 * Examined    -> JdkField (private fields of the JDK), Origin (objects of programs)
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.process.snapshot;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
