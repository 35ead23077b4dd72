package mpi;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tutti.runtime.error.MpiFailure;

/**
 * Something that is under way: a message or a collective operation.
 *
 * <p>The wait or test that finds it complete makes it the null request, for which {@link #isNull} holds: waiting for such a one returns at
 * once, and calls with arrays pass it over. One thread at a time may use a request.
 *
 * <p>In a try-with-resources statement a request is waited for, and a persistent one is freed. Not in Open MPI's bindings.
 */
public class Request implements Freeable, AutoCloseable {
    static final Request NULL = new Request(null, null);

    private final CommBase comm;
    private tutti.runtime.request.Request handle;
    private RequestStage stage;

    /** What is under way on a communicator; both are null for the null request. */
    Request(final tutti.runtime.request.Request handle, final CommBase comm) {
        this.handle = handle;
        this.comm = comm;
    }

    final MPIException raise(final MpiFailure failure) {
        return comm == null ? ErrorHandling.error(failure) : comm.raise(failure);
    }

    final MPIException raise(final int errorClass, final String message) {
        return comm == null ? ErrorHandling.error(errorClass, message) : comm.raise(errorClass, message);
    }

    /** Lets go of the request; what is under way goes on, and cannot be waited for any more. A generalized request is waited for. */
    @Override
    public void free() throws MPIException {
        final tutti.runtime.request.Request r = active();
        handle = null;
        free(r);
    }

    final void free(final tutti.runtime.request.Request r) throws MPIException {
        try {
            r.free();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Waits until it is complete, unless it is null. Not in Open MPI's bindings. */
    @Override
    public void close() throws MPIException {
        waitFor();
    }

    /**
     * Tries to cancel it: a receive that has no message yet is, and a send within a node that nobody received or stored; a generalized request
     * as its program says. It must still be waited for, and its status says whether it was.
     */
    public final void cancel() throws MPIException {
        active().cancel();
    }

    /**
     * Has the request waited for by a stage, which completes with the status, or with the {@code MPIException} of the request. Before that the
     * request becomes null, or inactive, as by {@link #waitStatus}; until then it may be cancelled, but not waited for or tested. What
     * depends on the stage runs on a thread of the rank that asked for it, one action after the other, its asynchronous actions too. Not
     * in Open MPI's bindings.
     *
     * @return the same one until the request is complete
     */
    public final CompletionStage<Status> toCompletionStage() throws MPIException {
        final tutti.runtime.request.Request r = handle;
        if (r == null) {
            return CompletableFuture.completedFuture(complete(Constants.UNDEFINED));
        }
        final RequestStage known = stage;
        if (known != null) {
            return known;
        }
        final RequestStage made = new RequestStage(comm.handle.owner().executor());
        stage = made;
        r.whenDone(() -> made.take(this));
        return made;
    }

    /** Whether it is the null request. */
    public final boolean isNull() {
        return handle == null && !isMade();
    }

    /** Whether it stays when it is complete, to be started again. */
    boolean isMade() {
        return false;
    }

    final boolean isActive() {
        return handle != null;
    }

    /** What is under way from now on; null when nothing is. */
    final void activate(final tutti.runtime.request.Request started) {
        handle = started;
    }

    private tutti.runtime.request.Request active() throws MPIException {
        final tutti.runtime.request.Request r = handle;
        if (r == null) {
            throw raise(Constants.ERR_REQUEST, "request is null: it is complete, was freed or is MPI.REQUEST_NULL");
        }
        return r;
    }

    /** Waits until it is complete. */
    public final Status waitStatus() throws MPIException {
        return complete(Constants.UNDEFINED);
    }

    /** As {@link #waitStatus}, for who needs no status. */
    public final void waitFor() throws MPIException {
        try {
            finish();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private void finish() {
        final tutti.runtime.request.Request r = handle;
        if (r != null) {
            try {
                r.await();
            } finally {
                release(r);
            }
        }
    }

    /** The status when it is complete, else null. */
    public final Status testStatus() throws MPIException {
        return isReady() ? waitStatus() : null;
    }

    /** As {@link #testStatus}, but a complete request stays as it is. */
    public final Status getStatus() throws MPIException {
        final tutti.runtime.request.Request r = handle;
        try {
            return r == null ? waitStatus() : r.test() ? new Status(r.status()) : null;
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Whether it is complete. */
    public final boolean test() throws MPIException {
        final boolean ready = isReady();
        if (ready) {
            waitFor();
        }
        return ready;
    }

    /** Waits for one of the active requests; without any its index is {@code MPI.UNDEFINED}. */
    public static Status waitAnyStatus(final Request[] requests) throws MPIException {
        return completeAt(requests, awaitAny(requests));
    }

    private static int awaitAny(final Request[] requests) throws MPIException {
        final tutti.runtime.request.Request[] handles = handles(requests);
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

    /** As {@link #waitAnyStatus}: the index of the request, {@code MPI.UNDEFINED} without an active one. */
    public static int waitAny(final Request[] requests) throws MPIException {
        return waitAnyStatus(requests).getIndex();
    }

    /** The status of one of the active requests that is complete, else null; without an active one its index is {@code MPI.UNDEFINED}. */
    public static Status testAnyStatus(final Request[] requests) throws MPIException {
        final tutti.runtime.request.Request[] handles = handles(requests);
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

    /** As {@link #testAnyStatus}: the index of the request, {@code MPI.UNDEFINED} when none is complete. */
    public static int testAny(final Request[] requests) throws MPIException {
        final Status status = testAnyStatus(requests);
        return status == null ? Constants.UNDEFINED : status.getIndex();
    }

    /**
     * Waits for all requests, even when some fail.
     *
     * @throws MPIException of class {@code ERR_IN_STATUS} when some fail; the cause says why the first of them did, {@link MPIException#getStatuses}
     *     which did
     */
    public static Status[] waitAllStatus(final Request[] requests) throws MPIException {
        handles(requests);
        final Status[] statuses = new Status[requests.length];
        final RequestErrors errors = new RequestErrors();
        for (int i = 0; i < requests.length; i++) {
            statuses[i] = requests[i].finish(i, errors);
        }
        errors.raise(statuses);
        return statuses;
    }

    /** As {@link #waitAllStatus}, for who needs no status. */
    public static void waitAll(final Request[] requests) throws MPIException {
        waitAllStatus(requests);
    }

    /** The status of every request when all are complete, else null, and then all stay as they are. */
    public static Status[] testAllStatus(final Request[] requests) throws MPIException {
        return areReady(requests) ? waitAllStatus(requests) : null;
    }

    /** Whether all are complete; when not, all stay as they are. */
    public static boolean testAll(final Request[] requests) throws MPIException {
        final boolean ready = areReady(requests);
        if (ready) {
            waitAll(requests);
        }
        return ready;
    }

    /** Waits for one of the active requests, and gives the statuses of all that are complete then; null without an active request. */
    public static Status[] waitSomeStatus(final Request[] requests) throws MPIException {
        return awaitAny(requests) < 0 ? null : testSomeStatus(requests);
    }

    /** As {@link #waitSomeStatus}: the indices of the requests. */
    public static int[] waitSome(final Request[] requests) throws MPIException {
        return indices(waitSomeStatus(requests));
    }

    /** The statuses of all active requests that are complete, maybe none; null without an active request. */
    public static Status[] testSomeStatus(final Request[] requests) throws MPIException {
        final tutti.runtime.request.Request[] handles = handles(requests);
        final List<Status> statuses = new ArrayList<>();
        final RequestErrors errors = new RequestErrors();
        boolean hasActive = false;
        for (int i = 0; i < handles.length; i++) {
            if (handles[i] != null) {
                hasActive = true;
                if (requests[i].isReady()) {
                    statuses.add(requests[i].finish(i, errors));
                }
            }
        }
        errors.raise(statuses.toArray(new Status[0]));
        return hasActive ? statuses.toArray(new Status[0]) : null;
    }

    /** As {@link #testSomeStatus}: the indices of the requests. */
    public static int[] testSome(final Request[] requests) throws MPIException {
        return indices(testSomeStatus(requests));
    }

    private static int[] indices(final Status[] statuses) {
        if (statuses == null) {
            return null;
        }
        final int[] indices = new int[statuses.length];
        for (int i = 0; i < indices.length; i++) {
            indices[i] = statuses[i].getIndex();
        }
        return indices;
    }

    private static tutti.runtime.request.Request[] handles(final Request[] requests) throws MPIException {
        if (requests == null) {
            throw ErrorHandling.error(Constants.ERR_REQUEST, "array of requests is null");
        }
        final tutti.runtime.request.Request[] handles = new tutti.runtime.request.Request[requests.length];
        for (int i = 0; i < handles.length; i++) {
            if (requests[i] == null) {
                throw ErrorHandling.error(Constants.ERR_REQUEST, "request missing in array: index=" + i + ", use MPI.REQUEST_NULL");
            }
            handles[i] = requests[i].handle;
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

    /** Whether waiting would return at once, with an error or without. */
    private boolean isReady() {
        final tutti.runtime.request.Request r = handle;
        try {
            return r == null || r.test();
        } catch (final MpiFailure e) {
            // it failed, and waiting says so again
            return true;
        }
    }

    private static Status completeAt(final Request[] requests, final int index) throws MPIException {
        return index < 0 ? NULL.complete(Constants.UNDEFINED) : requests[index].complete(index);
    }

    private Status complete(final int index) throws MPIException {
        try {
            return finish(index);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private Status finish(final int index) {
        final tutti.runtime.request.Request r = handle;
        if (r == null) {
            return new Status(tutti.runtime.request.Status.EMPTY, index);
        }
        try {
            return new Status(r.waitFor(), index);
        } finally {
            release(r);
        }
    }

    /** Lets go of what is complete; a call that was refused before changes nothing. */
    private void release(final tutti.runtime.request.Request waitedFor) {
        if (waitedFor.isDone()) {
            handle = null;
            stage = null;
        }
    }

    /** As {@link #finish(int)}; a failure goes to the errors of the call. */
    private Status finish(final int index, final RequestErrors errors) {
        final tutti.runtime.request.Request r = handle;
        try {
            return finish(index);
        } catch (final MpiFailure e) {
            errors.add(index, comm, e);
            return new Status(failedStatus(r), index, e.errorClass().code());
        }
    }

    private static tutti.runtime.request.Status failedStatus(final tutti.runtime.request.Request failed) {
        try {
            return failed.status();
        } catch (final MpiFailure e) {
            return tutti.runtime.request.Status.EMPTY;
        }
    }
}
