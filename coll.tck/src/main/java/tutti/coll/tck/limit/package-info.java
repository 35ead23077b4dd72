/**
 * Limits of code that is not trusted, by the processor time that it has used.
 *
 * <pre>{@code
 * CpuLimit -> threads of the code, or its process -> looks at intervals -> a CpuLimit.Verdict
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.coll.tck.limit;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
