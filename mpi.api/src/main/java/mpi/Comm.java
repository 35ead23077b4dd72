package mpi;

import java.util.List;
import tutti.coll.Operation;
import tutti.runtime.comm.Communicator;
import tutti.runtime.error.MpiFailure;

/**
 * A communicator: a group of ranks, or two groups, that exchange messages and perform collective operations in a context of their own.
 *
 * <p>Calls with a buffer take an array or a java.nio buffer, the number of elements, and their datatype. Threads may call as the rank's thread
 * level allows, between {@code MPI.Init} and {@code MPI.Finalize} only. An error invokes the communicator's error handler; if that returns, the
 * call throws the {@link MPIException}.
 */
public class Comm extends CommAttributes implements Freeable, Cloneable, AutoCloseable {
    /** Split type of {@link Intracomm#splitType}: ranks of one node, which share memory. */
    public static final int TYPE_SHARED = 0;

    private volatile String name;
    private volatile Info info;
    private Request request = Request.NULL;

    Comm(final Communicator handle, final String name) {
        super(handle);
        this.name = name;
    }

    /** Returns a communicator of the same class, with the same topology, around another communicator of the runtime. */
    Comm wrap(final Communicator other) {
        return new Comm(other, "");
    }

    /** Duplicates this communicator as {@link #dup} does; an error is thrown as an {@link IllegalStateException}. */
    @Override
    public Comm clone() {
        try {
            return dup();
        } catch (final MPIException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /**
     * Duplicates this communicator: the new one has the same ranks, topology, hints and error handler, and the attributes that are copied. All
     * ranks must call it.
     */
    public Comm dup() throws MPIException {
        checkUsable();
        try {
            return inherit(wrap(handle.dup()), info);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Duplicates this communicator as {@link #dup} does, but with other hints. */
    public Comm dupWithInfo(final Info hints) throws MPIException {
        checkUsable();
        if (hints == null) {
            throw raise(Constants.ERR_INFO, "info is null");
        }
        final Info copy = hints.clone();
        try {
            return inherit(wrap(handle.dup()), copy.isNull() ? null : copy);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Starts {@link #dup}. The new communicator may be used when {@link #getRequest its request} is complete. */
    public Comm iDup() throws MPIException {
        checkUsable();
        try {
            final Communicator.Pending pending = handle.iDup();
            final Comm made = inherit(wrap(pending.communicator()), info);
            made.request = request(pending.request());
            return made;
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private Comm inherit(final Comm made, final Info hints) throws MPIException {
        made.errhandler = errhandler;
        made.info = hints == null ? null : hints.dup();
        attributes.copyTo(made.attributes);
        return made;
    }

    /** Returns the request of {@link #iDup} if this communicator was returned by it, else the null request. */
    public final Request getRequest() {
        return request;
    }

    /**
     * Compares two communicators.
     *
     * @return {@code MPI.IDENT} for the same communicator, {@code MPI.CONGRUENT} for the same ranks in the same order, {@code MPI.SIMILAR} for
     *       the same ranks in another order, else {@code MPI.UNEQUAL}
     */
    public static int compare(final Comm comm1, final Comm comm2) throws MPIException {
        if (comm1 == null || comm2 == null) {
            throw ErrorHandling.error(Constants.ERR_COMM, "communicator is null");
        }
        comm1.checkUsable();
        comm2.checkUsable();
        return switch (comm1.handle.compare(comm2.handle)) {
            case IDENT -> Constants.IDENT;
            case CONGRUENT -> Constants.CONGRUENT;
            case SIMILAR -> Constants.SIMILAR;
            case UNEQUAL -> Constants.UNEQUAL;
        };
    }

    /** Returns the number of ranks in the (local) group. */
    public final int getSize() throws MPIException {
        checkUsable();
        return handle.size();
    }

    /** Returns the rank of the caller in the (local) group. */
    public final int getRank() throws MPIException {
        checkUsable();
        return handle.rank();
    }

    /**
     * Frees this communicator and its attributes. All of its ranks must call it. Pending operations complete. Predefined communicators cannot be
     * freed.
     */
    @Override
    public final void free() throws MPIException {
        checkFreeable();
        attributes.clear();
        try {
            handle.free();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Waits until all pending operations on this communicator are complete, and frees it. All of its ranks must call it. */
    public final void disconnect() throws MPIException {
        checkFreeable();
        attributes.clear();
        try {
            handle.disconnect();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Frees this communicator as {@link #free} does; does nothing if it is null. Not in Open MPI's bindings. */
    @Override
    public final void close() throws MPIException {
        if (!isNull()) {
            free();
        }
    }

    private void checkFreeable() throws MPIException {
        checkUsable();
        if (handle.isPredefined()) {
            throw raise(Constants.ERR_COMM, "predefined communicator cannot be freed: comm=" + name);
        }
    }

    /** Returns whether this is the null communicator: it was freed, or the call that created it returned none. */
    public final boolean isNull() {
        return handle.isNull();
    }

    /** Replaces the hints of this communicator. Local. */
    public final void setInfo(final Info hints) throws MPIException {
        checkUsable();
        if (hints == null || hints.isNull()) {
            throw raise(Constants.ERR_INFO, "info is null");
        }
        info = hints.dup();
    }

    /** Returns a copy of the hints. Local. */
    public final Info getInfo() throws MPIException {
        checkUsable();
        final Info hints = info;
        return hints == null ? new Info() : hints.dup();
    }

    /** Returns the (local) group. Local. */
    public final Group getGroup() throws MPIException {
        checkUsable();
        return new Group(handle.group(), handle.owner().worldRank());
    }

    /** Returns whether this is an intercommunicator. Local. */
    public final boolean isInter() throws MPIException {
        checkUsable();
        return handle.isInter();
    }

    /**
     * Creates an intercommunicator from the group of {@code localComm} and another group. All ranks of both groups must call it; the two leaders
     * communicate over this communicator, which is significant at the leaders only.
     *
     * @param localComm    communicator of the local group
     * @param localLeader  rank of the local leader in {@code localComm}
     * @param remoteLeader rank of the remote leader in this communicator
     * @param tag          distinguishes concurrent creations over this communicator
     */
    public final Intercomm createIntercomm(final Comm localComm, final int localLeader, final int remoteLeader, final int tag)
        throws MPIException {
        if (localComm == null) {
            throw raise(Constants.ERR_COMM, "local communicator is null");
        }
        localComm.checkUsable();
        try {
            final Intercomm made = new Intercomm(localComm.handle.createIntercomm(localLeader, handle, remoteLeader, tag), "");
            made.errhandler = localComm.errhandler;
            return made;
        } catch (final MpiFailure e) {
            throw localComm.raise(e);
        }
    }

    /** Returns the kind of topology: {@code MPI.CART}, {@code MPI.GRAPH}, {@code MPI.DIST_GRAPH}, or {@code MPI.UNDEFINED}. Local. */
    public final int getTopology() throws MPIException {
        checkUsable();
        final Topology topology = topology();
        return topology == null ? Constants.UNDEFINED : topology.kind();
    }

    /** Sets the name of this communicator. Local. */
    public final void setName(final String newName) throws MPIException {
        checkUsable();
        name = ObjectNames.shorten(newName);
        handle.setName(name.isEmpty() ? null : name);
    }

    /** Returns the name of this communicator. Local. */
    public final String getName() throws MPIException {
        checkUsable();
        return name;
    }

    /**
     * Explains which module and algorithm are selected for each collective operation on this communicator, and why the other modules are not. Not
     * in Open MPI's bindings. Local.
     *
     * @return an explanation for every operation, in alphabetical order
     */
    public final List<Explanation> explain() throws MPIException {
        checkUsable();
        return handle.explain().stream().map(Explanation::of).toList();
    }

    /**
     * Explains the selection for one operation as {@link #explain()} does. Not in Open MPI's bindings. Local.
     *
     * @param operation name in lower case, {@code reduce_scatter} for example
     */
    public final Explanation explain(final String operation) throws MPIException {
        for (final Explanation e : explain()) {
            if (e.operation().equals(operation)) {
                return e;
            }
        }
        throw noSuchOperation(operation);
    }

    /**
     * Explains the selection for calls of one operation and size. Not in Open MPI's bindings. Local.
     *
     * @param operation name in lower case, {@code reduce_scatter} for example
     * @param bytes     size of the data of one rank; for operations with blocks, of all blocks together
     */
    public final Explanation explain(final String operation, final long bytes) throws MPIException {
        checkUsable();
        if (bytes < 0) {
            throw raise(Constants.ERR_ARG, "bytes out of range: bytes=" + bytes + ", min=0");
        }
        for (final Operation<?> o : Operation.values()) {
            if (o.id().equals(operation)) {
                return Explanation.of(handle.explain(o, bytes));
            }
        }
        throw noSuchOperation(operation);
    }

    private MPIException noSuchOperation(final String operation) throws MPIException {
        return raise(Constants.ERR_ARG, "no such operation: name=" + operation + ", known=" + Operation.values());
    }

    /** Sets the error handler of this communicator. Local. Communicators that are created from this one start with its handler. */
    public final void setErrhandler(final Errhandler handler) throws MPIException {
        checkUsable();
        if (handler == null || handler.isNull()) {
            throw raise(Constants.ERR_ARG, "error handler is null: use MPI.ERRORS_RETURN or another");
        }
        errhandler = handler;
    }

    /** Returns the error handler, initially {@code MPI.ERRORS_ARE_FATAL}. Local. */
    public final Errhandler getErrhandler() throws MPIException {
        checkUsable();
        return errhandler.copyIfFreed();
    }

    /** Invokes the error handler with an error code, and returns when the handler returns; {@code MPI.ERRORS_RETURN} does nothing. */
    public void callErrhandler(final int errorCode) throws MPIException {
        checkUsable();
        ErrorHandling.call(this, errorCode);
    }

    /** Aborts the job with an exit status. Does not return. */
    public final void abort(final int errorCode) throws MPIException {
        checkUsable();
        handle.abort(errorCode);
    }

    /**
     * Packs elements without gaps into {@code outBuf}.
     *
     * @param inBuf    elements to pack
     * @param inCount  number of elements
     * @param type     datatype of the elements
     * @param outBuf   receives the packed bytes
     * @param position offset of the first packed byte
     * @return the offset after the last packed byte
     */
    public final int pack(final Object inBuf, final int inCount, final Datatype type, final byte[] outBuf, final int position)
        throws MPIException {
        checkUsable();
        try {
            return LocalOperations.pack(inBuf, inCount, Datatype.of(type), outBuf, position);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Unpacks elements that {@link #pack} packed.
     *
     * @param inBuf    packed bytes
     * @param position offset of the first packed byte
     * @param outBuf   receives the elements
     * @param outCount number of elements
     * @param type     datatype of the elements
     * @return the offset after the last byte that was read
     */
    public final int unpack(final byte[] inBuf, final int position, final Object outBuf, final int outCount, final Datatype type)
        throws MPIException {
        checkUsable();
        try {
            return LocalOperations.unpack(inBuf, position, outBuf, outCount, Datatype.of(type));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Returns the number of bytes that {@link #pack} needs; {@code MPI.UNDEFINED} if that is greater than an int can represent. */
    public final int packSize(final int inCount, final Datatype type) throws MPIException {
        checkUsable();
        try {
            final long bytes = LocalOperations.packedBytes(inCount, Datatype.of(type));
            return bytes > Integer.MAX_VALUE ? Constants.UNDEFINED : (int) bytes;
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Computes {@code inOutBuf[i] = inBuf[i] op inOutBuf[i]}. Local.
     *
     * @param inBuf    left operands
     * @param inOutBuf right operands; receives the results
     * @param count    number of elements
     * @param type     datatype of the elements
     * @param op       reduction operation
     */
    public static void reduceLocal(final Object inBuf, final Object inOutBuf, final int count, final Datatype type, final Op op)
        throws MPIException {
        try {
            LocalOperations.reduce(inBuf, inOutBuf, count, Datatype.of(type), Op.of(op, type));
        } catch (final MpiFailure e) {
            throw ErrorHandling.error(e);
        }
    }

    @Override
    public String toString() {
        return handle.name();
    }
}
