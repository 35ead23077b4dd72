/** Ranks, communicators and requests, as the bindings of package mpi see them. */
@Export
@Version("0.1.0")
package tutti.runtime.comm;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
