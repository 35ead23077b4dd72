package mpi;

/**
 * What becomes of an error of a call on a communicator: {@code MPI.ERRORS_ARE_FATAL}, {@code MPI.ERRORS_ABORT},
 * {@code MPI.ERRORS_RETURN}, or a program's own. Immutable but for {@link #free}; safe for several threads when its function is.
 */
public final class Errhandler implements Freeable {
    static final Errhandler FATAL = new Errhandler("MPI_ERRORS_ARE_FATAL");
    static final Errhandler ABORT = new Errhandler("MPI_ERRORS_ABORT");
    static final Errhandler RETURN = new Errhandler("MPI_ERRORS_RETURN");

    private final String name;
    private final Function function;
    private volatile boolean isFree;

    /** A program's own handler of errors. */
    @FunctionalInterface
    public interface Function {
        /**
         * Hears of an error on the thread of the call that made it. The call throws the error afterwards, or what this throws instead.
         *
         * @param comm  of the call, {@code MPI.COMM_WORLD} for calls without one
         * @param error what went wrong
         */
        void call(Comm comm, MPIException error) throws MPIException;
    }

    /** A program's own. Not in Open MPI's bindings. */
    public Errhandler(final Function function) {
        if (function == null) {
            throw new NullPointerException("function of the error handler is null");
        }
        this.name = "error handler of class " + function.getClass().getName();
        this.function = function;
    }

    private Errhandler(final String name) {
        this.name = name;
        this.function = null;
    }

    /** Null for those that MPI defines. */
    Function function() {
        return function;
    }

    /** The same handler, not freed. */
    Errhandler live() {
        return isFree ? new Errhandler(function) : this;
    }

    /** Lets go of a program's own; communicators that have it keep it. */
    @Override
    public void free() throws MPIException {
        if (function == null) {
            throw ErrorHandling.error(Constants.ERR_ARG, "predefined error handler cannot be freed: handler=" + name);
        }
        isFree = true;
    }

    /** Whether it was freed. */
    public boolean isNull() {
        return isFree;
    }

    @Override
    public String toString() {
        return name;
    }
}
