/**
 * Values of the MPI model that every layer uses: groups, statuses, reserved arguments, and the errors that MPI reports.
 *
 * <pre>{@code
 * runtime -> throws MpiFailure(ErrorClass, message) -> package mpi: error handler of the communicator
 * Group: ranks of COMM_WORLD in order
 * Status: source, tag and bytes of a message;  Reserved: ANY_SOURCE, PROC_NULL, IN_PLACE...
 * }</pre>
 */
@Export
@Version("0.1.0")
@NullMarked
package tutti.runtime.model;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
