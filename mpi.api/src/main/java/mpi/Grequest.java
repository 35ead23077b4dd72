package mpi;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import tutti.runtime.comm.Rank;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.request.GeneralizedRequest;
import tutti.runtime.request.GrequestFunctions;

/**
 * Generalized requests: requests whose operation the program defines. Not in Open MPI's bindings.
 *
 * <p>Four functions define such a request; each gets the state that the program passes. When the request is started, the start function runs. The
 * push function is then called repeatedly, by a thread of the rank and by calls that wait for the request or test it, until it returns true: the
 * request is then complete. The call that waits for the request, or frees it, calls the complete function, which sets the status and releases
 * resources.
 *
 * <p>{@link Request#cancel} of a request that is not complete calls the cancel function and completes the request: cancelled if the function
 * returns, else done at least in part. Waiting calls the complete function in this case, too, with a status that says which. Freeing a cancelled
 * request does not call it, since the cancel function has released everything.
 *
 * <p>If the start, push or complete function throws, the cancel function is called. The error is raised by the call that starts the request, or
 * by the one that waits for it. {@link Request#free} waits until the request is complete.
 *
 * <p>The functions of one request never run at the same time, but on any thread of the rank. They may call MPI at every thread level, but not
 * wait for the request itself. A push function should return soon: other requests wait for their turn.
 */
public final class Grequest {
    private Grequest() {}

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
                try {
                    startFn.start(state);
                } catch (final MPIException e) {
                    throw e.toFailure();
                }
            }

            @Override
            public boolean push() throws Exception {
                return call(() -> pushFn.push(state));
            }

            @Override
            public tutti.runtime.model.Status complete(final boolean cancelled) throws Exception {
                final Status status = new Status(new tutti.runtime.model.Status(tutti.runtime.model.Status.ANY,
                    tutti.runtime.model.Status.ANY, 0, cancelled));
                return call(() -> {
                    completeFn.complete(state, status);
                    return status.toHandle();
                });
            }

            @Override
            public void cancel() throws Exception {
                cancelFn.cancel(state);
            }

            private static <T> T call(final Callable<T> function) throws Exception {
                try {
                    return function.call();
                } catch (final MPIException e) {
                    throw e.toFailure();
                }
            }
        }
    }
}
