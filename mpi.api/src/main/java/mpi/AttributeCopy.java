package mpi;

/**
 * Decides what becomes of an attribute when the object that has it is duplicated.
 *
 * @param <T> the kind of object
 */
@FunctionalInterface
public interface AttributeCopy<T> {

    /**
     * Called for the attribute of the object that is being duplicated.
     *
     * @return the value for the new object; null when that gets no such attribute
     * @throws MPIException makes the duplication fail
     */
    Object copy(T from, int keyval, Object value) throws MPIException;
}
