package tutti.runtime.comm;

import java.util.function.Consumer;
import tutti.runtime.datatype.Op;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;
import tutti.runtime.schedule.CallSignature;
import tutti.runtime.schedule.ScheduleExecution;

/** All ranks of a communicator tell each other which collective they call, before any takes part in it. Fails on all when two differ. */
final class CallConsistency extends Request implements ScheduleExecution.CompletionListener {
    private final Communicator comm;
    private final int number;
    private final int ranks;
    private final long[] calls;
    private Consumer<MpiFailure> next;

    /** {@code number} is equal on all ranks. */
    CallConsistency(final Communicator comm, final int number, final long call, final long reduced) {
        super(comm.owner().life());
        this.comm = comm;
        this.number = number;
        this.ranks = comm.all().size();
        this.calls = new long[2 * ranks];
        final int place = comm.all().rankOf(comm.owner().worldRank());
        calls[place] = call;
        calls[ranks + place] = reduced;
    }

    /** Starts it; {@code then}, when there is one, hears how it ended and has the rest to do. */
    Request start(final Consumer<MpiFailure> then) {
        next = then;
        comm.accord(ContextIds.CHECKS).combine(calls, Op.BOR, number, this);
        return this;
    }

    @Override
    public MpiFailure finished(final ScheduleExecution run, final MpiFailure failure) {
        return failure != null ? failure : verdict();
    }

    @Override
    public void afterwards(final ScheduleExecution run, final MpiFailure failure) {
        if (next != null) {
            next.accept(failure);
        }
        finish(failure);
    }

    private MpiFailure verdict() {
        int first = 0;
        for (int i = 1; i < ranks; i++) {
            if (calls[i] != calls[0]) {
                return differ(0, i);
            }
            // ranks of an intercommunicator that are of no importance do not say what is reduced
            final long reduced = calls[ranks + i];
            if (reduced != 0 && calls[ranks + first] == 0) {
                first = i;
            } else if (reduced != 0 && reduced != calls[ranks + first]) {
                return differ(first, i);
            }
        }
        return null;
    }

    private MpiFailure differ(final int one, final int other) {
        final long[] both = {calls[one], calls[other], calls[ranks + one], calls[ranks + other]};
        return CallSignature.differ(comm.name(), name(one), name(other), both);
    }

    private String name(final int place) {
        return comm.isInter() ? "rank " + comm.all().worldRank(place) + " of the job" : "rank " + place;
    }

    @Override
    public Status status() {
        return Status.EMPTY;
    }
}
