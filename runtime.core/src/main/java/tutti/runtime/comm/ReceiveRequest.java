package tutti.runtime.comm;

import tutti.runtime.match.Arrival;
import tutti.runtime.match.Cancel;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Op;
import tutti.runtime.match.Receive;
import tutti.runtime.match.Sink;
import tutti.runtime.request.Life;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Status;
import tutti.runtime.schedule.Usage;

/** A receive that is waited for. Prepared once, it can be started again when it is complete. */
final class ReceiveRequest extends PersistentRequest implements Sink {
    private final Receive receive = new Receive();
    private Mailbox mailbox;
    private Side side;
    /** Messages under way on the communicator; null when the call waits, as nobody disconnects that meanwhile. */
    private Usage messages;
    /** Of the communicator's context; null unless it lasts until this is freed. */
    private Usage kept;

    ReceiveRequest(final Life life) {
        super(life);
    }

    /** Says what is received, and into what. */
    void prepare(final Communicator comm, final int context, final Side into, final int source, final int tag) {
        mailbox = comm.owner().mailbox();
        side = into;
        receive.want(context, source, tag);
    }

    /** As {@link #prepare(Communicator, int, Side, int, int)}, for a message that a probe took. */
    void prepare(final Communicator comm, final Side into, final Arrival taken) {
        mailbox = comm.owner().mailbox();
        side = into;
        receive.want(taken);
    }

    /** Counts as under way on the communicator while it is active. */
    void count(final Communicator comm) {
        messages = comm.underWay();
    }

    /** As {@link #count}, and keeps the communicator's context from being used again until this is freed. */
    void keep(final Communicator comm) {
        count(comm);
        kept = comm.engine().usage();
        kept.hold();
    }

    @Override
    public void free() {
        final Usage mine = kept;
        kept = null;
        if (mine != null) {
            mine.letGo();
        }
    }

    @Override
    public void start() {
        side.reread();
        startFirst();
    }

    /** As {@link #start}, for the first time. */
    void startFirst() {
        reset();
        if (messages != null) {
            messages.hold();
        }
        receive.into(side.memory(), 0, side.bytes());
        receive.arm(this, null, 0);
        mailbox.submit(receive);
    }

    /** Forgets the caller's memory, so that an idle object pins nothing. */
    void forget() {
        side = null;
    }

    @Override
    public void completed(final Op op) {
        receive.release();
        if (!side.isDirect() && !receive.isCancelled()) {
            side.store(receive.received());
        }
        final Usage mine = messages;
        finish(op.failure());
        if (mine != null) {
            mine.letGo();
        }
    }

    @Override
    public void cancel() {
        if (!isDone()) {
            mailbox.submit(new Cancel(receive));
        }
    }

    @Override
    public Status status() {
        return receive.isCancelled() ? new Status(Status.ANY, Status.ANY, 0, true)
            : new Status(receive.fromSource(), (int) receive.withTag(), receive.received(), false);
    }
}
