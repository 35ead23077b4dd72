package tutti.checkpoint;

import mpi.MPIException;

/**
 * Creates an object of package {@code mpi} which a checkpoint has.
 *
 * @param <T> the type of the object
 */
@FunctionalInterface
public interface Creator<T> {
    /** Creates the object; for a communicator, together with the other ranks. */
    T create() throws MPIException;
}
