package mpi;

import java.nio.Buffer;
import org.jspecify.annotations.Nullable;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.p2p.MatchedMessage;

/**
 * A message that was matched by {@link #mProbe} or {@link #imProbe}: only {@link #mRecv} or {@link #imRecv} of this object receives it, once.
 * Afterwards the object is the null message again and may be reused. For use by one thread at a time.
 */
public final class Message implements Freeable {
    /** The matched message and its communicator; both are null for the null message. */
    private @Nullable MatchedMessage matched;
    private @Nullable Comm comm;

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
     * Makes this the null message; a matched message that was not received is received and dropped. Does nothing if this is the null message. Not
     * in Open MPI's bindings.
     */
    @Override
    public void free() throws MPIException {
        final MatchedMessage message = matched;
        final Comm on = comm;
        if (message == null || on == null) {
            return;
        }
        try {
            final long bytes = message.status().bytes();
            message.recv(LocalOperations.allocate(bytes), bytes, tutti.runtime.datatype.Datatype.BYTE);
            matched = null;
            comm = null;
        } catch (final MpiFailure e) {
            throw on.raise(e);
        }
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
        checkReceived(on);
        try {
            return match(on.handle.messages().mprobe(source, tag), on);
        } catch (final MpiFailure e) {
            throw on.raise(e);
        }
    }

    /**
     * Matches a message that can be received now.
     *
     * @param source rank of the sender, or {@code MPI.ANY_SOURCE}
     * @param tag    tag, or {@code MPI.ANY_TAG}
     * @param on     communicator
     * @return the status of the message; null if there is none
     */
    public @Nullable Status imProbe(final int source, final int tag, final Comm on) throws MPIException {
        checkReceived(on);
        try {
            final MatchedMessage found = on.handle.messages().improbe(source, tag);
            return found == null ? null : match(found, on);
        } catch (final MpiFailure e) {
            throw on.raise(e);
        }
    }

    private void checkReceived(final Comm on) throws MPIException {
        if (on == null) {
            throw ErrorHandling.error(MPI.ERR_COMM, "communicator is null");
        }
        if (matched != null && !matched.isNoProcess()) {
            // Cause: a probe found another message for the same object.
            throw on.raise(MPI.ERR_REQUEST,
                "message has not been received yet: receive it, or use another object of class Message");
        }
    }

    private Status match(final MatchedMessage found, final Comm on) {
        matched = found;
        comm = on;
        return new Status(found.status());
    }

    /**
     * Receives the matched message.
     *
     * @param buf   receives the message; may be null if it has no elements
     * @param count maximum number of elements
     * @param type  datatype of the elements
     */
    public Status mRecv(final @Nullable Object buf, final int count, final Datatype type) throws MPIException {
        return mRecv(buf, (long) count, type);
    }

    /** Performs {@link #mRecv(Object, int, Datatype)} with a {@code long} count. Not in Open MPI's bindings. */
    public Status mRecv(final @Nullable Object buf, final long count, final Datatype type) throws MPIException {
        return imRecv(buf, count, type).waitStatus();
    }

    /** Starts {@link #mRecv}. */
    public Request imRecv(final @Nullable Buffer buf, final int count, final Datatype type) throws MPIException {
        return imRecv((Object) buf, (long) count, type);
    }

    /** Performs {@link #imRecv(Buffer, int, Datatype)}; the buffer may be an array, and the count is {@code long}. Not in Open MPI's bindings. */
    public Request imRecv(final @Nullable Object buf, final long count, final Datatype type) throws MPIException {
        final MatchedMessage message = matched;
        final Comm on = comm;
        if (message == null || on == null) {
            // Remedy: test the result of the probe.
            throw ErrorHandling.error(MPI.ERR_REQUEST, "message is null: nothing was found, or it has been received");
        }
        try {
            final Request request = on.request(message.irecv(buf, count, Datatype.of(type)));
            matched = null;
            comm = null;
            return request;
        } catch (final MpiFailure e) {
            throw on.raise(e);
        }
    }
}
