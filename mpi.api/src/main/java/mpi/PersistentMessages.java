package mpi;

import java.nio.Buffer;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.SendMode;
import tutti.runtime.error.MpiFailure;

/**
 * The persistent point-to-point communication of {@link Comm}: requests that are created once and started many times. Calls with an array or a
 * {@code long} count are not in Open MPI's bindings.
 */
abstract class PersistentMessages extends CommBase {

    PersistentMessages(final Communicator handle) {
        super(handle);
    }

    /** Creates a persistent request for {@link Comm#send(Object, int, Datatype, int, int)}. */
    public final Prequest sendInit(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /**
     * Creates the same request as {@link #sendInit(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is
     * {@code long}.
     */
    public final Prequest sendInit(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** Creates a persistent request for {@link Comm#bSend(Object, int, Datatype, int, int)}. */
    public final Prequest bSendInit(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /**
     * Creates the same request as {@link #bSendInit(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is
     * {@code long}.
     */
    public final Prequest bSendInit(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** Creates a persistent request for {@link Comm#sSend(Object, int, Datatype, int, int)}. */
    public final Prequest sSendInit(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /**
     * Creates the same request as {@link #sSendInit(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is
     * {@code long}.
     */
    public final Prequest sSendInit(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** Creates a persistent request for {@link Comm#rSend(Object, int, Datatype, int, int)}. */
    public final Prequest rSendInit(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.READY, buf, count, type, dest, tag);
    }

    /**
     * Creates the same request as {@link #rSendInit(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is
     * {@code long}.
     */
    public final Prequest rSendInit(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.READY, buf, count, type, dest, tag);
    }

    /** Creates a persistent request for {@link Comm#recv(Object, int, Datatype, int, int)}. */
    public final Prequest recvInit(final Buffer buf, final int count, final Datatype type, final int source, final int tag)
        throws MPIException {
        return recvInit((Object) buf, (long) count, type, source, tag);
    }

    /**
     * Creates the same request as {@link #recvInit(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is
     * {@code long}.
     */
    public final Prequest recvInit(final Object buf, final long count, final Datatype type, final int source, final int tag)
        throws MPIException {
        try {
            return persistent(handle.recvInit(buf, count, Datatype.of(type), source, tag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private Prequest init(final SendMode mode, final Object buf, final long count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        try {
            return persistent(handle.sendInit(mode, buf, count, Datatype.of(type), dest, tag));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }
}
