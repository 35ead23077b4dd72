package mpi;

import java.nio.Buffer;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.SendMode;
import tutti.runtime.error.MpiFailure;

/**
 * The messages of {@link Comm} that are started now and waited for later. Those with an array or a {@code long} count are not in Open MPI's
 * bindings.
 */
abstract class NonblockingMessages extends PersistentMessages {

    NonblockingMessages(final Communicator handle) {
        super(handle);
    }

    /** Starts {@link Comm#send(Object, int, Datatype, int, int)}. */
    public final Request iSend(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** As {@link #iSend(Buffer, int, Datatype, int, int)}, for any buffer and count. */
    public final Request iSend(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** Starts {@link Comm#bSend(Object, int, Datatype, int, int)}. */
    public final Request ibSend(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** As {@link #ibSend(Buffer, int, Datatype, int, int)}, for any buffer and count. */
    public final Request ibSend(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** Starts {@link Comm#sSend(Object, int, Datatype, int, int)}. */
    public final Request isSend(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** As {@link #isSend(Buffer, int, Datatype, int, int)}, for any buffer and count. */
    public final Request isSend(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** Starts {@link Comm#rSend(Object, int, Datatype, int, int)}. */
    public final Request irSend(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return iSend(SendMode.READY, buf, count, type, dest, tag);
    }

    /** As {@link #irSend(Buffer, int, Datatype, int, int)}, for any buffer and count. */
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

    /** As {@link #iRecv(Buffer, int, Datatype, int, int)}, for any buffer and count. */
    public final Request iRecv(final Object buf, final long count, final Datatype type, final int source, final int tag) throws MPIException {
        try {
            return request(handle.irecv(buf, count, Datatype.of(type), source, tag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }
}
