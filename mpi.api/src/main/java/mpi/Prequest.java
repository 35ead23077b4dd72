package mpi;

import tutti.runtime.error.MpiFailure;
import tutti.runtime.request.PersistentRequest;

/**
 * A request that is made once and started many times. Between its uses it is inactive: waiting for it returns at once with an empty status.
 * One thread at a time may use it.
 */
public final class Prequest extends Request {
    private PersistentRequest made;

    /** Inactive. */
    Prequest(final PersistentRequest made, final CommBase comm) {
        super(null, comm);
        this.made = made;
    }

    /** Starts it; it must be inactive. */
    public void start() throws MPIException {
        if (made == null) {
            throw raise(Constant.ERR_REQUEST, "request is null: it was freed");
        }
        if (isActive()) {
            throw raise(Constant.ERR_REQUEST, "persistent request is active: wait for it before it is started again");
        }
        try {
            made.start();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
        activate(made);
    }

    /** Starts all of them. */
    public static void startAll(final Prequest[] requests) throws MPIException {
        if (requests == null) {
            throw Errors.error(Constant.ERR_REQUEST, "array of requests is null");
        }
        for (int i = 0; i < requests.length; i++) {
            if (requests[i] == null) {
                throw Errors.error(Constant.ERR_REQUEST, "request missing in array: index=" + i);
            }
            requests[i].start();
        }
    }

    /** Lets go of it; what is under way goes on. */
    @Override
    public void free() throws MPIException {
        if (made == null) {
            throw raise(Constant.ERR_REQUEST, "request is null: it was freed");
        }
        made.free();
        made = null;
        activate(null);
    }

    @Override
    boolean isMade() {
        return made != null;
    }
}
