package mpi;

import org.jspecify.annotations.Nullable;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * A reduction operation: predefined, or defined by a program. Safe for use by several threads.
 *
 * <p>Predefined operations are defined on predefined datatypes only, as in the MPI standard's table. Bytes are integers, and bytes and chars are
 * unsigned. {@code MPI.MAX} and {@code MPI.MIN} of floating-point numbers follow {@link Math}: NaN wins, and -0.0 is less than 0.0. For equal
 * values {@code MPI.MINLOC} and {@code MPI.MAXLOC} return the lower index. {@code MPI.REPLACE} and {@code MPI.NO_OP} are for one-sided
 * communication; reductions refuse them.
 */
public final class Op implements Freeable {
    /** The program's function; null for a predefined operation. */
    private final @Nullable FunctionReduction function;
    /** The runtime's operation; null when the operation was freed. */
    private tutti.runtime.datatype.@Nullable Op handle;

    /**
     * Creates an operation from a program's function.
     *
     * @param function the function; it must be associative
     * @param commute  whether the function is commutative
     */
    public Op(final UserFunction function, final boolean commute) {
        this.function = new FunctionReduction(function);
        this.handle = tutti.runtime.datatype.Op.user(function.getClass().getName(), commute, this.function);
    }

    /** Creates a predefined operation. */
    Op(final tutti.runtime.datatype.Op handle) {
        this.function = null;
        this.handle = handle;
    }

    /** Returns the runtime's operation, for a call with a datatype. */
    static tutti.runtime.datatype.Op of(final Op op, final Datatype type) {
        final tutti.runtime.datatype.Op handle = op == null ? null : op.handle;
        if (handle == null) {
            // Cause: no operation. Remedy: give it; or free it after its last use.
            throw new MpiFailure(ErrorClass.OP, op == null ? "operation is null" : "operation was freed");
        }
        if (op.function != null) {
            op.function.announce(type);
        }
        return handle;
    }

    /** Returns whether the operation is commutative. */
    public boolean isCommutative() {
        return handle != null && handle.isCommutative();
    }

    /** Frees a program's operation; pending calls with it complete. */
    @Override
    public void free() throws MPIException {
        if (function == null) {
            // Cause: `MPI.SUM` and its like belong to the library. Remedy: do not free it.
            throw ErrorHandling.error(MPI.ERR_OP, "predefined operation cannot be freed: op=" + this);
        }
        handle = null;
    }

    /** Returns whether the operation was freed. */
    public boolean isNull() {
        return handle == null;
    }

    @Override
    public String toString() {
        return handle == null ? "MPI_OP_NULL" : function == null ? "MPI_" + handle.name() : handle.name();
    }
}
