/**
 * The API of programs, with the names and conventions of Open MPI's Java bindings.
 *
 * <p>Buffers are arrays of a primitive type or java.nio buffers, whose position and limit are ignored; {@code MPI.slice} returns a part of a
 * buffer. An overload without a send buffer is the call in place. Errors are {@link mpi.MPIException}s; those by which a program learns that ranks
 * have failed have types of their own, {@link mpi.ProcessFailedException} and {@link mpi.RevokedException}.
 *
 * <pre>{@code
 *  MPI --> Intracomm, CartComm, GraphComm --> Comm <-- Intercomm        entry point and communicators
 *  Comm --> MessageCalls, CollectiveCalls --> tutti.runtime.comm        communication: arguments and errors are converted
 *  Comm --> CommAttributes --> Attributes, Keyvals                      values that programs cache
 *  Comm --> Request, Prequest, Message --> Status                       completion
 *  Comm --> Datatype, Op, Group, Info, Struct                           arguments
 *  Comm --> ErrorHandling --> Errhandler, MPIException                  errors: MpiFailure of the runtime becomes MPIException
 *  MPIException <-- ProcessFailedException, RevokedException            failures of ranks
 *  Comm --> AgreeRequest                                                agreement of the ranks that live
 * }</pre>
 */
@Export
@Version("0.2.0")
@NullMarked
package mpi;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
