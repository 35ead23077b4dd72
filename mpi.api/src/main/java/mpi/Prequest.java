package mpi;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.request.PersistentRequest;

/**
 * A persistent request: created once and started many times. It is inactive when no operation is pending; waiting for an inactive request returns
 * at once with an empty status. For use by one thread at a time.
 */
public final class Prequest extends Request {
    /** The runtime's request; null when the request was freed. */
    private @Nullable PersistentRequest persistent;

    /** Creates an inactive request. */
    Prequest(final PersistentRequest persistent, final Comm comm) {
        super(null, comm);
        this.persistent = persistent;
    }

    /** Starts the request, which must be inactive. */
    public void start() throws MPIException {
        final PersistentRequest made = persistent;
        if (made == null || isActive()) {
            throw raise(MPI.ERR_REQUEST, problem());
        }
        try {
            made.start();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
        activate(made);
    }

    /** Starts all requests of an array; starts none if one of them cannot be started. */
    public static void startAll(final Prequest[] requests) throws MPIException {
        if (requests == null) {
            // Remedy: give it.
            throw ErrorHandling.error(MPI.ERR_REQUEST, "array of requests is null");
        }
        final Set<Prequest> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < requests.length; i++) {
            final Prequest r = requests[i];
            if (r == null) {
                // Cause: an entry is null. Remedy: `MPI.REQUEST_NULL`, except for `startAll`.
                throw ErrorHandling.error(MPI.ERR_REQUEST, "request missing in array: index=" + i);
            }
            if (!distinct.add(r)) {
                // Cause: it would be started twice. Remedy: leave out one.
                throw r.raise(MPI.ERR_REQUEST, "request is in the array twice: index=" + i);
            }
            if (r.persistent == null || r.isActive()) {
                throw r.raise(MPI.ERR_REQUEST, r.problem() + ": index=" + i);
            }
        }
        for (final Prequest r : requests) {
            r.start();
        }
    }

    /** Returns why a request that is null or active cannot be started. */
    private String problem() {
        // Cause: the request was freed, or it was started and is not complete. Remedy: wait for it; free it after its last use.
        return persistent == null ? "request is null: it was freed" : "persistent request is active: wait for it before it is started again";
    }

    /**
     * Frees the request and makes it null; a pending operation completes. Waits for a generalized request that is active. Does nothing if the
     * request is null.
     */
    @Override
    public void free() throws MPIException {
        final PersistentRequest freed = persistent;
        if (freed != null) {
            persistent = null;
            activate(null);
            free(freed);
        }
    }

    /** Waits until the request is complete, if it is active, and frees it. Not in Open MPI's bindings. */
    @Override
    public void close() throws MPIException {
        try {
            waitFor();
        } finally {
            free();
        }
    }

    @Override
    boolean isPersistent() {
        return persistent != null;
    }
}
