package mpi;

import java.lang.foreign.MemorySegment;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.SendMode;
import tutti.runtime.error.MpiFailure;

/** The messages of {@link Comm} from one rank to another. On an intercommunicator the other rank is one of the remote group. */
abstract class PointToPoint extends NonblockingMessages {

    PointToPoint(final Communicator handle) {
        super(handle);
    }

    /** Sends a message; returns when the buffer may be used again. */
    public final void send(final Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** As {@link #send(Object, int, Datatype, int, int)}, for any count. */
    public final void send(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** As {@link #send(Object, int, Datatype, int, int)}, and never waits for the receiver: the data goes to the attached buffer. */
    public final void bSend(final Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** As {@link #bSend(Object, int, Datatype, int, int)}, for any count. */
    public final void bSend(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** As {@link #send(Object, int, Datatype, int, int)}; returns when the receiver takes the message. */
    public final void sSend(final Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** As {@link #sSend(Object, int, Datatype, int, int)}, for any count. */
    public final void sSend(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** As {@link #send(Object, int, Datatype, int, int)}; the program knows that the receive has been started. */
    public final void rSend(final Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.READY, buf, count, type, dest, tag);
    }

    /** As {@link #rSend(Object, int, Datatype, int, int)}, for any count. */
    public final void rSend(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.READY, buf, count, type, dest, tag);
    }

    private void send(final SendMode mode, final Object buf, final long count, final Datatype type, final int dest, final int tag)
            throws MPIException {
        try {
            handle.send(mode, buf, count, Datatype.of(type), dest, tag);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Receives a message of up to {@code count} elements. */
    public final Status recv(final Object buf, final int count, final Datatype type, final int source, final int tag) throws MPIException {
        return recv(buf, (long) count, type, source, tag);
    }

    /** As {@link #recv(Object, int, Datatype, int, int)}, for any count. */
    public final Status recv(final Object buf, final long count, final Datatype type, final int source, final int tag) throws MPIException {
        try {
            return new Status(handle.recv(buf, count, Datatype.of(type), source, tag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Sends one message and receives another at the same time. */
    public final Status sendRecv(final Object sendBuf, final int sendCount, final Datatype sendType, final int dest, final int sendTag,
            final Object recvBuf, final int recvCount, final Datatype recvType, final int source, final int recvTag) throws MPIException {
        return sendRecv(sendBuf, (long) sendCount, sendType, dest, sendTag, recvBuf, (long) recvCount, recvType, source, recvTag);
    }

    /** As {@link #sendRecv(Object, int, Datatype, int, int, Object, int, Datatype, int, int)}, for any counts. */
    public final Status sendRecv(final Object sendBuf, final long sendCount, final Datatype sendType, final int dest, final int sendTag,
            final Object recvBuf, final long recvCount, final Datatype recvType, final int source, final int recvTag) throws MPIException {
        try {
            return new Status(handle.sendrecv(sendBuf, sendCount, Datatype.of(sendType), dest, sendTag,
                recvBuf, recvCount, Datatype.of(recvType), source, recvTag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Sends one message and receives another into the same buffer. */
    public final Status sendRecvReplace(final Object buf, final int count, final Datatype type,
            final int dest, final int sendTag, final int source, final int recvTag) throws MPIException {
        return sendRecvReplace(buf, (long) count, type, dest, sendTag, source, recvTag);
    }

    /** As {@link #sendRecvReplace(Object, int, Datatype, int, int, int, int)}, for any count. */
    public final Status sendRecvReplace(final Object buf, final long count, final Datatype type,
            final int dest, final int sendTag, final int source, final int recvTag) throws MPIException {
        checkUsable();
        try {
            final MemorySegment packed = LocalOperations.pack(buf, count, Datatype.of(type));
            return new Status(handle.sendrecv(packed, packed.byteSize(), tutti.runtime.datatype.Datatype.PACKED, dest, sendTag,
                buf, count, Datatype.of(type), source, recvTag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Waits for a message without receiving it. */
    public final Status probe(final int source, final int tag) throws MPIException {
        try {
            return new Status(handle.probe(source, tag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** The status of a message that is there, without receiving it; null when there is none. */
    public final Status iProbe(final int source, final int tag) throws MPIException {
        try {
            final tutti.runtime.request.Status status = handle.iprobe(source, tag);
            return status == null ? null : new Status(status);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }
}
