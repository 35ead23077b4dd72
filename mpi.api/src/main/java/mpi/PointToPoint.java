package mpi;

import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.SendMode;
import tutti.runtime.error.MpiFailure;

/** The messages of {@link Comm} from one rank to another. On an intercommunicator the other rank is one of the remote group. */
abstract class PointToPoint extends CommBase {

    PointToPoint(final Communicator handle) {
        super(handle);
    }

    /** Sends a message; returns when the buffer may be used again. */
    public final void send(final Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** As {@link #send(Object, int, Datatype, int, int)}, and never waits for the receiver: the data is copied. */
    public final void bSend(final Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** As {@link #send(Object, int, Datatype, int, int)}; returns when the receiver takes the message. */
    public final void sSend(final Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** As {@link #send(Object, int, Datatype, int, int)}; the program knows that the receive has been started. */
    public final void rSend(final Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.READY, buf, count, type, dest, tag);
    }

    private void send(final SendMode mode, final Object buf, final int count, final Datatype type, final int dest, final int tag)
            throws MPIException {
        try {
            handle.send(mode, buf, count, Datatype.of(type), dest, tag);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Starts {@link #send(Object, int, Datatype, int, int)}. */
    public final Request iSend(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** Starts {@link #bSend}. */
    public final Request ibSend(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** Starts {@link #sSend}. */
    public final Request isSend(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** Starts {@link #rSend}. */
    public final Request irSend(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.READY, buf, count, type, dest, tag);
    }

    private Request iSend(final SendMode mode, final Buffer buf, final int count, final Datatype type, final int dest, final int tag)
            throws MPIException {
        try {
            return request(handle.isend(mode, buf, count, Datatype.of(type), dest, tag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Receives a message of up to {@code count} elements. */
    public final Status recv(final Object buf, final int count, final Datatype type, final int source, final int tag) throws MPIException {
        try {
            return new Status(handle.recv(buf, count, Datatype.of(type), source, tag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Starts {@link #recv}. */
    public final Request iRecv(final Buffer buf, final int count, final Datatype type, final int source, final int tag) throws MPIException {
        try {
            return request(handle.irecv(buf, count, Datatype.of(type), source, tag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Sends one message and receives another at the same time. */
    public final Status sendRecv(final Object sendBuf, final int sendCount, final Datatype sendType, final int dest, final int sendTag,
            final Object recvBuf, final int recvCount, final Datatype recvType, final int source, final int recvTag) throws MPIException {
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
        checkUsable();
        try {
            final MemorySegment packed = LocalData.pack(buf, count, Datatype.of(type));
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
