package mpi;

import java.util.concurrent.Callable;
import tutti.runtime.comm.Rank;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.request.GeneralizedRequest;
import tutti.runtime.request.GrequestFunctions;

/**
 * Generalized requests: requests of a program's own making. Not in Open MPI's bindings.
 *
 * <p>Four functions say what such a request does, and each gets the state that the program gave along. When the request is started the
 * start function runs. From then on the push function is called again and again, by a thread of the rank and by calls that wait for the
 * request or test it, until it returns true: then the request is complete. The call that waits for it, or frees it, has the complete
 * function fill the status and let go of what it holds. {@link Request#cancel} of a request that is not complete calls the cancel
 * function, and makes it complete either way: cancelled when that returns, else done at least in part. Waiting calls the complete function
 * then as well, with a status that says which; freeing a cancelled request does not, as the cancel function has let go of everything.
 *
 * <p>When the start, push or complete function throws, the cancel function is called, and the error is raised: by the call that starts the
 * request, or by the one that waits for it. {@link Request#free} waits until the request is complete.
 *
 * <p>Functions of one request never run at the same time, but on any thread of the rank. They may call MPI, at every thread level, but not
 * wait for the request itself. A push function should return soon: others wait for their turn.
 */
public final class Grequest {
    private Grequest() { }

    /**
     * Begins what the request stands for; runs before the call that starts the request returns.
     *
     * @param <S> the state
     */
    @FunctionalInterface
    public interface StartFunction<S> {
        /** Begins. */
        void start(S state) throws Exception;
    }

    /**
     * Moves the request on.
     *
     * @param <S> the state
     */
    @FunctionalInterface
    public interface PushFunction<S> {
        /** Takes a step or a look; true when all is done. */
        boolean push(S state) throws Exception;
    }

    /**
     * Says what became of the request.
     *
     * @param <S> the state
     */
    @FunctionalInterface
    public interface CompleteFunction<S> {
        /** Fills the status, and lets go of what the request holds. */
        void complete(S state, Status status) throws Exception;
    }

    /**
     * Stops what the request stands for.
     *
     * @param <S> the state
     */
    @FunctionalInterface
    public interface CancelFunction<S> {
        /** Stops it and lets go of what the request holds; throws when any part of it may have taken place. */
        void cancel(S state) throws Exception;
    }

    /** Makes a request that can be started again and again. */
    public static <S> Prequest init(final StartFunction<? super S> startFn, final PushFunction<? super S> pushFn,
            final CompleteFunction<? super S> completeFn, final CancelFunction<? super S> cancelFn, final S extraState) throws MPIException {
        return Grequest.<S>define(startFn, pushFn, completeFn, cancelFn).init(extraState);
    }

    /** Makes a request and starts it. */
    public static <S> Request start(final StartFunction<? super S> startFn, final PushFunction<? super S> pushFn,
            final CompleteFunction<? super S> completeFn, final CancelFunction<? super S> cancelFn, final S extraState) throws MPIException {
        return Grequest.<S>define(startFn, pushFn, completeFn, cancelFn).start(extraState);
    }

    /** Makes a kind of requests, which differ by their state alone. */
    public static <S> Template<S> define(final StartFunction<? super S> startFn, final PushFunction<? super S> pushFn,
            final CompleteFunction<? super S> completeFn, final CancelFunction<? super S> cancelFn) throws MPIException {
        check(startFn, "start");
        check(pushFn, "push");
        check(completeFn, "complete");
        check(cancelFn, "cancel");
        return new Template<>(startFn, pushFn, completeFn, cancelFn);
    }

    private static void check(final Object function, final String name) throws MPIException {
        if (function == null) {
            throw ErrorHandling.error(Constants.ERR_ARG, "function is null: name=" + name);
        }
    }

    /**
     * A kind of generalized requests. Immutable.
     *
     * @param <S> their state
     */
    public static final class Template<S> {
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

        /** Makes a request that can be started again and again. */
        public Prequest init(final S state) throws MPIException {
            final Rank rank = ErrorHandling.callingRank(startFn);
            try {
                return new Prequest(rank.generalized(new Work(state)), Bindings.of(rank).world());
            } catch (final MpiFailure e) {
                throw ErrorHandling.on(Bindings.of(rank).world(), e);
            }
        }

        /** Makes a request and starts it. */
        public Request start(final S state) throws MPIException {
            final Rank rank = ErrorHandling.callingRank(startFn);
            try {
                final GeneralizedRequest made = rank.generalized(new Work(state));
                made.start();
                return new Request(made, Bindings.of(rank).world());
            } catch (final MpiFailure e) {
                throw ErrorHandling.on(Bindings.of(rank).world(), e);
            }
        }

        /** What the functions do with a state. */
        private final class Work implements GrequestFunctions {
            private final S state;

            Work(final S state) {
                this.state = state;
            }

            @Override
            public void start() throws Exception {
                call(() -> {
                    startFn.start(state);
                    return null;
                });
            }

            @Override
            public boolean push() throws Exception {
                return call(() -> pushFn.push(state));
            }

            @Override
            public tutti.runtime.request.Status complete(final boolean cancelled) throws Exception {
                final Status status = new Status(new tutti.runtime.request.Status(tutti.runtime.request.Status.ANY,
                    tutti.runtime.request.Status.ANY, 0, cancelled));
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
