package mpi;

import org.jspecify.annotations.Nullable;

/**
 * A callback that runs when an attribute is deleted or replaced, or when its object is freed.
 *
 * @param <T> the type of the object
 */
@FunctionalInterface
public interface AttributeDelete<T> {

    /**
     * Called before the attribute is removed.
     *
     * @param from   the object that has the attribute
     * @param keyval the key of the attribute
     * @param value  the attribute's value; null if it was set to null
     * @throws MPIException if the attribute cannot be removed; the attribute stays, and the call that would remove it fails
     */
    void delete(T from, int keyval, @Nullable Object value) throws MPIException;
}
