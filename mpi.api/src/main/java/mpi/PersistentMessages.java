package mpi;

import java.nio.Buffer;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.SendMode;
import tutti.runtime.error.MpiFailure;

/**
 * The messages of {@link Comm} that are made once and started many times. Those with an array or a {@code long} count are not in Open
 * MPI's bindings.
 */
abstract class PersistentMessages extends CommBase {

    PersistentMessages(final Communicator handle) {
        super(handle);
    }

    /** Makes a {@link Comm#send(Object, int, Datatype, int, int)} that can be started. */
    public final Prequest sendInit(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** As {@link #sendInit(Buffer, int, Datatype, int, int)}, for any buffer and count. */
    public final Prequest sendInit(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** Makes a {@link Comm#bSend(Object, int, Datatype, int, int)} that can be started. */
    public final Prequest bSendInit(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** As {@link #bSendInit(Buffer, int, Datatype, int, int)}, for any buffer and count. */
    public final Prequest bSendInit(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** Makes a {@link Comm#sSend(Object, int, Datatype, int, int)} that can be started. */
    public final Prequest sSendInit(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** As {@link #sSendInit(Buffer, int, Datatype, int, int)}, for any buffer and count. */
    public final Prequest sSendInit(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** Makes a {@link Comm#rSend(Object, int, Datatype, int, int)} that can be started. */
    public final Prequest rSendInit(final Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.READY, buf, count, type, dest, tag);
    }

    /** As {@link #rSendInit(Buffer, int, Datatype, int, int)}, for any buffer and count. */
    public final Prequest rSendInit(final Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return init(SendMode.READY, buf, count, type, dest, tag);
    }

    /** Makes a {@link Comm#recv(Object, int, Datatype, int, int)} that can be started. */
    public final Prequest recvInit(final Buffer buf, final int count, final Datatype type, final int source, final int tag)
            throws MPIException {
        return recvInit((Object) buf, (long) count, type, source, tag);
    }

    /** As {@link #recvInit(Buffer, int, Datatype, int, int)}, for any buffer and count. */
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
