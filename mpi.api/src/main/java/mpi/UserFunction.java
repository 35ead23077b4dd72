package mpi;

import java.nio.ByteBuffer;

/**
 * What a program's own operation does. Override one of the two methods, or both.
 *
 * <p>MPI calls the one with buffers when it is overridden, else the one with arrays; for {@code MPI.BOOLEAN} it prefers arrays. It may call
 * from any thread, from several at once, and in pieces of the elements that a collective operation was called with.
 */
public abstract class UserFunction {

    /** Nothing to set up. */
    public UserFunction() { }

    /**
     * Computes {@code inOut[i] = in[i] op inOut[i]} on arrays of the base type of {@code type}.
     *
     * @param in    must not be changed
     * @param inOut gets the result
     * @param count elements of {@code type}
     * @param type  as in the call of the collective operation
     */
    public void call(final Object in, final Object inOut, final int count, final Datatype type) throws MPIException {
        throw ErrorHandling.plain(Constants.ERR_OP, "user function does not take arrays: class=" + getClass().getName() + ", type=" + type, null);
    }

    /**
     * Computes {@code inOut[i] = in[i] op inOut[i]} on buffers in native byte order.
     *
     * @param in    must not be changed
     * @param inOut gets the result
     * @param count elements of {@code type}
     * @param type  as in the call of the collective operation
     */
    public void call(final ByteBuffer in, final ByteBuffer inOut, final int count, final Datatype type) throws MPIException {
        throw ErrorHandling.plain(Constants.ERR_OP, "user function does not take buffers: class=" + getClass().getName() + ", type=" + type, null);
    }
}
