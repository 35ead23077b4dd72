package tutti.runtime.p2p;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.runtime.buffer.MessageBuffer;
import tutti.runtime.buffer.MessageBufferCache;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.ContextIds;
import tutti.runtime.context.RankContext;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.match.IncomingMessage;
import tutti.runtime.match.Probe;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.model.Status;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;
import tutti.runtime.select.CommHints;

/**
 * Point-to-point messages between the ranks of a communicator, of one kind of traffic.
 *
 * <p>Buffers are arrays of a primitive type, java.nio buffers or memory segments; a buffer without elements may be null. Counts are elements of the
 * type. Every call checks its arguments first and throws {@link MpiFailure} with the error class that MPI defines. Threads may call as the rank's
 * thread level allows.
 */
public final class PointToPoint {
    static final Status NO_PROCESS = new Status(Reserved.PROC_NULL, Reserved.ANY_TAG, 0, false);

    private final CommContext comm;
    private final int kind;
    private final @Nullable AttachedBuffer attachedBuffer;
    private final RankContext rank;
    private final RankLifecycle lifecycle;
    private final MessageBufferCache buffers;

    private PointToPoint(final CommContext comm, final int kind, final @Nullable AttachedBuffer attachedBuffer) {
        this.comm = comm;
        this.kind = kind;
        this.attachedBuffer = attachedBuffer;
        this.rank = comm.owner();
        this.lifecycle = rank.lifecycle();
        this.buffers = comm.buffers();
    }

    /** Returns the messages of the program; buffered sends use the attached buffer. */
    public static PointToPoint of(final CommContext comm, final AttachedBuffer attachedBuffer) {
        return new PointToPoint(comm, ContextIds.MESSAGES, attachedBuffer);
    }

    /** Returns messages of the runtime, of a {@linkplain ContextIds kind} that no message of the program matches. They may be sent before the
     * communicator is usable; none is buffered. */
    public static PointToPoint internal(final CommContext comm, final int kind) {
        return new PointToPoint(comm, kind, null);
    }

    /** Sends, and waits until the buffer may be reused (in synchronous mode, until a receive matched the message). */
    public void send(final SendMode mode, final @Nullable Object buffer, final long count, final Datatype type, final int dest, final int tag) {
        checkSend(dest, tag);
        if (dest == Reserved.PROC_NULL) {
            return;
        }
        final MessageBuffer data = buffers.of(buffer, count, type);
        final BlockingRequests requests = BlockingRequests.of(lifecycle);
        final SendRequest request = requests.takeSend();
        request.prepare(comm, comm.id() + kind, mode, attachedBuffer, data, dest, tag);
        request.ofType(TypeComparison.code(comm, type));
        request.startFirst();
        request.await();
        request.forget();
        requests.returnSend(request);
    }

    /** Starts a send. */
    public Request isend(final SendMode mode, final @Nullable Object buffer, final long count, final Datatype type, final int dest, final int tag) {
        checkSend(dest, tag);
        if (dest == Reserved.PROC_NULL) {
            return PersistentRequest.completed(lifecycle, NO_PROCESS);
        }
        final SendRequest request = newSend(mode, buffer, count, type, dest, tag);
        request.countPending(comm);
        request.startFirst();
        return request;
    }

    /** Creates a persistent send. */
    public PersistentRequest sendInit(final SendMode mode, final @Nullable Object buffer, final long count, final Datatype type, final int dest,
        final int tag) {
        checkSend(dest, tag);
        if (dest == Reserved.PROC_NULL) {
            return PersistentRequest.completed(lifecycle, NO_PROCESS);
        }
        final SendRequest request = newSend(mode, buffer, count, type, dest, tag);
        request.holdContext(comm);
        return request;
    }

    private SendRequest newSend(final SendMode mode, final @Nullable Object buffer, final long count, final Datatype type, final int dest,
        final int tag) {
        final SendRequest request = new SendRequest(lifecycle);
        request.prepare(comm, comm.id() + kind, mode, attachedBuffer, buffers.of(buffer, count, type), dest, tag);
        request.ofType(TypeComparison.code(comm, type));
        return request;
    }

    /** Receives, and waits for the message. */
    public Status recv(final @Nullable Object buffer, final long count, final Datatype type, final int source, final int tag) {
        checkRecv(source, tag);
        if (source == Reserved.PROC_NULL) {
            return NO_PROCESS;
        }
        final MessageBuffer into = buffers.into(buffer, count, type);
        final BlockingRequests requests = BlockingRequests.of(lifecycle);
        final ReceiveRequest request = requests.takeReceive();
        request.prepare(comm, comm.id() + kind, into, source, tag);
        request.compares(TypeComparison.of(comm, type));
        request.startFirst();
        return finish(requests, request);
    }

    private static Status finish(final BlockingRequests requests, final ReceiveRequest request) {
        try {
            return request.waitFor();
        } catch (final MpiFailure e) {
            throw overIfPending(e);
        } finally {
            if (request.isDone()) {
                request.forget();
                requests.returnReceive(request);
            }
        }
    }

    /** Sends and receives. Checks the arguments of both before either starts, so that an invalid call leaves no posted receive. */
    public Status sendrecv(final @Nullable Object send, final long sendCount, final Datatype sendType, final int dest, final int sendTag,
        final @Nullable Object recv, final long recvCount, final Datatype recvType, final int source, final int recvTag) {
        checkSend(dest, sendTag);
        checkRecv(source, recvTag);
        final MessageBuffer from = dest == Reserved.PROC_NULL ? null : buffers.of(send, sendCount, sendType);
        if (source == Reserved.PROC_NULL) {
            send(SendMode.STANDARD, send, sendCount, sendType, dest, sendTag);
            return NO_PROCESS;
        }
        final MessageBuffer into = buffers.into(recv, recvCount, recvType);
        MessageBuffer.checkApart(from, into, "use the form with one buffer, which replaces");
        final BlockingRequests requests = BlockingRequests.of(lifecycle);
        final ReceiveRequest receiving = requests.takeReceive();
        receiving.prepare(comm, comm.id() + kind, into, source, recvTag);
        receiving.compares(TypeComparison.of(comm, recvType));
        receiving.startFirst();
        if (from != null) {
            final SendRequest sending = requests.takeSend();
            sending.prepare(comm, comm.id() + kind, SendMode.STANDARD, attachedBuffer, from, dest, sendTag);
            sending.ofType(TypeComparison.code(comm, sendType));
            sending.startFirst();
            sending.await();
            sending.forget();
            requests.returnSend(sending);
        }
        return finish(requests, receiving);
    }

    /** Starts a send and a receive as one request, after the arguments of both are checked as for {@link #sendrecv}. */
    public Request isendrecv(final @Nullable Object send, final long sendCount, final Datatype sendType, final int dest, final int sendTag,
        final @Nullable Object recv, final long recvCount, final Datatype recvType, final int source, final int recvTag) {
        checkSend(dest, sendTag);
        checkRecv(source, recvTag);
        if (dest == Reserved.PROC_NULL) {
            return irecv(recv, recvCount, recvType, source, recvTag);
        }
        final SendRequest sending = newSend(SendMode.STANDARD, send, sendCount, sendType, dest, sendTag);
        final ReceiveRequest receiving = source == Reserved.PROC_NULL ? null : newReceive(recv, recvCount, recvType, source, recvTag);
        sending.countPending(comm);
        if (receiving != null) {
            MessageBuffer.checkApart(sending.buffer, receiving.buffer, "use the form with one buffer, which replaces");
            receiving.countPending(comm);
        }
        final SendReceiveRequest request = new SendReceiveRequest(lifecycle, sending, receiving);
        request.start();
        return request;
    }

    /** Starts a receive. */
    public Request irecv(final @Nullable Object buffer, final long count, final Datatype type, final int source, final int tag) {
        checkRecv(source, tag);
        if (source == Reserved.PROC_NULL) {
            return PersistentRequest.completed(lifecycle, NO_PROCESS);
        }
        final ReceiveRequest request = newReceive(buffer, count, type, source, tag);
        request.countPending(comm);
        request.startFirst();
        return request;
    }

    /** Creates a persistent receive. */
    public PersistentRequest recvInit(final @Nullable Object buffer, final long count, final Datatype type, final int source, final int tag) {
        checkRecv(source, tag);
        if (source == Reserved.PROC_NULL) {
            return PersistentRequest.completed(lifecycle, NO_PROCESS);
        }
        final ReceiveRequest request = newReceive(buffer, count, type, source, tag);
        request.holdContext(comm);
        return request;
    }

    private ReceiveRequest newReceive(final @Nullable Object buffer, final long count, final Datatype type, final int source, final int tag) {
        final ReceiveRequest request = new ReceiveRequest(lifecycle);
        request.prepare(comm, comm.id() + kind, buffers.into(buffer, count, type), source, tag);
        request.compares(TypeComparison.of(comm, type));
        return request;
    }

    /** Waits for a message without matching it. */
    public Status probe(final int source, final int tag) {
        return Objects.requireNonNull(probe(source, tag, false));
    }

    /** Returns the status of a message that has arrived, or null. */
    public @Nullable Status iprobe(final int source, final int tag) {
        return probe(source, tag, true);
    }

    /** Returns the failure of a blocking call, which is over: no request of it stays pending. */
    private static MpiFailure overIfPending(final MpiFailure e) {
        return e.errorClass() == ErrorClass.PROC_FAILED_PENDING ? e.again(ErrorClass.PROC_FAILED) : e;
    }

    private static void await(final ProbeRequest request, final boolean once) {
        try {
            request.await();
        } catch (final MpiFailure e) {
            throw once ? e : overIfPending(e);
        }
    }

    private @Nullable Status probe(final int source, final int tag, final boolean once) {
        checkRecv(source, tag);
        if (source == Reserved.PROC_NULL) {
            return NO_PROCESS;
        }
        final ProbeRequest request = new ProbeRequest(lifecycle, new Probe(comm.id() + kind, source, tag, once));
        rank.mailbox().submit(request.probe());
        await(request, once);
        return request.probe().isFound() ? request.status() : null;
    }

    /** Waits for a message and matches it, for {@link MatchedMessage#recv} or {@link MatchedMessage#irecv} only. */
    public MatchedMessage mprobe(final int source, final int tag) {
        return Objects.requireNonNull(match(source, tag, false));
    }

    /** Matches a message that has arrived, or returns null. */
    public @Nullable MatchedMessage improbe(final int source, final int tag) {
        return match(source, tag, true);
    }

    private @Nullable MatchedMessage match(final int source, final int tag, final boolean once) {
        checkRecv(source, tag);
        if (source == Reserved.PROC_NULL) {
            return new MatchedMessage(this, NO_PROCESS, null);
        }
        final ProbeRequest request = new ProbeRequest(lifecycle, new Probe(comm.id() + kind, source, tag, once, true));
        rank.mailbox().submit(request.probe());
        await(request, once);
        final IncomingMessage found = request.probe().message();
        return found == null ? null : new MatchedMessage(this, request.status(), found);
    }

    Request irecv(final MatchedMessage matched, final @Nullable Object buffer, final long count, final Datatype type) {
        rank.checkUsable();
        if (matched.isNoProcess()) {
            return PersistentRequest.completed(lifecycle, NO_PROCESS);
        }
        final ReceiveRequest request = new ReceiveRequest(lifecycle);
        request.prepare(comm, buffers.into(buffer, count, type), matched.message());
        request.compares(TypeComparison.of(comm, type));
        request.countPending(comm);
        request.startFirst();
        return request;
    }

    private void checkUsable() {
        if (kind == ContextIds.MESSAGES) {
            comm.checkUsable();
        }
    }

    private void checkSend(final int dest, final int tag) {
        checkUsable();
        if (dest != Reserved.PROC_NULL && (dest < 0 || dest >= comm.remoteSize())) {
            throw new MpiFailure(ErrorClass.RANK, "destination out of range: dest=" + dest + ", size=" + comm.remoteSize());
        }
        if (tag < 0) {
            throw new MpiFailure(ErrorClass.TAG, "tag out of range: tag=" + tag + ", range=0.." + Reserved.TAG_UB);
        }
        final MpiFailure lost = dest == Reserved.PROC_NULL ? null : comm.failureOf(dest);
        if (lost != null) {
            throw lost.again();
        }
    }

    /** Refuses a receive by any source or tag where a hint of the program promised that there is none. */
    private void checkPromise(final int source, final int tag) {
        if (kind != ContextIds.MESSAGES || source == Reserved.PROC_NULL) {
            return;
        }
        if (source == Reserved.ANY_SOURCE && comm.hints().noAnySource()) {
            // Cause: the program breaks its promise.
            throw new MpiFailure(ErrorClass.RANK, "receive from any source on " + comm.name() + ", whose hint " + CommHints.NO_ANY_SOURCE
                + "=true promises that there is none: name the source, or set the hint to false");
        }
        if (tag == Reserved.ANY_TAG && comm.hints().noAnyTag()) {
            // Cause: the program breaks its promise.
            throw new MpiFailure(ErrorClass.TAG, "receive of any tag on " + comm.name() + ", whose hint " + CommHints.NO_ANY_TAG
                + "=true promises that there is none: name the tag, or set the hint to false");
        }
    }

    private void checkRecv(final int source, final int tag) {
        checkUsable();
        if (source < Reserved.PROC_NULL || source >= comm.remoteSize()) {
            throw new MpiFailure(ErrorClass.RANK, "source out of range: source=" + source + ", size=" + comm.remoteSize());
        }
        if (tag < Reserved.ANY_TAG) {
            throw new MpiFailure(ErrorClass.TAG, "tag out of range: tag=" + tag + ", range=0.." + Reserved.TAG_UB + " or any (-1)");
        }
        if ((source | tag) < 0) {
            checkPromise(source, tag);
        }
    }
}
