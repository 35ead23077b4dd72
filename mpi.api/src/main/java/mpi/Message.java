package mpi;

import java.nio.Buffer;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.MatchedMessage;
import tutti.runtime.error.MpiFailure;

/**
 * A message that was found by {@link #mProbe} or {@link #imProbe} and taken away from all other receives and probes: only {@link #mRecv} or
 * {@link #imRecv} of this object receives it, once. Then it is null, as before, and may be used again. One thread at a time may use it.
 */
public final class Message {
    private MatchedMessage matched;
    private Comm comm;

    /** The null message. */
    public Message() { }

    /** Whether it is the null message: nothing has been found, or it has been received. */
    public boolean isNull() {
        return matched == null;
    }

    /** Whether it is the message from {@code MPI.PROC_NULL}, which has no data. */
    public boolean isNoProc() {
        return matched != null && matched.isNoProcess();
    }

    /** Waits for a message and takes it. */
    public Status mProbe(final int source, final int tag, final Comm on) throws MPIException {
        return probe(source, tag, on, true);
    }

    /** Takes a message that is there; null when there is none. */
    public Status imProbe(final int source, final int tag, final Comm on) throws MPIException {
        return probe(source, tag, on, false);
    }

    private Status probe(final int source, final int tag, final Comm on, final boolean waits) throws MPIException {
        if (on == null) {
            throw ErrorHandling.error(Constants.ERR_COMM, "communicator is null");
        }
        if (matched != null && !matched.isNoProcess()) {
            throw on.raise(Constants.ERR_REQUEST,
                "message has not been received yet: receive it, or use another object of class Message");
        }
        try {
            final MatchedMessage found = waits ? on.handle.mprobe(source, tag) : on.handle.improbe(source, tag);
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

    /** Receives it, up to {@code count} elements. */
    public Status mRecv(final Object buf, final int count, final Datatype type) throws MPIException {
        return mRecv(buf, (long) count, type);
    }

    /** As {@link #mRecv(Object, int, Datatype)}, for any count. Not in Open MPI's bindings. */
    public Status mRecv(final Object buf, final long count, final Datatype type) throws MPIException {
        return imRecv(buf, count, type).waitStatus();
    }

    /** Starts {@link #mRecv}. */
    public Request imRecv(final Buffer buf, final int count, final Datatype type) throws MPIException {
        return imRecv((Object) buf, (long) count, type);
    }

    /** As {@link #imRecv(Buffer, int, Datatype)}, for any buffer and count. Not in Open MPI's bindings. */
    public Request imRecv(final Object buf, final long count, final Datatype type) throws MPIException {
        if (matched == null) {
            throw ErrorHandling.error(Constants.ERR_REQUEST, "message is null: nothing was found, or it has been received");
        }
        try {
            final Request request = comm.request(Communicator.imrecv(matched, buf, count, Datatype.of(type)));
            matched = null;
            return request;
        } catch (final MpiFailure e) {
            throw comm.raise(e);
        }
    }
}
