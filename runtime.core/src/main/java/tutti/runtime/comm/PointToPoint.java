package tutti.runtime.comm;

import tutti.runtime.datatype.Datatype;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.Probe;
import tutti.runtime.request.Life;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;

/** Messages between the ranks of a communicator. */
final class PointToPoint {
    private static final Status NO_PROCESS = new Status(Communicator.PROC_NULL, Communicator.ANY_TAG, 0, false);

    private final Communicator comm;
    private final Rank rank;
    private final Life life;

    PointToPoint(final Communicator comm) {
        this.comm = comm;
        this.rank = comm.owner();
        this.life = rank.life();
    }

    void send(final SendMode mode, final Object buffer, final long count, final Datatype type, final int dest, final int tag) {
        checkSend(dest, tag);
        if (dest == Communicator.PROC_NULL) {
            return;
        }
        if (mode == SendMode.BUFFERED) {
            // the message lives on after the call, so its request cannot be one that is used again
            start(new SendRequest(life), mode, buffer, count, type, dest, tag);
            return;
        }
        final Blocking mine = Blocking.of(life);
        final SendRequest request = mine.takeSend();
        start(request, mode, buffer, count, type, dest, tag);
        request.await();
        mine.giveSend(request);
    }

    Request isend(final SendMode mode, final Object buffer, final long count, final Datatype type, final int dest, final int tag) {
        checkSend(dest, tag);
        if (dest == Communicator.PROC_NULL) {
            return new Done(life, NO_PROCESS);
        }
        final SendRequest request = new SendRequest(life);
        start(request, mode, buffer, count, type, dest, tag);
        return request;
    }

    private void start(final SendRequest request, final SendMode mode, final Object buffer, final long count, final Datatype type,
                       final int dest, final int tag) {
        start(request, mode, Side.of(buffer, count, type), dest, tag);
    }

    private void start(final SendRequest request, final SendMode mode, final Side side, final int dest, final int tag) {
        side.load();
        request.send.envelope(comm.context() + Contexts.MESSAGES, comm.rank(), tag, side.bytes());
        if (mode == SendMode.BUFFERED) {
            request.bufferedFrom(side);
        } else {
            request.send.message(side.memory(), 0, comm.worldRank(dest), mode == SendMode.SYNCHRONOUS);
        }
        request.start(comm.target(dest), comm.worldRank(dest), mode == SendMode.BUFFERED);
    }

    Status recv(final Object buffer, final long count, final Datatype type, final int source, final int tag) {
        checkRecv(source, tag);
        if (source == Communicator.PROC_NULL) {
            return NO_PROCESS;
        }
        final Blocking mine = Blocking.of(life);
        final ReceiveRequest request = mine.takeReceive();
        start(request, buffer, count, type, source, tag);
        try {
            return request.waitFor();
        } finally {
            if (request.isDone()) {
                mine.giveReceive(request);
            }
        }
    }

    Request irecv(final Object buffer, final long count, final Datatype type, final int source, final int tag) {
        checkRecv(source, tag);
        if (source == Communicator.PROC_NULL) {
            return new Done(life, NO_PROCESS);
        }
        final ReceiveRequest request = new ReceiveRequest(life);
        start(request, buffer, count, type, source, tag);
        return request;
    }

    private void start(final ReceiveRequest request, final Object buffer, final long count, final Datatype type, final int source,
                       final int tag) {
        start(request, Side.into(buffer, count, type), source, tag);
    }

    private void start(final ReceiveRequest request, final Side side, final int source, final int tag) {
        request.receive.want(comm.context() + Contexts.MESSAGES, source, tag);
        request.start(rank.mailbox(), side);
    }

    /** Starts nothing before all arguments are checked: what was started could not be taken back. */
    Status sendrecv(final Object send, final long sendCount, final Datatype sendType, final int dest, final int sendTag,
                    final Object recv, final long recvCount, final Datatype recvType, final int source, final int recvTag) {
        checkSend(dest, sendTag);
        checkRecv(source, recvTag);
        final Side from = dest == Communicator.PROC_NULL ? null : Side.of(send, sendCount, sendType);
        final Side into = source == Communicator.PROC_NULL ? null : Side.into(recv, recvCount, recvType);
        Side.checkApart(from, into, "use the form with one buffer, which replaces");
        final ReceiveRequest receiving = into == null ? null : new ReceiveRequest(life);
        if (receiving != null) {
            start(receiving, into, source, recvTag);
        }
        if (from != null) {
            final SendRequest sending = new SendRequest(life);
            start(sending, SendMode.STANDARD, from, dest, sendTag);
            sending.await();
        }
        return receiving == null ? NO_PROCESS : receiving.waitFor();
    }

    Status probe(final int source, final int tag, final boolean once) {
        checkRecv(source, tag);
        if (source == Communicator.PROC_NULL) {
            return NO_PROCESS;
        }
        final ProbeRequest request = new ProbeRequest(life, new Probe(comm.context() + Contexts.MESSAGES, source, tag, once));
        rank.mailbox().submit(request.probe());
        request.await();
        return request.probe().isFound() ? request.status() : null;
    }

    private void checkSend(final int dest, final int tag) {
        comm.checkUsable();
        if (dest != Communicator.PROC_NULL && (dest < 0 || dest >= comm.remoteSize())) {
            throw new MpiFailure(ErrorClass.RANK, "destination out of range: dest=" + dest + ", size=" + comm.remoteSize());
        }
        if (tag < 0) {
            throw new MpiFailure(ErrorClass.TAG, "tag out of range: tag=" + tag + ", range=0.." + Communicator.TAG_UB);
        }
    }

    private void checkRecv(final int source, final int tag) {
        comm.checkUsable();
        if (source < Communicator.PROC_NULL || source >= comm.remoteSize()) {
            throw new MpiFailure(ErrorClass.RANK, "source out of range: source=" + source + ", size=" + comm.remoteSize());
        }
        if (tag < Communicator.ANY_TAG) {
            throw new MpiFailure(ErrorClass.TAG, "tag out of range: tag=" + tag + ", range=0.." + Communicator.TAG_UB + " or any (-1)");
        }
    }
}
