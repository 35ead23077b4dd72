/**
 * The interface of programs: Open MPI's Java bindings, by the same names and conventions.
 *
 * <p>Buffers are arrays of a primitive type or java.nio buffers, of which all counts, whatever their position and limit; a part of a
 * buffer comes from {@code MPI.slice}. An overload without a send buffer is the call in place. Errors are {@link mpi.MPIException}s.
 */
@Export
@Version("0.1.0")
package mpi;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
