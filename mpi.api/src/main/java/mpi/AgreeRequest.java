package mpi;

import tutti.runtime.comm.AgreementRequest;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** The request of an agreement, which stores the result in the program's array. For use by one thread at a time. */
final class AgreeRequest extends Request {
    private final AgreementRequest agreement;
    private final int[] flag;

    AgreeRequest(final AgreementRequest agreement, final Comm comm, final int[] flag) {
        super(agreement, comm);
        this.agreement = agreement;
        this.flag = flag;
    }

    /** Sets the flag, unless the agreement failed without one. */
    @Override
    void completed() {
        try {
            agreement.test();
        } catch (final MpiFailure e) {
            if (e.errorClass() != ErrorClass.PROC_FAILED) {
                return;
            }
        }
        flag[0] = agreement.flag();
    }
}
