package mpi;

import tutti.runtime.comm.Communicator;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.request.PersistentRequest;

/** What all calls of {@link Comm} share: the runtime's communicator, and what becomes of an error. */
abstract class CommBase {
    final Communicator handle;
    /** What becomes of errors; a communicator that is made of others has that of the first. */
    volatile Errhandler errhandler = Errhandler.FATAL;

    CommBase(final Communicator handle) {
        this.handle = handle;
    }

    /** Refuses calls outside of Init and Finalize, and of what is no communicator. */
    final void checkUsable() throws MPIException {
        InitState.check(handle.owner());
        try {
            handle.checkUsable();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** The runtime's failure as the error of a call on this communicator; what is none is a case for COMM_WORLD. */
    final MPIException raise(final MpiFailure failure) {
        return ErrorHandling.on(failure.errorClass() == ErrorClass.COMM && handle.isNull() ? Bindings.of(handle.owner()).world() : this, failure);
    }

    /** An error of a call on this communicator. */
    final MPIException raise(final int errorClass, final String message) {
        return ErrorHandling.on(this, errorClass, message, null);
    }

    /** What is under way on this communicator as programs see it. */
    final Request request(final tutti.runtime.request.Request started) {
        return new Request(started, this);
    }

    /** What can be started on this communicator as programs see it. */
    final Prequest persistent(final PersistentRequest made) {
        return new Prequest(made, this);
    }
}
