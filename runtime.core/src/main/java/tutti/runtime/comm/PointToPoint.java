package tutti.runtime.comm;

import tutti.runtime.datatype.Datatype;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.Probe;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.RankLifecycle;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;

/** Point-to-point messages between the ranks of a communicator. */
final class PointToPoint {
    private static final Status NO_PROCESS = new Status(Communicator.PROC_NULL, Communicator.ANY_TAG, 0, false);

    private final Communicator comm;
    private final Rank rank;
    private final RankLifecycle lifecycle;
    private final MessageBufferCache buffers;

    PointToPoint(final Communicator comm) {
        this.comm = comm;
        this.rank = comm.owner();
        this.lifecycle = rank.lifecycle();
        this.buffers = comm.buffers();
    }

    void send(final SendMode mode, final Object buffer, final long count, final Datatype type, final int dest, final int tag) {
        checkSend(dest, tag);
        if (dest == Communicator.PROC_NULL) {
            return;
        }
        final MessageBuffer data = buffers.of(buffer, count, type);
        final BlockingRequests requests = BlockingRequests.of(lifecycle);
        final SendRequest request = requests.takeSend();
        request.prepare(comm, comm.context() + ContextIds.MESSAGES, mode, data, dest, tag);
        request.startFirst();
        request.await();
        request.forget();
        requests.returnSend(request);
    }

    Request isend(final SendMode mode, final Object buffer, final long count, final Datatype type, final int dest, final int tag) {
        checkSend(dest, tag);
        if (dest == Communicator.PROC_NULL) {
            return new CompletedRequest(lifecycle, NO_PROCESS);
        }
        final SendRequest request = newSend(mode, buffer, count, type, dest, tag);
        request.countPending(comm);
        request.startFirst();
        return request;
    }

    PersistentRequest sendInit(final SendMode mode, final Object buffer, final long count, final Datatype type, final int dest,
        final int tag) {
        checkSend(dest, tag);
        if (dest == Communicator.PROC_NULL) {
            return new CompletedRequest(lifecycle, NO_PROCESS);
        }
        final SendRequest request = newSend(mode, buffer, count, type, dest, tag);
        request.holdContext(comm);
        return request;
    }

    private SendRequest newSend(final SendMode mode, final Object buffer, final long count, final Datatype type, final int dest,
        final int tag) {
        final SendRequest request = new SendRequest(lifecycle);
        request.prepare(comm, comm.context() + ContextIds.MESSAGES, mode, buffers.of(buffer, count, type), dest, tag);
        return request;
    }

    Status recv(final Object buffer, final long count, final Datatype type, final int source, final int tag) {
        checkRecv(source, tag);
        if (source == Communicator.PROC_NULL) {
            return NO_PROCESS;
        }
        final MessageBuffer into = buffers.into(buffer, count, type);
        final BlockingRequests requests = BlockingRequests.of(lifecycle);
        final ReceiveRequest request = requests.takeReceive();
        request.prepare(comm, comm.context() + ContextIds.MESSAGES, into, source, tag);
        request.startFirst();
        return finish(requests, request);
    }

    private static Status finish(final BlockingRequests requests, final ReceiveRequest request) {
        try {
            return request.waitFor();
        } finally {
            if (request.isDone()) {
                request.forget();
                requests.returnReceive(request);
            }
        }
    }

    /** Sends and receives. Checks the arguments of both before either starts, so that an invalid call leaves no posted receive. */
    Status sendrecv(final Object send, final long sendCount, final Datatype sendType, final int dest, final int sendTag,
        final Object recv, final long recvCount, final Datatype recvType, final int source, final int recvTag) {
        checkSend(dest, sendTag);
        checkRecv(source, recvTag);
        final MessageBuffer from = dest == Communicator.PROC_NULL ? null : buffers.of(send, sendCount, sendType);
        if (source == Communicator.PROC_NULL) {
            send(SendMode.STANDARD, send, sendCount, sendType, dest, sendTag);
            return NO_PROCESS;
        }
        final MessageBuffer into = buffers.into(recv, recvCount, recvType);
        MessageBuffer.checkApart(from, into, "use the form with one buffer, which replaces");
        final BlockingRequests requests = BlockingRequests.of(lifecycle);
        final ReceiveRequest receiving = requests.takeReceive();
        receiving.prepare(comm, comm.context() + ContextIds.MESSAGES, into, source, recvTag);
        receiving.startFirst();
        if (from != null) {
            final SendRequest sending = requests.takeSend();
            sending.prepare(comm, comm.context() + ContextIds.MESSAGES, SendMode.STANDARD, from, dest, sendTag);
            sending.startFirst();
            sending.await();
            sending.forget();
            requests.returnSend(sending);
        }
        return finish(requests, receiving);
    }

    Request irecv(final Object buffer, final long count, final Datatype type, final int source, final int tag) {
        checkRecv(source, tag);
        if (source == Communicator.PROC_NULL) {
            return new CompletedRequest(lifecycle, NO_PROCESS);
        }
        final ReceiveRequest request = newReceive(buffer, count, type, source, tag);
        request.countPending(comm);
        request.startFirst();
        return request;
    }

    PersistentRequest recvInit(final Object buffer, final long count, final Datatype type, final int source, final int tag) {
        checkRecv(source, tag);
        if (source == Communicator.PROC_NULL) {
            return new CompletedRequest(lifecycle, NO_PROCESS);
        }
        final ReceiveRequest request = newReceive(buffer, count, type, source, tag);
        request.holdContext(comm);
        return request;
    }

    private ReceiveRequest newReceive(final Object buffer, final long count, final Datatype type, final int source, final int tag) {
        final ReceiveRequest request = new ReceiveRequest(lifecycle);
        request.prepare(comm, comm.context() + ContextIds.MESSAGES, buffers.into(buffer, count, type), source, tag);
        return request;
    }

    Status probe(final int source, final int tag, final boolean once) {
        checkRecv(source, tag);
        if (source == Communicator.PROC_NULL) {
            return NO_PROCESS;
        }
        final ProbeRequest request = new ProbeRequest(lifecycle, new Probe(comm.context() + ContextIds.MESSAGES, source, tag, once));
        rank.mailbox().submit(request.probe());
        request.await();
        return request.probe().isFound() ? request.status() : null;
    }

    /** Matches a message; returns null when none has arrived and {@code once} is set. */
    MatchedMessage take(final int source, final int tag, final boolean once) {
        checkRecv(source, tag);
        if (source == Communicator.PROC_NULL) {
            return new MatchedMessage(comm, NO_PROCESS, null);
        }
        final ProbeRequest request = new ProbeRequest(lifecycle, new Probe(comm.context() + ContextIds.MESSAGES, source, tag, once, true));
        rank.mailbox().submit(request.probe());
        request.await();
        return request.probe().isFound() ? new MatchedMessage(comm, request.status(), request.probe().message()) : null;
    }

    Status recv(final MatchedMessage matched, final Object buffer, final long count, final Datatype type) {
        return irecv(matched, buffer, count, type).waitFor();
    }

    Request irecv(final MatchedMessage matched, final Object buffer, final long count, final Datatype type) {
        rank.checkUsable();
        if (matched.isNoProcess()) {
            return new CompletedRequest(lifecycle, NO_PROCESS);
        }
        final ReceiveRequest request = new ReceiveRequest(lifecycle);
        request.prepare(comm, buffers.into(buffer, count, type), matched.message());
        request.countPending(comm);
        request.startFirst();
        return request;
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
