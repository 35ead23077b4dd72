package mpi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.p2p.SendMode;

/** Adapts the runtime's point-to-point communication to the arguments and errors of package mpi. As thread-safe as that is. */
final class MessageCalls {
    private final Comm comm;

    MessageCalls(final Comm comm) {
        this.comm = comm;
    }

    void send(final SendMode mode, final @Nullable Object buf, final long count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        try {
            comm.handle.messages().send(mode, buf, count, Datatype.of(type), dest, tag);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request iSend(final SendMode mode, final @Nullable Object buf, final long count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        try {
            return comm.request(comm.handle.messages().isend(mode, buf, count, Datatype.of(type), dest, tag));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Prequest sendInit(final SendMode mode, final @Nullable Object buf, final long count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        try {
            return comm.persistent(comm.handle.messages().sendInit(mode, buf, count, Datatype.of(type), dest, tag));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Status recv(final @Nullable Object buf, final long count, final Datatype type, final int source, final int tag) throws MPIException {
        try {
            return new Status(comm.handle.messages().recv(buf, count, Datatype.of(type), source, tag));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request iRecv(final @Nullable Object buf, final long count, final Datatype type, final int source, final int tag) throws MPIException {
        try {
            return comm.request(comm.handle.messages().irecv(buf, count, Datatype.of(type), source, tag));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Prequest recvInit(final @Nullable Object buf, final long count, final Datatype type, final int source, final int tag) throws MPIException {
        try {
            return comm.persistent(comm.handle.messages().recvInit(buf, count, Datatype.of(type), source, tag));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Status sendRecv(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final int dest, final int sendTag,
        final @Nullable Object recvBuf, final long recvCount, final Datatype recvType, final int source, final int recvTag) throws MPIException {
        try {
            return new Status(comm.handle.messages().sendrecv(sendBuf, sendCount, Datatype.of(sendType), dest, sendTag,
                recvBuf, recvCount, Datatype.of(recvType), source, recvTag));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Status sendRecvReplace(final Object buf, final long count, final Datatype type, final int dest, final int sendTag, final int source,
        final int recvTag) throws MPIException {
        comm.checkUsable();
        try {
            final MemorySegment packed = LocalOperations.pack(buf, count, Datatype.of(type), comm.handle.owner()::checksKinds);
            return new Status(comm.handle.messages().sendrecv(packed, packed.byteSize(), tutti.runtime.datatype.Datatype.PACKED, dest, sendTag,
                buf, count, Datatype.of(type), source, recvTag));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request iSendRecv(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final int dest, final int sendTag,
        final @Nullable Object recvBuf, final long recvCount, final Datatype recvType, final int source, final int recvTag) throws MPIException {
        try {
            return comm.request(comm.handle.messages().isendrecv(sendBuf, sendCount, Datatype.of(sendType), dest, sendTag,
                recvBuf, recvCount, Datatype.of(recvType), source, recvTag));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Request iSendRecvReplace(final Object buf, final long count, final Datatype type, final int dest, final int sendTag, final int source,
        final int recvTag) throws MPIException {
        comm.checkUsable();
        try {
            final MemorySegment packed = LocalOperations.pack(buf, count, Datatype.of(type), comm.handle.owner()::checksKinds);
            return comm.request(comm.handle.messages().isendrecv(packed, packed.byteSize(), tutti.runtime.datatype.Datatype.PACKED, dest, sendTag,
                buf, count, Datatype.of(type), source, recvTag));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    Status probe(final int source, final int tag) throws MPIException {
        try {
            return new Status(comm.handle.messages().probe(source, tag));
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }

    @Nullable
    Status iProbe(final int source, final int tag) throws MPIException {
        try {
            final tutti.runtime.model.Status status = comm.handle.messages().iprobe(source, tag);
            return status == null ? null : new Status(status);
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }
}
