package mpi;

import java.nio.ByteBuffer;

/**
 * A reduction function of a program. Subclasses override one of the two methods, or both.
 *
 * <p>MPI calls the method with buffers if it is overridden, else the one with arrays; for {@code MPI.BOOLEAN} it prefers arrays. Calls may come
 * from any thread, from several at once, and for parts of the elements of a collective operation.
 */
public abstract class UserFunction {

    /** Called by subclasses. */
    public UserFunction() {}

    /**
     * Computes {@code inOut[i] = in[i] op inOut[i]} on arrays of the base type of {@code type}. Element {@code i} begins at entry
     * {@code i * type.getExtent()}.
     *
     * @param in    left operands; must not be changed
     * @param inOut right operands; receives the results
     * @param count number of elements
     * @param type  datatype of the collective operation
     */
    public void call(final Object in, final Object inOut, final int count, final Datatype type) throws MPIException {
        // Cause: the function of the program overrides the other method `call`. Remedy: override the one that the message names.
        throw ErrorHandling.unhandled(MPI.ERR_OP, "user function does not take arrays: class=" + getClass().getName() + ", type="
            + type, null);
    }

    /**
     * Computes {@code inOut[i] = in[i] op inOut[i]} on buffers in native byte order.
     *
     * @param in    left operands; must not be changed
     * @param inOut right operands; receives the results
     * @param count number of elements
     * @param type  datatype of the collective operation
     */
    public void call(final ByteBuffer in, final ByteBuffer inOut, final int count, final Datatype type) throws MPIException {
        throw ErrorHandling.unhandled(MPI.ERR_OP, "user function does not take buffers: class=" + getClass().getName() + ", type="
            + type, null);
    }
}
