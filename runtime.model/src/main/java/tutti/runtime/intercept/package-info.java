/**
 * Which modules intercept the calls of a job, and what they report of it.
 *
 * <pre>{@code
 *   daemon (agreement), select (JobModules), context (recorder) --> InterceptionOption
 *   an interceptor (InterceptedRank.keepReport) --> InterceptorReport, which Rank keeps until it ends
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.intercept;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
