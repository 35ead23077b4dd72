package mpi;

import java.lang.StackWalker.StackFrame;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import tutti.runtime.comm.Rank;
import tutti.runtime.comm.RankScope;
import tutti.runtime.error.MpiFailure;

/**
 * What becomes of the errors of calls: they go to the error handler of the call's communicator, or else to that of the calling rank's
 * COMM_WORLD. Outside of Init and Finalize, and without a rank, calls just throw.
 *
 * <p>Every exception that package mpi throws is made here, but for those of {@link InitState}. Safe for any thread.
 */
final class ErrorHandling {
    private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    /** The handler that runs on a thread: errors of its own calls are thrown, or it would be called again and again. */
    private static final ThreadLocal<Errhandler> RUNNING = new ThreadLocal<>();

    private static final long HEARSAY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private ErrorHandling() { }

    /** An error of a call without a communicator. */
    static MPIException error(final int code, final String message) {
        return error(code, message, null);
    }

    /** The runtime's failure as the error of a call without a communicator. */
    static MPIException error(final MpiFailure failure) {
        return error(failure.errorClass().code(), failure.getMessage(), reason(failure));
    }

    /** With a cause. */
    static MPIException error(final int code, final String message, final Throwable cause) {
        final Rank rank = callingRank();
        final Bindings bindings = rank == null || InitState.problem(rank) != null ? null : Bindings.of(rank);
        return bindings == null ? plain(code, message, cause) : on(bindings.world(), code, message, cause);
    }

    /** The runtime's failure as the error of a call on a communicator. */
    static MPIException on(final CommBase comm, final MpiFailure failure) {
        if (failure.isHearsay() && isFatal(comm.errhandler)) {
            // the rank that knows why ends the job, and says it, when it gets there first
            LockSupport.parkNanos(HEARSAY_NANOS);
        }
        return on(comm, failure.errorClass().code(), failure.getMessage(), reason(failure));
    }

    /** An error of a call on a communicator. */
    static MPIException on(final CommBase comm, final int code, final String message, final Throwable cause) {
        final Rank rank = comm.handle.owner();
        if (InitState.problem(rank) != null) {
            return plain(code, message, cause);
        }
        final StackTraceElement[] stack = programStack(new Throwable().getStackTrace());
        final String call = stack.length == 0 ? "a call" : callName(stack[0]);
        final MPIException error = of(rank, code, message + " [" + call + " on " + comm + ", rank " + comm.handle.rank() + " of "
            + comm.handle.size() + "]", cause);
        error.setStackTrace(stack);
        return handled(comm, rank, error);
    }

    private static boolean isFatal(final Errhandler handler) {
        return handler == Errhandler.FATAL || handler == Errhandler.ABORT;
    }

    /** Calls the handler of a communicator; returns what is to be thrown. */
    private static MPIException handled(final CommBase comm, final Rank rank, final MPIException error) {
        final Errhandler handler = comm.errhandler;
        if (isFatal(handler)) {
            rank.fail(error);
        }
        if (handler.function() == null || RUNNING.get() == handler) {
            return error;
        }
        final Errhandler outer = RUNNING.get();
        RUNNING.set(handler);
        try {
            handler.function().call((Comm) comm, error);
            return error;
        } catch (final MPIException other) {
            return (MPIException) instead(other, error);
        } catch (final RuntimeException other) {
            instead(other, error);
            throw other;
        } finally {
            if (outer == null) {
                RUNNING.remove();
            } else {
                RUNNING.set(outer);
            }
        }
    }

    private static Throwable instead(final Throwable thrown, final MPIException error) {
        if (thrown != error) {
            thrown.addSuppressed(error);
        }
        return thrown;
    }

    /** Calls the handler of a communicator for a code that the program gives; nothing is thrown but by the handler. */
    static void call(final CommBase comm, final int code) throws MPIException {
        final Rank rank = comm.handle.owner();
        final ErrorCodes codes = Bindings.of(rank).errorCodes();
        if (!codes.isKnown(code)) {
            throw on(comm, Constants.ERR_ARG, "no such error code: code=" + code + ", last=" + codes.lastUsed(), null);
        }
        final MPIException error = of(rank, code, text(codes, code) + " [callErrhandler on " + comm + ", rank " + comm.handle.rank() + " of "
            + comm.handle.size() + "]", null);
        error.setStackTrace(programStack(error.getStackTrace()));
        final MPIException result = handled(comm, rank, error);
        if (result != error) {
            throw result;
        }
    }

    private static String text(final ErrorCodes codes, final int code) {
        final String name = ErrorNames.of(code);
        final String text = codes.text(code);
        return name == null ? text : text.substring(name.length() + 2);
    }

    /** Without a rank, or where no handler is asked. */
    static MPIException plain(final int code, final String message, final Throwable cause) {
        final MPIException error = new MPIException(code, code, message, cause);
        error.setStackTrace(programStack(error.getStackTrace()));
        return error;
    }

    private static MPIException of(final Rank rank, final int code, final String message, final Throwable cause) {
        final Bindings bindings = Bindings.of(rank);
        return new MPIException(code, bindings == null ? code : bindings.errorCodes().classOf(code), message, cause);
    }

    /** Why a failure came to be, beyond the failure itself. */
    private static Throwable reason(final MpiFailure failure) {
        Throwable cause = failure.getCause();
        while (cause instanceof MpiFailure) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** The rank whose program calls: that of the innermost class of a program. Null when there is none. */
    static Rank callingRank() {
        return WALKER.walk(frames -> frames.map(ErrorHandling::rankOf).filter(Objects::nonNull).findFirst().orElse(null));
    }

    /**
     * The rank whose program an object belongs to, else the one whose program calls.
     *
     * @throws MPIException when there is none, or it is not between Init and Finalize
     */
    static Rank callingRank(final Object hint) throws MPIException {
        final Rank owner = rankOf(hint.getClass());
        final Rank rank = owner == null ? callingRank() : owner;
        if (rank == null) {
            throw plain(Constants.ERR_OTHER, "the call comes from no rank of a job", null);
        }
        InitState.check(rank);
        return rank;
    }

    private static Rank rankOf(final StackFrame frame) {
        return rankOf(frame.getDeclaringClass());
    }

    private static Rank rankOf(final Class<?> type) {
        for (ClassLoader at = type.getClassLoader(); at != null; at = at.getParent()) {
            if (at instanceof RankScope scope) {
                return scope.rank();
            }
        }
        return null;
    }

    /** The stack from the call of package mpi that the program made. */
    private static StackTraceElement[] programStack(final StackTraceElement[] stack) {
        int program = 0;
        while (program < stack.length && isOurs(stack[program].getClassName())) {
            program++;
        }
        return Arrays.copyOfRange(stack, Math.max(0, program - 1), stack.length);
    }

    private static boolean isOurs(final String className) {
        return className.startsWith("mpi.") || className.startsWith("tutti.runtime.");
    }

    private static String callName(final StackTraceElement call) {
        return call.getMethodName().startsWith("<") ? call.getClassName().substring(call.getClassName().lastIndexOf('.') + 1) : call.getMethodName();
    }
}
