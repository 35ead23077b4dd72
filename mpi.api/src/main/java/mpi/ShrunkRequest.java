package mpi;

import tutti.runtime.comm.ShrinkRequest;
import tutti.runtime.model.MpiFailure;

/** The request of a communicator that is shrunk, which stores the result in the program's array. For use by one thread at a time. */
final class ShrunkRequest extends Request {
    private final ShrinkRequest shrinking;
    private final Comm from;
    private final Comm[] made;

    ShrunkRequest(final ShrinkRequest shrinking, final Comm from, final Comm[] made) {
        super(shrinking, from);
        this.shrinking = shrinking;
        this.from = from;
        this.made = made;
    }

    @Override
    void completed() {
        try {
            shrinking.test();
        } catch (final MpiFailure e) {
            return;
        }
        if (made[0] == null) {
            made[0] = from.inheritErrhandler(from.shrunk(shrinking.communicator()));
        }
    }
}
