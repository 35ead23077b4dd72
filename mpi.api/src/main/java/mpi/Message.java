package mpi;

import java.nio.Buffer;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.p2p.MatchedMessage;

/**
 * A message that was matched by {@link #mProbe} or {@link #imProbe}: only {@link #mRecv} or {@link #imRecv} of this object receives it, once.
 * Afterwards the object is the null message again and may be reused. For use by one thread at a time.
 */
public final class Message {
    private MatchedMessage matched;
    private Comm comm;

    /** Creates the null message. */
    public Message() {}

    /** Returns whether this is the null message: nothing was matched, or it was received. */
    public boolean isNull() {
        return matched == null;
    }

    /** Returns whether this is the message from {@code MPI.PROC_NULL}, which has no data. */
    public boolean isNoProc() {
        return matched != null && matched.isNoProcess();
    }

    /**
     * Waits for a message and matches it.
     *
     * @param source rank of the sender, or {@code MPI.ANY_SOURCE}
     * @param tag    tag, or {@code MPI.ANY_TAG}
     * @param on     communicator
     * @return the status of the message
     */
    public Status mProbe(final int source, final int tag, final Comm on) throws MPIException {
        return probe(source, tag, on, true);
    }

    /**
     * Matches a message that can be received now.
     *
     * @param source rank of the sender, or {@code MPI.ANY_SOURCE}
     * @param tag    tag, or {@code MPI.ANY_TAG}
     * @param on     communicator
     * @return the status of the message; null if there is none
     */
    public Status imProbe(final int source, final int tag, final Comm on) throws MPIException {
        return probe(source, tag, on, false);
    }

    private Status probe(final int source, final int tag, final Comm on, final boolean waits) throws MPIException {
        if (on == null) {
            throw ErrorHandling.error(MPI.ERR_COMM, "communicator is null");
        }
        if (matched != null && !matched.isNoProcess()) {
            throw on.raise(MPI.ERR_REQUEST,
                "message has not been received yet: receive it, or use another object of class Message");
        }
        try {
            final MatchedMessage found = waits ? on.handle.messages().mprobe(source, tag) : on.handle.messages().improbe(source, tag);
            if (found == null) {
                return null;
            }
            matched = found;
            comm = on;
            return new Status(found.status());
        } catch (final MpiFailure e) {
            throw on.raise(e);
        }
    }

    /**
     * Receives the matched message.
     *
     * @param buf   receives the message
     * @param count maximum number of elements
     * @param type  datatype of the elements
     */
    public Status mRecv(final Object buf, final int count, final Datatype type) throws MPIException {
        return mRecv(buf, (long) count, type);
    }

    /** Performs {@link #mRecv(Object, int, Datatype)} with a {@code long} count. Not in Open MPI's bindings. */
    public Status mRecv(final Object buf, final long count, final Datatype type) throws MPIException {
        return imRecv(buf, count, type).waitStatus();
    }

    /** Starts {@link #mRecv}. */
    public Request imRecv(final Buffer buf, final int count, final Datatype type) throws MPIException {
        return imRecv((Object) buf, (long) count, type);
    }

    /** Performs {@link #imRecv(Buffer, int, Datatype)}; the buffer may be an array, and the count is {@code long}. Not in Open MPI's bindings. */
    public Request imRecv(final Object buf, final long count, final Datatype type) throws MPIException {
        if (matched == null) {
            throw ErrorHandling.error(MPI.ERR_REQUEST, "message is null: nothing was found, or it has been received");
        }
        try {
            final Request request = comm.request(matched.irecv(buf, count, Datatype.of(type)));
            matched = null;
            return request;
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }
}
