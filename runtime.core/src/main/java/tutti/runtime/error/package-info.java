/**
 * Errors that MPI reports: an error class and a message.
 *
 * <pre>{@code
 * runtime -> throws MpiFailure(ErrorClass, message) -> package mpi: error handler of the communicator
 * }</pre>
 */
@Export
@Version("0.1.0")
package tutti.runtime.error;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
