package mpi;

import org.jspecify.annotations.Nullable;

/**
 * A callback that copies an attribute when its object is duplicated.
 *
 * @param <T> the type of the object
 */
@FunctionalInterface
public interface AttributeCopy<T> {

    /**
     * Called for each attribute of the object that is being duplicated.
     *
     * @param from   the object that is being duplicated
     * @param keyval the key of the attribute
     * @param value  the attribute's value; null if it was set to null
     * @return the value for the new object; null if the new object gets no such attribute
     * @throws MPIException if the attribute cannot be copied; the duplication fails
     */
    @Nullable
    Object copy(T from, int keyval, @Nullable Object value) throws MPIException;
}
