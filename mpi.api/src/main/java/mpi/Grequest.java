package mpi;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import tutti.runtime.comm.Rank;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.request.GeneralizedRequest;
import tutti.runtime.request.GrequestFunctions;
import tutti.runtime.request.UserCompletedRequest;

/**
 * A generalized request: a request whose operation the program defines. Not in Open MPI's bindings.
 *
 * <p>Functions of the program define such a request; each gets the state that the program passes. There are two forms.
 *
 * <p><b>Completed by the program</b>, as in MPI-2: {@link #start(QueryFunction, FreeFunction, CancelCallback, Object)} returns a request that is
 * pending until the program calls {@link #complete}, from any thread and at every thread level. The call that waits for the request then calls the
 * query function, which sets the status, and the free function. {@link Request#free} calls the free function only: at once if the request is
 * complete, else from {@code complete}. {@link Request#cancel} calls the cancel function, at any time, and does not complete the request.
 *
 * <p><b>Pushed by the runtime</b>: when the request is started, the start function runs. The push function is then called repeatedly, by threads of
 * the rank and by calls that wait for the request, until it returns true: the request is then complete. The call that waits for the request, or frees
 * it, calls the complete function, which sets the status and releases resources. No two functions of a request run at the same time. A push function
 * that blocks holds its own request and a thread: other requests are pushed by another thread meanwhile.
 *
 * <ul>
 * <li>{@link Request#cancel} of a request that is not complete calls the cancel function and completes the request: cancelled if the function
 * returns, else done at least in part. Waiting calls the complete function in this case, too, with a status that says which. Freeing a cancelled
 * request does not call it, since the cancel function has released everything.
 * <li>If the start, push or complete function throws, the cancel function is called. The error is raised by the call that starts the request, or
 * by the one that waits for it. {@link Request#free} waits until the request is complete.
 * </ul>
 *
 * <p>The functions run on any thread of the rank and may call MPI at every thread level, but not wait for the request itself. A function reports an
 * error of a class and code of its own by {@link MPIException#MPIException(int, String)}: the call that raises the error has that code. Other
 * exceptions are errors of class {@code MPI.ERR_OTHER}. {@link Status#setError} only sets the code in the status.
 */
public final class Grequest extends Request {
    private final UserCompletedRequest pending;

    private Grequest(final UserCompletedRequest pending, final Comm comm) {
        super(pending, comm);
        this.pending = pending;
    }

    /**
     * A function that reports the outcome of a request that the program completes.
     *
     * @param <S> the type of the state
     */
    @FunctionalInterface
    public interface QueryFunction<S extends @Nullable Object> {
        /** Sets the status; may be called several times. */
        void query(S state, Status status) throws Exception;
    }

    /**
     * A function that releases the resources of a request that the program completes.
     *
     * @param <S> the type of the state
     */
    @FunctionalInterface
    public interface FreeFunction<S extends @Nullable Object> {
        /** Releases the request's resources; called once. */
        void free(S state) throws Exception;
    }

    /**
     * A function that cancels the operation of a request that the program completes.
     *
     * @param <S> the type of the state
     */
    @FunctionalInterface
    public interface CancelCallback<S extends @Nullable Object> {
        /** Cancels the operation, if it can; the program must still complete the request, unless {@code isComplete} says that it did. */
        void cancel(S state, boolean isComplete) throws Exception;
    }

    /**
     * Creates a request that is pending until {@link #complete} is called.
     *
     * @param queryFn    reports the outcome
     * @param freeFn     releases resources
     * @param cancelFn   cancels the operation
     * @param extraState state passed to the functions; may be null
     */
    public static <S extends @Nullable Object> Grequest start(final QueryFunction<? super S> queryFn, final FreeFunction<? super S> freeFn,
        final CancelCallback<? super S> cancelFn, final S extraState) throws MPIException {
        check(queryFn, "query");
        check(freeFn, "free");
        check(cancelFn, "cancel");
        final Rank rank = ErrorHandling.checkedCaller(queryFn);
        final Comm world = Bindings.of(rank).world();
        try {
            return new Grequest(rank.generalized(new Callbacks<>(queryFn, freeFn, cancelFn, extraState)), world);
        } catch (final MpiFailure e) {
            throw ErrorHandling.on(world, e);
        }
    }

    /**
     * Completes the request; once. Any thread may call this, at every thread level.
     *
     * @throws MPIException if the request is complete; or if it was freed before and its free function fails
     */
    public void complete() throws MPIException {
        try {
            pending.complete();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** The functions of a request that the program completes, bound to a state. */
    private record Callbacks<S extends @Nullable Object>(QueryFunction<? super S> queryFn, FreeFunction<? super S> freeFn,
        CancelCallback<? super S> cancelFn, S state) implements UserCompletedRequest.Functions {

        @Override
        public tutti.runtime.model.Status query() throws Exception {
            final Status status = new Status(tutti.runtime.model.Status.EMPTY);
            return call(() -> {
                queryFn.query(state, status);
                return status.toHandle();
            });
        }

        @Override
        public void free() throws Exception {
            run(() -> freeFn.free(state));
        }

        @Override
        public void cancel(final boolean isComplete) throws Exception {
            run(() -> cancelFn.cancel(state, isComplete));
        }
    }

    /** A call of a function of the program. */
    private interface Action {
        void run() throws Exception;
    }

    private static void run(final Action function) throws Exception {
        try {
            function.run();
        } catch (final MPIException e) {
            throw e.toFailure();
        }
    }

    private static <T> T call(final Callable<T> function) throws Exception {
        try {
            return function.call();
        } catch (final MPIException e) {
            throw e.toFailure();
        }
    }

    /**
     * A function that starts the operation of a request; runs before the call that starts the request returns.
     *
     * @param <S> the type of the state
     */
    @FunctionalInterface
    public interface StartFunction<S extends @Nullable Object> {
        /** Starts the operation. */
        void start(S state) throws Exception;
    }

    /**
     * A function that advances the operation of a request.
     *
     * @param <S> the type of the state
     */
    @FunctionalInterface
    public interface PushFunction<S extends @Nullable Object> {
        /** Advances the operation or tests it; returns whether it is complete. */
        boolean push(S state) throws Exception;
    }

    /**
     * A function that reports the outcome of a request.
     *
     * @param <S> the type of the state
     */
    @FunctionalInterface
    public interface CompleteFunction<S extends @Nullable Object> {
        /** Sets the status and releases the request's resources. */
        void complete(S state, Status status) throws Exception;
    }

    /**
     * A function that cancels the operation of a request.
     *
     * @param <S> the type of the state
     */
    @FunctionalInterface
    public interface CancelFunction<S extends @Nullable Object> {
        /** Cancels the operation and releases the request's resources; throws if any part of the operation may have taken place. */
        void cancel(S state) throws Exception;
    }

    /**
     * Creates a persistent generalized request.
     *
     * @param startFn    starts the operation
     * @param pushFn     advances the operation
     * @param completeFn reports the outcome
     * @param cancelFn   cancels the operation
     * @param extraState state passed to the functions; may be null
     */
    public static <S extends @Nullable Object> Prequest init(final StartFunction<? super S> startFn, final PushFunction<? super S> pushFn,
        final CompleteFunction<? super S> completeFn, final CancelFunction<? super S> cancelFn, final S extraState) throws MPIException {
        return Grequest.<S>define(startFn, pushFn, completeFn, cancelFn).init(extraState);
    }

    /**
     * Creates a generalized request and starts it.
     *
     * @param startFn    starts the operation
     * @param pushFn     advances the operation
     * @param completeFn reports the outcome
     * @param cancelFn   cancels the operation
     * @param extraState state passed to the functions; may be null
     */
    public static <S extends @Nullable Object> Request start(final StartFunction<? super S> startFn, final PushFunction<? super S> pushFn,
        final CompleteFunction<? super S> completeFn, final CancelFunction<? super S> cancelFn, final S extraState) throws MPIException {
        return Grequest.<S>define(startFn, pushFn, completeFn, cancelFn).start(extraState);
    }

    /** Creates a template of requests that differ only by their state. */
    public static <S extends @Nullable Object> Template<S> define(final StartFunction<? super S> startFn, final PushFunction<? super S> pushFn,
        final CompleteFunction<? super S> completeFn, final CancelFunction<? super S> cancelFn) throws MPIException {
        check(startFn, "start");
        check(pushFn, "push");
        check(completeFn, "complete");
        check(cancelFn, "cancel");
        return new Template<>(startFn, pushFn, completeFn, cancelFn);
    }

    private static void check(final Object function, final String name) throws MPIException {
        if (function == null) {
            // Cause: a generalized request lacks a function. Remedy: give it.
            throw ErrorHandling.error(MPI.ERR_ARG, "function is null: name=" + name);
        }
    }

    /**
     * A template of generalized requests. Immutable.
     *
     * @param <S> the type of the state
     */
    public static final class Template<S extends @Nullable Object> {
        private final StartFunction<? super S> startFn;
        private final PushFunction<? super S> pushFn;
        private final CompleteFunction<? super S> completeFn;
        private final CancelFunction<? super S> cancelFn;

        Template(final StartFunction<? super S> startFn, final PushFunction<? super S> pushFn, final CompleteFunction<? super S> completeFn,
            final CancelFunction<? super S> cancelFn) {
            this.startFn = startFn;
            this.pushFn = pushFn;
            this.completeFn = completeFn;
            this.cancelFn = cancelFn;
        }

        /** Creates a persistent generalized request. */
        public Prequest init(final S state) throws MPIException {
            final Rank rank = ErrorHandling.checkedCaller(startFn);
            try {
                return new Prequest(rank.generalized(new Work(state)), Bindings.of(rank).world());
            } catch (final MpiFailure e) {
                throw ErrorHandling.on(Bindings.of(rank).world(), e);
            }
        }

        /** Creates a generalized request and starts it. */
        public Request start(final S state) throws MPIException {
            final Rank rank = ErrorHandling.checkedCaller(startFn);
            try {
                final GeneralizedRequest made = rank.generalized(new Work(state));
                made.start();
                return new Request(made, Bindings.of(rank).world());
            } catch (final MpiFailure e) {
                throw ErrorHandling.on(Bindings.of(rank).world(), e);
            }
        }

        /** The functions, bound to a state. */
        private final class Work implements GrequestFunctions {
            private final S state;

            Work(final S state) {
                this.state = state;
            }

            @Override
            public void start() throws Exception {
                Grequest.run(() -> startFn.start(state));
            }

            @Override
            public boolean push() throws Exception {
                return Grequest.call(() -> pushFn.push(state));
            }

            @Override
            public tutti.runtime.model.Status complete(final boolean cancelled) throws Exception {
                final Status status = new Status(new tutti.runtime.model.Status(tutti.runtime.model.Status.ANY,
                    tutti.runtime.model.Status.ANY, 0, cancelled));
                return Grequest.call(() -> {
                    completeFn.complete(state, status);
                    return status.toHandle();
                });
            }

            @Override
            public void cancel() throws Exception {
                cancelFn.cancel(state);
            }
        }
    }
}
