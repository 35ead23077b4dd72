/** Element types, operations on them, and the memory behind arrays and buffers. */
@Export
@Version("0.1.0")
package tutti.runtime.datatype;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
