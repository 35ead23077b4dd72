package mpi;

import java.nio.Buffer;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.SendMode;
import tutti.runtime.error.MpiFailure;

/**
 * The nonblocking point-to-point communication of {@link Comm}. Calls return a request at once; buffers must not be accessed until it is
 * complete. Calls with an array or a {@code long} count are not in Open MPI's bindings.
 */
abstract class NonblockingMessages extends PersistentMessages {

    NonblockingMessages(final Communicator handle) {
        super(handle);
    }

    /** Starts {@link Comm#send(Object, int, Datatype, int, int)}. */
    public final Request iSend(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** Performs {@link #iSend(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is {@code long}. */
    public final Request iSend(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** Starts {@link Comm#bSend(Object, int, Datatype, int, int)}. */
    public final Request ibSend(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** Performs {@link #ibSend(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is {@code long}. */
    public final Request ibSend(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** Starts {@link Comm#sSend(Object, int, Datatype, int, int)}. */
    public final Request isSend(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** Performs {@link #isSend(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is {@code long}. */
    public final Request isSend(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** Starts {@link Comm#rSend(Object, int, Datatype, int, int)}. */
    public final Request irSend(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.READY, buf, count, type, dest, tag);
    }

    /** Performs {@link #irSend(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is {@code long}. */
    public final Request irSend(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.READY, buf, count, type, dest, tag);
    }

    private Request iSend(final SendMode mode, final Object buf, final long count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        try {
            return request(handle.isend(mode, buf, count, Datatype.of(type), dest, tag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Starts {@link Comm#recv(Object, int, Datatype, int, int)}. */
    public final Request iRecv(final Buffer buf, final int count, final Datatype type, final int source, final int tag) throws MPIException {
        return iRecv((Object) buf, (long) count, type, source, tag);
    }

    /** Performs {@link #iRecv(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is {@code long}. */
    public final Request iRecv(final Object buf, final long count, final Datatype type, final int source, final int tag) throws MPIException {
        try {
            return request(handle.irecv(buf, count, Datatype.of(type), source, tag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }
}
