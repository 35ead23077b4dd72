package tutti.runtime.comm;

import tutti.runtime.context.CommContext;
import tutti.runtime.context.CommFaults;
import tutti.runtime.fault.RankSet;
import tutti.runtime.fault.Vote;
import tutti.runtime.inspect.PendingWait;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;

/** The request of an agreement on a flag. */
public final class AgreementRequest extends Request {
    private final CommContext comm;
    private final PendingWait.Kind kind;
    private int flag;
    private RankSet failed = RankSet.none();

    private AgreementRequest(final CommContext comm, final PendingWait.Kind kind) {
        super(comm.owner().lifecycle());
        this.comm = comm;
        this.kind = kind;
    }

    /** Begins an agreement that fails where a rank has failed that not all have acknowledged. */
    static AgreementRequest start(final CommContext comm, final int flag) {
        final AgreementRequest request = new AgreementRequest(comm, PendingWait.Kind.AGREEMENT);
        comm.faults().agree(CommFaults.PROGRAM, flag, outcome -> request.decided(outcome, false));
        return request;
    }

    /**
     * Begins an agreement that does not fail because of ranks that have failed.
     *
     * @param sequence number of its sequence; see {@link CommFaults#agree}
     * @param kind     what it serves
     */
    static AgreementRequest startOfAny(final CommContext comm, final int sequence, final int flag, final PendingWait.Kind kind) {
        final AgreementRequest request = new AgreementRequest(comm, kind);
        comm.faults().agree(sequence, flag, outcome -> request.decided(outcome, true));
        return request;
    }

    private void decided(final Vote outcome, final boolean ofAny) {
        flag = outcome.flag();
        failed = outcome.failed();
        final RankSet unknown = failed.minus(outcome.acknowledged());
        // Cause: a rank has failed before or during `agree`, and not all ranks have acknowledged that. Remedy: `ackFailed`, or `shrink`.
        finish(ofAny || unknown.isEmpty() ? null
            : MpiFailure.ofLoss("a rank has failed that not all have acknowledged: rank of COMM_WORLD="
                + comm.all().worldRank(unknown.toArray()[0]) + ", comm=" + comm.name()));
    }

    /** Returns the flag that was agreed on. Only when the request is complete, also when it failed with class PROC_FAILED. */
    public int flag() {
        return flag;
    }

    /** Returns the indices, among all ranks of the communicator, of those that have failed, when the request is complete. */
    RankSet failed() {
        return failed;
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }

    @Override
    public Pending pendingOperation() {
        return Pending.ofAll(kind, comm.id(), -1);
    }
}
