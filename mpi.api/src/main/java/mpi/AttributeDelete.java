package mpi;

/**
 * Hears that an attribute goes: it is deleted or replaced, or its object is freed.
 *
 * @param <T> the kind of object
 */
@FunctionalInterface
public interface AttributeDelete<T> {

    /**
     * Called before the attribute goes.
     *
     * @throws MPIException makes the call fail that would take the attribute, which stays
     */
    void delete(T from, int keyval, Object value) throws MPIException;
}
