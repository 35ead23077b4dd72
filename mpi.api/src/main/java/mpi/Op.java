package mpi;

import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;

/**
 * A reduction operation: predefined, or a program's own. Safe for several threads.
 *
 * <p>Predefined operations are defined on predefined types alone, as the MPI standard's table says; bytes are integers, and bytes and chars
 * have no sign. {@code MPI.MAX} and {@code MPI.MIN} of floating point numbers are those of {@link Math}: not a number wins, and -0.0 is less
 * than 0.0. Of equal values {@code MPI.MINLOC} and {@code MPI.MAXLOC} yield the lower index. {@code MPI.REPLACE} and {@code MPI.NO_OP} are for
 * one-sided communication; reductions refuse them.
 */
public final class Op implements Freeable {
    private final FunctionReduction function;
    private tutti.runtime.datatype.Op handle;

    /**
     * A program's own operation.
     *
     * @param function what it does; it must be associative
     * @param commute  whether operands may be swapped
     */
    public Op(final UserFunction function, final boolean commute) {
        this.function = new FunctionReduction(function);
        this.handle = tutti.runtime.datatype.Op.user(function.getClass().getName(), commute, this.function);
    }

    /** A predefined operation. */
    Op(final tutti.runtime.datatype.Op handle) {
        this.function = null;
        this.handle = handle;
    }

    /** What the runtime knows the operation by, for a call with a type. */
    static tutti.runtime.datatype.Op of(final Op op, final Datatype type) {
        if (op == null || op.handle == null) {
            throw new MpiFailure(ErrorClass.OP, op == null ? "operation is null" : "operation was freed");
        }
        if (op.function != null) {
            op.function.announce(type);
        }
        return op.handle;
    }

    /** Whether operands may be swapped. */
    public boolean isCommutative() {
        return handle != null && handle.isCommutative();
    }

    /** Lets go of an operation of the program's own; what is under way with it goes on. */
    @Override
    public void free() throws MPIException {
        if (function == null) {
            throw ErrorHandling.error(Constants.ERR_OP, "predefined operation cannot be freed: op=" + this);
        }
        handle = null;
    }

    /** Whether it was freed. */
    public boolean isNull() {
        return handle == null;
    }

    @Override
    public String toString() {
        return handle == null ? "MPI_OP_NULL" : function == null ? "MPI_" + handle.name() : handle.name();
    }
}
