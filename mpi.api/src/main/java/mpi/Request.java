package mpi;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;

/**
 * A pending operation: a message or a collective operation.
 *
 * <p>The wait or test that finds the operation complete makes the request null, so that {@link #isNull} returns true. Waiting for a null request
 * returns at once, freeing it does nothing, and calls with arrays ignore it. A request stays active if a wait or test fails with class {@code
 * MPI.ERR_PROC_FAILED_PENDING}. For use by one thread at a time.
 *
 * <p>A try-with-resources statement waits for a request, and frees a persistent one. Not in Open MPI's bindings.
 */
public class Request implements Freeable, AutoCloseable {
    static final Request NULL = new Request(null, null);

    private final @Nullable Comm comm;
    /** The pending operation; null if there is none. */
    private tutti.runtime.request.@Nullable Request handle;
    /** Whether the program was told of a failure of class {@code ERR_PROC_FAILED_PENDING}, and has not waited since. */
    private boolean suspended;
    private @Nullable RequestStage stage;

    /** Creates the request of a pending operation on a communicator; both are null for the null request. */
    Request(final tutti.runtime.request.@Nullable Request handle, final @Nullable Comm comm) {
        this.handle = handle;
        this.comm = comm;
    }

    final MPIException raise(final MpiFailure failure) {
        return comm == null ? ErrorHandling.error(failure) : comm.raise(failure);
    }

    final MPIException raise(final int errorClass, final String message) {
        return comm == null ? ErrorHandling.error(errorClass, message) : comm.raise(errorClass, message);
    }

    /**
     * Frees the request and makes it null: the operation completes and can no longer be waited for. Waits for a generalized request that has a push
     * function. Does nothing if the request is null, as after a wait for it.
     */
    @Override
    public void free() throws MPIException {
        final tutti.runtime.request.Request r = handle;
        if (r != null) {
            handle = null;
            stage = null;
            free(r);
        }
    }

    final void free(final tutti.runtime.request.Request r) throws MPIException {
        try {
            r.free();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Waits until the request is complete, unless it is null. Not in Open MPI's bindings. */
    @Override
    public void close() throws MPIException {
        waitFor();
    }

    /**
     * Tries to cancel the operation. Cancelled are receives that no message has matched, sends that no receive has matched and that are not
     * complete, buffered sends whose message still takes space of the attached buffer, and generalized requests as their program defines. The
     * request must still be waited for; its status says whether it was cancelled. Does nothing if a message or a collective operation is complete,
     * or a persistent request is inactive; a null request is an error.
     */
    public final void cancel() throws MPIException {
        final tutti.runtime.request.Request r = active();
        if (r != null) {
            try {
                r.cancel();
            } catch (final MpiFailure e) {
                throw raise(e);
            }
        } else if (isNull()) {
            // Remedy: test with `isNull`.
            throw raise(MPI.ERR_REQUEST, "request is null: it is complete, was freed or is MPI.REQUEST_NULL");
        }
    }

    /**
     * Returns a stage that completes with the status, or with the {@code MPIException}, of this request. When the operation is complete the
     * request becomes null or inactive, as by {@link #waitStatus}, before the stage completes. Until then it may be cancelled, but not waited for
     * or tested. Dependent actions run on a thread of the rank that called, one after the other, including asynchronous ones. Not in Open MPI's
     * bindings.
     *
     * @return the stage; the same one until the request is complete
     */
    public final CompletionStage<Status> toCompletionStage() throws MPIException {
        final tutti.runtime.request.Request r = active();
        if (r == null) {
            return CompletableFuture.completedFuture(complete(MPI.UNDEFINED));
        }
        final RequestStage known = stage;
        if (known != null) {
            return known;
        }
        final Comm on = Objects.requireNonNull(comm, "a pending operation is on a communicator");
        final RequestStage made = new RequestStage(on.handle.owner().executor());
        stage = made;
        r.whenDone(() -> made.completeFrom(this));
        return made;
    }

    /** Returns whether this is the null request. */
    public final boolean isNull() {
        return handle == null && !isPersistent();
    }

    /** Returns whether the request stays valid when it is complete, to be started again. */
    boolean isPersistent() {
        return false;
    }

    final boolean isActive() {
        return handle != null;
    }

    /** Sets the pending operation; null if there is none. */
    final void activate(final tutti.runtime.request.@Nullable Request started) {
        handle = started;
    }

    /**
     * Waits until the request is complete.
     *
     * @return the status of the operation
     */
    public final Status waitStatus() throws MPIException {
        return complete(MPI.UNDEFINED);
    }

    /** Waits until the request is complete. */
    public final void waitFor() throws MPIException {
        try {
            finish();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private void finish() {
        final tutti.runtime.request.Request r = active();
        if (r != null) {
            try {
                r.await();
            } finally {
                release(r);
            }
        }
    }

    /**
     * Tests whether the request is complete.
     *
     * @return the status if it is complete, else null
     */
    public final @Nullable Status testStatus() throws MPIException {
        return isReady() ? waitStatus() : null;
    }

    /**
     * Tests whether the request is complete, without making it null or inactive.
     *
     * @return the status if it is complete, else null
     */
    public final @Nullable Status getStatus() throws MPIException {
        return look(MPI.UNDEFINED);
    }

    private @Nullable Status look(final int index) throws MPIException {
        try {
            return seen(index);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Returns the status of a request that is complete, null or inactive; null for others. Leaves the request as it is. */
    private @Nullable Status seen(final int index) {
        final tutti.runtime.request.Request r = active();
        if (r == null) {
            return new Status(tutti.runtime.model.Status.EMPTY, index);
        }
        try {
            return r.test() ? new Status(r.status(), index) : null;
        } finally {
            if (r.isDone()) {
                suspended = r.isSuspended();
                completed();
            }
        }
    }

    /** Returns whether the request is complete; if it is, it becomes null or inactive. */
    public final boolean test() throws MPIException {
        final boolean ready = isReady();
        if (ready) {
            waitFor();
        }
        return ready;
    }

    /**
     * Waits until one of the active requests is complete.
     *
     * @return the status of that request; its index is {@code MPI.UNDEFINED} if no request is active
     */
    public static Status waitAnyStatus(final Request[] requests) throws MPIException {
        return completeAt(requests, awaitAny(requests));
    }

    private static int awaitAny(final Request[] requests) throws MPIException {
        final tutti.runtime.request.@Nullable Request[] handles = handles(requests);
        try {
            return tutti.runtime.request.Request.waitAny(handles);
        } catch (final MpiFailure e) {
            throw firstActive(requests).raise(e);
        }
    }

    private static Request firstActive(final Request[] requests) {
        for (final Request r : requests) {
            if (r.isActive()) {
                return r;
            }
        }
        return NULL;
    }

    /**
     * Waits until one of the active requests is complete.
     *
     * @return the index of that request; {@code MPI.UNDEFINED} if no request is active
     */
    public static int waitAny(final Request[] requests) throws MPIException {
        return waitAnyStatus(requests).getIndex();
    }

    /**
     * Tests whether one of the active requests is complete.
     *
     * @return the status of a request that is complete, else null; if no request is active, a status with index {@code MPI.UNDEFINED}
     */
    public static @Nullable Status testAnyStatus(final Request[] requests) throws MPIException {
        final tutti.runtime.request.@Nullable Request[] handles = handles(requests);
        boolean hasActive = false;
        for (int i = 0; i < handles.length; i++) {
            if (handles[i] != null) {
                hasActive = true;
                if (requests[i].isReady()) {
                    return requests[i].complete(i);
                }
            }
        }
        return hasActive ? null : completeAt(requests, -1);
    }

    /**
     * Tests whether one of the active requests is complete.
     *
     * @return the index of a request that is complete; {@code MPI.UNDEFINED} if there is none
     */
    public static int testAny(final Request[] requests) throws MPIException {
        final Status status = testAnyStatus(requests);
        return status == null ? MPI.UNDEFINED : status.getIndex();
    }

    /**
     * Tests whether one of the active requests is complete, without making it null or inactive. Not in Open MPI's bindings.
     *
     * @return the status of a request that is complete, else null; if no request is active, a status with index {@code MPI.UNDEFINED}
     */
    public static @Nullable Status getStatusAny(final Request[] requests) throws MPIException {
        final tutti.runtime.request.@Nullable Request[] handles = handles(requests);
        boolean hasActive = false;
        for (int i = 0; i < handles.length; i++) {
            if (handles[i] != null) {
                hasActive = true;
                final Status status = requests[i].look(i);
                if (status != null) {
                    return status;
                }
            }
        }
        return hasActive ? null : NULL.look(MPI.UNDEFINED);
    }

    /**
     * Tests whether all requests are complete, without making them null or inactive. Fails as {@link #waitAllStatus} does. Not in Open MPI's
     * bindings.
     *
     * @return the statuses if all are complete, else null
     */
    public static Status @Nullable [] getStatusAll(final Request[] requests) throws MPIException {
        if (!areReady(requests)) {
            return null;
        }
        final Status[] statuses = new Status[requests.length];
        final RequestErrors errors = new RequestErrors();
        for (int i = 0; i < requests.length; i++) {
            statuses[i] = requests[i].seen(i, errors);
        }
        errors.raise(statuses, statuses.length);
        return statuses;
    }

    /**
     * Tests which of the active requests are complete, without making them null or inactive. Fails as {@link #waitAllStatus} does. Not in Open MPI's
     * bindings.
     *
     * @return the statuses of the requests that are complete, possibly none; null if no request is active
     */
    public static Status @Nullable [] getStatusSome(final Request[] requests) throws MPIException {
        return some(requests, Request::seen);
    }

    /**
     * Waits until all requests are complete, even if some fail.
     *
     * @throws MPIException of class {@code ERR_IN_STATUS} if some fail; the cause is the error of the first of them, and
     *       {@link MPIException#getStatuses} returns the statuses
     */
    public static Status[] waitAllStatus(final Request[] requests) throws MPIException {
        handles(requests);
        final Status[] statuses = new Status[requests.length];
        final RequestErrors errors = new RequestErrors();
        int done = 0;
        try {
            for (; done < requests.length; done++) {
                statuses[done] = requests[done].finish(done, errors);
            }
        } finally {
            // also when the rank is ended while it waits: what has failed before may be why
            errors.raise(statuses, done);
        }
        return statuses;
    }

    /** Waits until all requests are complete, as {@link #waitAllStatus} does. */
    public static void waitAll(final Request[] requests) throws MPIException {
        waitAllStatus(requests);
    }

    /**
     * Tests whether all requests are complete.
     *
     * @return the statuses if all are complete; else null, and no request changes
     */
    public static Status @Nullable [] testAllStatus(final Request[] requests) throws MPIException {
        return areReady(requests) ? waitAllStatus(requests) : null;
    }

    /** Returns whether all requests are complete; if not, no request changes. */
    public static boolean testAll(final Request[] requests) throws MPIException {
        final boolean ready = areReady(requests);
        if (ready) {
            waitAll(requests);
        }
        return ready;
    }

    /**
     * Waits until at least one of the active requests is complete.
     *
     * @return the statuses of all active requests that are complete then; null if no request is active
     */
    public static Status @Nullable [] waitSomeStatus(final Request[] requests) throws MPIException {
        return awaitAny(requests) < 0 ? null : testSomeStatus(requests);
    }

    /**
     * Waits until at least one of the active requests is complete.
     *
     * @return the indices of all active requests that are complete then; null if no request is active
     */
    public static int @Nullable [] waitSome(final Request[] requests) throws MPIException {
        return indices(waitSomeStatus(requests));
    }

    /**
     * Tests which of the active requests are complete.
     *
     * @return the statuses of the requests that are complete, possibly none; null if no request is active
     */
    public static Status @Nullable [] testSomeStatus(final Request[] requests) throws MPIException {
        return some(requests, Request::finish);
    }

    /** Returns the status of a complete request at an index; a failure is added to the errors of the call. */
    @FunctionalInterface
    private interface Completion {
        Status status(Request request, int index, RequestErrors errors);
    }

    private static Status @Nullable [] some(final Request[] requests, final Completion completion) throws MPIException {
        final tutti.runtime.request.@Nullable Request[] handles = handles(requests);
        final List<Status> statuses = new ArrayList<>();
        final RequestErrors errors = new RequestErrors();
        boolean hasActive = false;
        for (int i = 0; i < handles.length; i++) {
            if (handles[i] != null) {
                hasActive = true;
                if (requests[i].isReady()) {
                    statuses.add(completion.status(requests[i], i, errors));
                }
            }
        }
        final Status[] found = statuses.toArray(new Status[0]);
        errors.raise(found, found.length);
        return hasActive ? found : null;
    }

    /**
     * Tests which of the active requests are complete.
     *
     * @return the indices of the requests that are complete, possibly none; null if no request is active
     */
    public static int @Nullable [] testSome(final Request[] requests) throws MPIException {
        return indices(testSomeStatus(requests));
    }

    private static int @Nullable [] indices(final Status @Nullable [] statuses) {
        if (statuses == null) {
            return null;
        }
        final int[] indices = new int[statuses.length];
        for (int i = 0; i < indices.length; i++) {
            indices[i] = statuses[i].getIndex();
        }
        return indices;
    }

    private static tutti.runtime.request.@Nullable Request[] handles(final Request[] requests) throws MPIException {
        if (requests == null) {
            throw ErrorHandling.error(MPI.ERR_REQUEST, "array of requests is null");
        }
        final tutti.runtime.request.@Nullable Request[] handles = new tutti.runtime.request.Request[requests.length];
        for (int i = 0; i < handles.length; i++) {
            if (requests[i] == null) {
                throw ErrorHandling.error(MPI.ERR_REQUEST, "request missing in array: index=" + i + ", use MPI.REQUEST_NULL");
            }
            handles[i] = requests[i].active();
        }
        return handles;
    }

    private static boolean areReady(final Request[] requests) throws MPIException {
        handles(requests);
        for (final Request r : requests) {
            if (!r.isReady()) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether waiting would return at once, with or without an error. */
    private boolean isReady() {
        final tutti.runtime.request.Request r = active();
        try {
            return r == null || r.test();
        } catch (final MpiFailure e) {
            // the request failed, and waiting for it throws the error again
            return true;
        }
    }

    private static Status completeAt(final Request[] requests, final int index) throws MPIException {
        return index < 0 ? NULL.complete(MPI.UNDEFINED) : requests[index].complete(index);
    }

    private Status complete(final int index) throws MPIException {
        try {
            return finish(index);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private Status finish(final int index) {
        final tutti.runtime.request.Request r = active();
        return r == null ? new Status(tutti.runtime.model.Status.EMPTY, index) : finish(r, index);
    }

    private Status finish(final tutti.runtime.request.Request r, final int index) {
        try {
            return new Status(r.waitFor(), index);
        } finally {
            release(r);
        }
    }

    /** Makes a complete request null or inactive; a request whose wait was refused does not change. */
    private void release(final tutti.runtime.request.Request waitedFor) {
        if (waitedFor.isDone() && waitedFor.isSuspended()) {
            suspended = true;
            stage = null;
        } else if (waitedFor.isDone()) {
            handle = null;
            stage = null;
            completed();
        }
    }

    /** Stores results of the operation, which is complete, for the program. Called before the call that finds it complete returns or fails. */
    void completed() {
        // those of most operations are in buffers of the program
    }

    /** Completes the request as {@link #finish(int)} does; a failure is added to the errors of the call. */
    private Status finish(final int index, final RequestErrors errors) {
        final tutti.runtime.request.Request r = active();
        try {
            return finish(index);
        } catch (final MpiFailure e) {
            return failed(Objects.requireNonNull(r, "request that has failed"), index, e, errors);
        }
    }

    /** Returns the status as {@link #seen(int)} does; a failure is added to the errors of the call. */
    private Status seen(final int index, final RequestErrors errors) {
        final tutti.runtime.request.Request r = active();
        try {
            return Objects.requireNonNull(seen(index), "status of a request that is complete");
        } catch (final MpiFailure e) {
            return failed(Objects.requireNonNull(r, "request that has failed"), index, e, errors);
        }
    }

    private Status failed(final tutti.runtime.request.Request r, final int index, final MpiFailure why, final RequestErrors errors) {
        errors.add(index, comm, why);
        return new Status(failedStatus(r), index, ErrorHandling.codeOf(why));
    }

    /** Returns the pending operation, which goes on if its failure was pending; null if there is none. */
    private tutti.runtime.request.@Nullable Request active() {
        final tutti.runtime.request.Request r = handle;
        if (suspended && r != null) {
            suspended = false;
            r.reopen();
        }
        return r;
    }

    private static tutti.runtime.model.Status failedStatus(final tutti.runtime.request.Request failed) {
        try {
            return failed.status();
        } catch (final MpiFailure e) {
            return tutti.runtime.model.Status.EMPTY;
        }
    }
}
