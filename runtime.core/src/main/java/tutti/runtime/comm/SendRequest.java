package tutti.runtime.comm;

import tutti.runtime.match.Cancel;
import tutti.runtime.match.Mailbox;
import tutti.runtime.match.Op;
import tutti.runtime.match.Send;
import tutti.runtime.match.Serial;
import tutti.runtime.match.Sink;
import tutti.runtime.request.Life;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Status;
import tutti.runtime.schedule.Usage;

/** A send that is waited for. Prepared once, it can be started again when it is complete. */
final class SendRequest extends PersistentRequest implements Sink {
    private static final Status CANCELLED = new Status(Status.ANY, Status.ANY, 0, true);

    private final Send send = new Send();
    private Side side;
    /** Messages under way on the communicator; null when the call waits, as nobody disconnects that meanwhile. */
    private Usage messages;
    /** Of the communicator's context; null unless it lasts until this is freed. */
    private Usage kept;
    private Serial target;
    private int worldRank;
    private SendMode mode;
    private SendBuffer buffer;

    SendRequest(final Life life) {
        super(life);
    }

    /** Says what is sent where. */
    void prepare(final Communicator comm, final int context, final SendMode how, final Side from, final int dest, final int tag) {
        side = from;
        mode = how;
        target = comm.target(dest);
        worldRank = comm.worldRank(dest);
        buffer = comm.owner().sendBuffer();
        send.envelope(context, comm.rank(), tag, from.bytes());
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
        side.reload();
        startLoaded();
    }

    /** As {@link #start}, for the first time. */
    void startFirst() {
        side.load();
        startLoaded();
    }

    private void startLoaded() {
        reset();
        if (mode == SendMode.BUFFERED) {
            buffer.send(send, side.memory(), target, worldRank);
            finish(null);
        } else {
            if (messages != null) {
                messages.hold();
            }
            send.message(side.memory(), 0, worldRank, mode == SendMode.SYNCHRONOUS);
            send.arm(this, null, 0);
            target.submit(send);
        }
    }

    /** Forgets the caller's memory, so that an idle object pins nothing. */
    void forget() {
        side = null;
    }

    @Override
    public void completed(final Op op) {
        send.release();
        final Usage mine = messages;
        finish(op.failure());
        if (mine != null) {
            mine.letGo();
        }
    }

    @Override
    public void cancel() {
        // one on its way to another node, or copied, goes on
        if (target instanceof Mailbox here && !isDone()) {
            here.submit(new Cancel(send));
        }
    }

    @Override
    public Status status() {
        return send.isCancelled() ? CANCELLED : Status.EMPTY;
    }
}
