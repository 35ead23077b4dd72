package mpi;

import java.lang.StackWalker.StackFrame;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.coll.advanced.CollException;
import tutti.runtime.comm.Rank;
import tutti.runtime.comm.RankScope;
import tutti.runtime.model.MpiFailure;

/**
 * Creates the exceptions of package mpi and invokes error handlers: that of the call's communicator, or that of COMM_WORLD of the calling rank.
 * Outside of Init and Finalize, and on threads without a rank, calls only throw. Safe for use by any thread.
 */
final class ErrorHandling {
    private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    /** The error handler that runs on the thread. Errors of the handler's own calls are only thrown; otherwise the handler would recurse. */
    private static final ThreadLocal<@Nullable Errhandler> RUNNING = new ThreadLocal<>();

    private ErrorHandling() {}

    /** Creates the error of a call without a communicator. */
    static MPIException error(final int code, final String message) {
        return error(code, message, null);
    }

    /** Converts the runtime's failure to the error of a call without a communicator. */
    static MPIException error(final MpiFailure failure) {
        return error(codeOf(failure), failure.getMessage(), externalCause(failure));
    }

    /** Creates the error of a call without a communicator, with a cause. */
    static MPIException error(final int code, final @Nullable String message, final @Nullable Throwable cause) {
        final Rank rank = callingRank();
        final Bindings bindings = rank == null || InitState.problem(rank) != null ? null : Bindings.find(rank);
        return bindings == null ? unhandled(code, message, cause) : on(bindings.world(), code, message, cause);
    }

    /** Converts the runtime's failure to the error of a call on a communicator. */
    static MPIException on(final Comm comm, final MpiFailure failure) {
        return on(comm, codeOf(failure), failure.getMessage(), externalCause(failure), failure.isReportedByPeer());
    }

    /** Converts the runtime's failure to the error of a call on a communicator whose error handler does not know of it. */
    static MPIException thrown(final Comm comm, final MpiFailure failure) {
        return unhandled(comm, codeOf(failure),
            failure.getMessage() + " [on " + comm + ", rank " + comm.handle.rank() + " of " + comm.handle.size() + "]", externalCause(failure));
    }

    /** Creates the error of a call on a communicator. */
    static MPIException on(final Comm comm, final int code, final @Nullable String message, final @Nullable Throwable cause) {
        return on(comm, code, message, cause, false);
    }

    /**
     * Creates the error of a call on a communicator.
     *
     * @param byPeer whether the error is the consequence of an error of another rank or node
     */
    static MPIException on(final Comm comm, final int code, final @Nullable String message, final @Nullable Throwable cause, final boolean byPeer) {
        final Rank rank = comm.handle.owner();
        if (InitState.problem(rank) != null) {
            return unhandled(code, message, cause);
        }
        final StackTraceElement[] stack = programStack(new Throwable().getStackTrace());
        final String call = stack.length == 0 ? "a call" : callName(stack[0]);
        final MPIException error = of(comm, code, message + " [" + call + " on " + comm + ", rank " + comm.handle.rank() + " of "
            + comm.handle.size() + "]", cause);
        error.setStackTrace(stack);
        return invokeHandler(comm, rank, error, byPeer);
    }

    /** Invokes the handler of a communicator; returns the exception to throw. */
    private static MPIException invokeHandler(final Comm comm, final Rank rank, final MPIException error, final boolean byPeer) {
        final Errhandler handler = comm.errhandler;
        if (handler == Errhandler.FATAL || handler == Errhandler.ABORT) {
            rank.fail(error, byPeer);
        }
        if (RUNNING.get() == handler) {
            return error;
        }
        final Errhandler outer = RUNNING.get();
        RUNNING.set(handler);
        try {
            handler.function().call(comm, error);
            return error;
        } catch (final MPIException other) {
            return (MPIException) withSuppressed(other, error);
        } catch (final RuntimeException other) {
            withSuppressed(other, error);
            throw other;
        } finally {
            if (outer == null) {
                RUNNING.remove();
            } else {
                RUNNING.set(outer);
            }
        }
    }

    private static Throwable withSuppressed(final Throwable thrown, final MPIException error) {
        if (thrown != error) {
            thrown.addSuppressed(error);
        }
        return thrown;
    }

    /** Invokes the handler of a communicator for an error code of the program; only the handler may throw. */
    static void call(final Comm comm, final int code) throws MPIException {
        final Rank rank = comm.handle.owner();
        final ErrorCodes codes = Bindings.of(rank).errorCodes();
        if (!codes.isKnown(code)) {
            throw on(comm, MPI.ERR_ARG, "no such error code: code=" + code + ", last=" + codes.lastUsed(), null);
        }
        final MPIException error = of(comm, code, text(codes, code) + " [callErrhandler on " + comm + ", rank " + comm.handle.rank() + " of "
            + comm.handle.size() + "]", null);
        error.setStackTrace(programStack(error.getStackTrace()));
        final MPIException result = invokeHandler(comm, rank, error, false);
        if (result != error) {
            throw result;
        }
    }

    private static String text(final ErrorCodes codes, final int code) {
        final String name = ErrorNames.of(code);
        final String text = codes.text(code);
        return name == null ? text : text.substring(name.length() + 2);
    }

    /** Creates the error of a call without a communicator, without invoking a handler. */
    static MPIException unhandled(final int code, final @Nullable String message, final @Nullable Throwable cause) {
        return unhandled(null, code, message, cause);
    }

    /** Creates an error without invoking a handler; the communicator of the call may be null. */
    static MPIException unhandled(final @Nullable Comm comm, final int code, final @Nullable String message, final @Nullable Throwable cause) {
        final CollException byModule = reportedByModule(cause);
        final MPIException error = create(comm, code, byModule == null ? classOfCallers(code) : byModule.errorClass(), message, cause);
        error.setStackTrace(programStack(error.getStackTrace()));
        return error;
    }

    private static MPIException of(final Comm comm, final int code, final @Nullable String message, final @Nullable Throwable cause) {
        final CollException byModule = reportedByModule(cause);
        return create(comm, code, byModule == null ? classOf(comm.handle.owner(), code) : byModule.errorClass(), message, cause);
    }

    /** Creates an exception of the type that belongs to the error class. */
    private static MPIException create(final @Nullable Comm comm, final int code, final int errorClass, final @Nullable String message,
        final @Nullable Throwable cause) {
        return switch (errorClass) {
            case MPI.ERR_PROC_FAILED, MPI.ERR_PROC_FAILED_PENDING -> new ProcessFailedException(code, errorClass, message, cause,
                comm == null ? Group.EMPTY : Group.create(comm.handle.failed(), comm.handle.owner().worldRank()));
            case MPI.ERR_REVOKED -> new RevokedException(code, errorClass, message, cause);
            default -> new MPIException(code, errorClass, message, cause);
        };
    }

    /** Returns the error code of a failure: that of the error which a module or a function of the program raised, or else the code of its class. */
    static int codeOf(final MpiFailure failure) {
        final CollException byModule = reportedByModule(failure);
        return byModule != null ? byModule.errorCode()
            : externalCause(failure) instanceof final MPIException thrown ? thrown.getErrorCode() : failure.errorClass().code();
    }

    /** Returns the error of a module that a failure reports; null if it is not one. */
    private static @Nullable CollException reportedByModule(final @Nullable Throwable failure) {
        return failure instanceof final CollException e ? e : failure instanceof final MpiFailure f ? reportedByModule(f.getCause()) : null;
    }

    /** Returns the class of an error code of the rank whose program calls. */
    static int classOfCallers(final int code) {
        return classOf(callingRank(), code);
    }

    private static int classOf(final @Nullable Rank rank, final int code) {
        final Bindings bindings = rank == null ? null : Bindings.find(rank);
        return bindings == null ? ErrorCodes.predefinedClassOf(code) : bindings.errorCodes().classOf(code);
    }

    /** Returns the cause of a failure that is not itself a failure of the runtime; null if there is none. */
    private static @Nullable Throwable externalCause(final MpiFailure failure) {
        Throwable cause = failure.getCause();
        while (cause instanceof MpiFailure) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** Returns the rank whose program calls: the rank of the innermost class of a program on the stack. Null if there is none. */
    static @Nullable Rank callingRank() {
        return WALKER.walk(frames -> frames.map(ErrorHandling::rankOf).filter(Objects::nonNull).findFirst().orElse(null));
    }

    /**
     * Returns the rank whose program calls.
     *
     * @throws MPIException if there is no such rank, or it is not between Init and Finalize
     */
    static Rank checkedCaller() throws MPIException {
        return checked(callingRank());
    }

    /**
     * Returns the rank whose program defines the class of an object, else the rank whose program calls.
     *
     * @throws MPIException if there is no such rank, or it is not between Init and Finalize
     */
    static Rank checkedCaller(final Object hint) throws MPIException {
        final Rank owner = rankOf(hint.getClass());
        return checked(owner == null ? callingRank() : owner);
    }

    private static Rank checked(final @Nullable Rank rank) throws MPIException {
        if (rank == null) {
            // Cause: package mpi was called from outside of a job, for example with plain `java`. Remedy: `tutti run`, or extension `@Ranks` in
            // tests.
            throw unhandled(MPI.ERR_OTHER, "call does not come from the program of a rank", null);
        }
        InitState.check(rank);
        return rank;
    }

    private static @Nullable Rank rankOf(final StackFrame frame) {
        return rankOf(frame.getDeclaringClass());
    }

    private static @Nullable Rank rankOf(final Class<?> type) {
        for (ClassLoader at = type.getClassLoader(); at != null; at = at.getParent()) {
            if (at instanceof RankScope scope) {
                return scope.rank();
            }
        }
        return null;
    }

    /** Returns the stack from the program's call of package mpi on. */
    private static StackTraceElement[] programStack(final StackTraceElement[] stack) {
        int program = 0;
        while (program < stack.length && isLibraryClass(stack[program].getClassName())) {
            program++;
        }
        return Arrays.copyOfRange(stack, Math.max(0, program - 1), stack.length);
    }

    private static boolean isLibraryClass(final String className) {
        return className.startsWith("mpi.") || className.startsWith("tutti.runtime.") || className.startsWith("tutti.mpi.interception.");
    }

    private static String callName(final StackTraceElement call) {
        return call.getMethodName().startsWith("<") ? call.getClassName().substring(call.getClassName().lastIndexOf('.') + 1) : call.getMethodName();
    }
}
