package mpi;

/**
 * An error handler of communicators: {@code MPI.ERRORS_ARE_FATAL}, {@code MPI.ERRORS_ABORT}, {@code MPI.ERRORS_RETURN}, or one of the program.
 * Immutable except for {@link #free}; safe for use by several threads if its function is.
 */
public final class Errhandler implements Freeable {
    private static final Function NONE = (comm, error) -> {};

    static final Errhandler FATAL = new Errhandler("MPI_ERRORS_ARE_FATAL");
    static final Errhandler ABORT = new Errhandler("MPI_ERRORS_ABORT");
    static final Errhandler RETURN = new Errhandler("MPI_ERRORS_RETURN");

    private final String name;
    private final Function function;
    private volatile boolean isFree;

    /** A program's error handling function. */
    @FunctionalInterface
    public interface Function {
        /**
         * Called with an error on the thread of the call that failed. The call throws the error afterwards, or the exception that this method
         * throws.
         *
         * @param comm  communicator of the call; {@code MPI.COMM_WORLD} for calls without a communicator
         * @param error the error
         */
        void call(Comm comm, MPIException error) throws MPIException;
    }

    /** Creates an error handler from a program's function. Not in Open MPI's bindings. */
    public Errhandler(final Function function) {
        if (function == null) {
            throw new NullPointerException("function of the error handler is null");
        }
        this.name = "error handler of class " + function.getClass().getName();
        this.function = function;
    }

    private Errhandler(final String name) {
        this.name = name;
        this.function = NONE;
    }

    /** Returns the program's function; one that does nothing for predefined handlers. */
    Function function() {
        return function;
    }

    /** Returns this handler, or a new one with the same function if this one was freed. */
    Errhandler copyIfFreed() {
        return isFree ? new Errhandler(function) : this;
    }

    /** Frees a program's error handler; communicators that have it keep it. */
    @Override
    public void free() throws MPIException {
        if (function == NONE) {
            // Cause: `MPI.ERRORS_RETURN` and its like belong to the library. Remedy: do not free it.
            throw ErrorHandling.error(MPI.ERR_ARG, "predefined error handler cannot be freed: handler=" + name);
        }
        isFree = true;
    }

    /** Returns whether the handler was freed. */
    public boolean isNull() {
        return isFree;
    }

    @Override
    public String toString() {
        return name;
    }
}
