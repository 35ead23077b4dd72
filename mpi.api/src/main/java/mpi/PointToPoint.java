package mpi;

import java.lang.foreign.MemorySegment;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.SendMode;
import tutti.runtime.error.MpiFailure;

/** The blocking point-to-point communication of {@link Comm}. On an intercommunicator ranks of messages are those of the remote group. */
abstract class PointToPoint extends NonblockingMessages {

    PointToPoint(final Communicator handle) {
        super(handle);
    }

    /**
     * Sends a message in standard mode. Returns when the buffer may be reused.
     *
     * @param buf   elements to send
     * @param count number of elements
     * @param type  datatype of the elements
     * @param dest  rank of the destination, or {@code MPI.PROC_NULL}
     * @param tag   message tag
     */
    public final void send(final Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** Performs {@link #send(Object, int, Datatype, int, int)} with a {@code long} count. */
    public final void send(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /**
     * Sends a message in buffered mode: the data is copied to the attached buffer, and the call does not wait for the receiver. The parameters
     * are those of {@link #send(Object, int, Datatype, int, int)}.
     */
    public final void bSend(final Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** Performs {@link #bSend(Object, int, Datatype, int, int)} with a {@code long} count. */
    public final void bSend(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /**
     * Sends a message in synchronous mode: returns when the receiver has matched the message. The parameters are those of
     * {@link #send(Object, int, Datatype, int, int)}.
     */
    public final void sSend(final Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** Performs {@link #sSend(Object, int, Datatype, int, int)} with a {@code long} count. */
    public final void sSend(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /**
     * Sends a message in ready mode: the matching receive must have been posted. The parameters are those of
     * {@link #send(Object, int, Datatype, int, int)}.
     */
    public final void rSend(final Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        send(SendMode.READY, buf, count, type, dest, tag);
    }

    /** Performs {@link #rSend(Object, int, Datatype, int, int)} with a {@code long} count. */
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

    /**
     * Receives a message. Returns when the data is in the buffer.
     *
     * @param buf    receives the elements
     * @param count  maximum number of elements
     * @param type   datatype of the elements
     * @param source rank of the sender, or {@code MPI.ANY_SOURCE} or {@code MPI.PROC_NULL}
     * @param tag    message tag, or {@code MPI.ANY_TAG}
     * @return the status of the message
     */
    public final Status recv(final Object buf, final int count, final Datatype type, final int source, final int tag) throws MPIException {
        return recv(buf, (long) count, type, source, tag);
    }

    /** Performs {@link #recv(Object, int, Datatype, int, int)} with a {@code long} count. */
    public final Status recv(final Object buf, final long count, final Datatype type, final int source, final int tag) throws MPIException {
        try {
            return new Status(handle.recv(buf, count, Datatype.of(type), source, tag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Sends one message and receives another at the same time.
     *
     * @param sendBuf   elements to send
     * @param sendCount number of elements to send
     * @param sendType  datatype of the elements to send
     * @param dest      rank of the destination
     * @param sendTag   tag of the message to send
     * @param recvBuf   receives the elements
     * @param recvCount maximum number of elements to receive
     * @param recvType  datatype of the elements to receive
     * @param source    rank of the sender, or {@code MPI.ANY_SOURCE}
     * @param recvTag   tag of the message to receive, or {@code MPI.ANY_TAG}
     * @return the status of the message received
     */
    public final Status sendRecv(final Object sendBuf, final int sendCount, final Datatype sendType, final int dest, final int sendTag,
        final Object recvBuf, final int recvCount, final Datatype recvType, final int source, final int recvTag) throws MPIException {
        return sendRecv(sendBuf, (long) sendCount, sendType, dest, sendTag, recvBuf, (long) recvCount, recvType, source, recvTag);
    }

    /** Performs {@link #sendRecv(Object, int, Datatype, int, int, Object, int, Datatype, int, int)} with a {@code long} count. */
    public final Status sendRecv(final Object sendBuf, final long sendCount, final Datatype sendType, final int dest, final int sendTag,
        final Object recvBuf, final long recvCount, final Datatype recvType, final int source, final int recvTag) throws MPIException {
        try {
            return new Status(handle.sendrecv(sendBuf, sendCount, Datatype.of(sendType), dest, sendTag,
                recvBuf, recvCount, Datatype.of(recvType), source, recvTag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Sends one message and receives another into the same buffer.
     *
     * @param buf     elements to send; receives the elements
     * @param count   number of elements
     * @param type    datatype of the elements
     * @param dest    rank of the destination
     * @param sendTag tag of the message to send
     * @param source  rank of the sender, or {@code MPI.ANY_SOURCE}
     * @param recvTag tag of the message to receive, or {@code MPI.ANY_TAG}
     * @return the status of the message received
     */
    public final Status sendRecvReplace(final Object buf, final int count, final Datatype type,
        final int dest, final int sendTag, final int source, final int recvTag) throws MPIException {
        return sendRecvReplace(buf, (long) count, type, dest, sendTag, source, recvTag);
    }

    /** Performs {@link #sendRecvReplace(Object, int, Datatype, int, int, int, int)} with a {@code long} count. */
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

    /**
     * Waits for a message that can be received, without receiving it.
     *
     * @param source rank of the sender, or {@code MPI.ANY_SOURCE}
     * @param tag    message tag, or {@code MPI.ANY_TAG}
     * @return the status of the message
     */
    public final Status probe(final int source, final int tag) throws MPIException {
        try {
            return new Status(handle.probe(source, tag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Returns the status of a message that can be received, without receiving it; null if there is none.
     *
     * @param source rank of the sender, or {@code MPI.ANY_SOURCE}
     * @param tag    message tag, or {@code MPI.ANY_TAG}
     */
    public final Status iProbe(final int source, final int tag) throws MPIException {
        try {
            final tutti.runtime.request.Status status = handle.iprobe(source, tag);
            return status == null ? null : new Status(status);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }
}
