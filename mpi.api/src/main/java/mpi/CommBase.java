package mpi;

import tutti.runtime.comm.Communicator;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.request.PersistentRequest;

/** The common base of the calls of {@link Comm}: the runtime's communicator and the error handler. */
abstract class CommBase {
    final Communicator handle;
    /** The error handler; a communicator that is created from others inherits that of the first. */
    volatile Errhandler errhandler = Errhandler.FATAL;

    CommBase(final Communicator handle) {
        this.handle = handle;
    }

    /** Throws outside of Init and Finalize, and on the null communicator. */
    final void checkUsable() throws MPIException {
        InitState.check(handle.owner());
        try {
            handle.checkUsable();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Converts the runtime's failure to the error of a call on this communicator; errors of a null communicator are raised on COMM_WORLD. */
    final MPIException raise(final MpiFailure failure) {
        return ErrorHandling.on(failure.errorClass() == ErrorClass.COMM && handle.isNull() ? Bindings.of(handle.owner()).world() : this, failure);
    }

    /** Creates the error of a call on this communicator. */
    final MPIException raise(final int errorClass, final String message) {
        return ErrorHandling.on(this, errorClass, message, null);
    }

    /** Wraps a pending operation on this communicator. */
    final Request request(final tutti.runtime.request.Request started) {
        return new Request(started, this);
    }

    /** Wraps a persistent operation on this communicator. */
    final Prequest persistent(final PersistentRequest made) {
        return new Prequest(made, this);
    }
}
