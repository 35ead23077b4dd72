package mpi;

import java.util.List;
import tutti.coll.Operation;
import tutti.runtime.comm.Communicator;
import tutti.runtime.error.MpiFailure;

/**
 * Ranks that communicate with each other and with nobody else: messages, collective operations and what is known of the group.
 *
 * <p>Calls with a buffer take an array or a java.nio buffer, the number of elements, and their type. Threads as the rank's thread level
 * says. Between {@code MPI.Init} and {@code MPI.Finalize} only.
 */
public class Comm extends CommAttributes implements Freeable, Cloneable, AutoCloseable {
    /** For {@link Intracomm#splitType}: the ranks of one node share memory. */
    public static final int TYPE_SHARED = 0;

    private volatile String name;
    private volatile Info info;
    private Request request = Request.NULL;

    Comm(final Communicator handle, final String name) {
        super(handle);
        this.name = name;
    }

    /** One of the same class around another communicator, with the same topology if there is one. */
    Comm like(final Communicator other) {
        return new Comm(other, "");
    }

    /** As {@link #dup}; an error comes as an unchecked exception. */
    @Override
    public Comm clone() {
        try {
            return dup();
        } catch (final MPIException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /** Makes a communicator of the same ranks, with its topology, hints, error handler, and the attributes that are copied. All ranks call it. */
    public Comm dup() throws MPIException {
        checkUsable();
        try {
            return inherit(like(handle.dup()), info);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** As {@link #dup}, but with other hints. */
    public Comm dupWithInfo(final Info hints) throws MPIException {
        checkUsable();
        if (hints == null) {
            throw raise(Constants.ERR_INFO, "info is null");
        }
        final Info copy = hints.clone();
        try {
            return inherit(like(handle.dup()), copy.isNull() ? null : copy);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Starts {@link #dup}. The communicator may be used when {@link #getRequest its request} is complete. */
    public Comm iDup() throws MPIException {
        checkUsable();
        try {
            final Communicator.Pending pending = handle.iDup();
            final Comm made = inherit(like(pending.communicator()), info);
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

    /** Of a communicator that {@link #iDup} returned the request that makes it; of others the null request. */
    public final Request getRequest() {
        return request;
    }

    /**
     * {@code MPI.IDENT} for the same communicator, {@code MPI.CONGRUENT} for the same ranks in the same order, {@code MPI.SIMILAR} in another
     * order, or {@code MPI.UNEQUAL}.
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

    /** Ranks in the group. */
    public final int getSize() throws MPIException {
        checkUsable();
        return handle.size();
    }

    /** The calling rank in the group. */
    public final int getRank() throws MPIException {
        checkUsable();
        return handle.rank();
    }

    /**
     * Lets go of the communicator and its attributes, as all of its ranks must. What is under way on it goes on to its end. The communicators that
     * MPI makes cannot be freed.
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

    /** As {@link #free}, after what is under way on it is complete. */
    public final void disconnect() throws MPIException {
        checkFreeable();
        attributes.clear();
        try {
            handle.disconnect();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** As {@link #free}, but does nothing when it is no communicator any more. Not in Open MPI's bindings. */
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

    /** Whether it is no communicator: it was freed, or the call that returned it had none to give. */
    public final boolean isNull() {
        return handle.isNull();
    }

    /** Replaces the hints. */
    public final void setInfo(final Info hints) throws MPIException {
        checkUsable();
        if (hints == null || hints.isNull()) {
            throw raise(Constants.ERR_INFO, "info is null");
        }
        info = hints.dup();
    }

    /** A copy of the hints. */
    public final Info getInfo() throws MPIException {
        checkUsable();
        final Info hints = info;
        return hints == null ? new Info() : hints.dup();
    }

    /** The group of ranks. */
    public final Group getGroup() throws MPIException {
        checkUsable();
        return new Group(handle.group(), handle.owner().worldRank());
    }

    /** Whether it joins two groups. */
    public final boolean isInter() throws MPIException {
        checkUsable();
        return handle.isInter();
    }

    /**
     * Joins the group of {@code localComm} with another group. All ranks of both call it; their leaders reach each other over this communicator,
     * which means nothing to the others.
     *
     * @param localLeader  a rank of {@code localComm}
     * @param remoteLeader the other leader in this communicator
     * @param tag          tells it from others that are made over this communicator at the same time
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

    /** The kind of its topology: {@code MPI.CART}, {@code MPI.GRAPH}, {@code MPI.DIST_GRAPH}, or {@code MPI.UNDEFINED}. */
    public final int getTopology() throws MPIException {
        checkUsable();
        final Topology topology = topology();
        return topology == null ? Constants.UNDEFINED : topology.kind();
    }

    /** Gives the communicator a name. */
    public final void setName(final String newName) throws MPIException {
        checkUsable();
        name = ObjectNames.shorten(newName);
        handle.setName(name.isEmpty() ? null : name);
    }

    /** The name. */
    public final String getName() throws MPIException {
        checkUsable();
        return name;
    }

    /**
     * Which module and algorithm serve each collective operation on this communicator, and why the others do not. Not in Open MPI's
     * bindings. Local: it communicates with nobody.
     *
     * @return one for every operation, in alphabetical order
     */
    public final List<Explanation> explain() throws MPIException {
        checkUsable();
        return handle.explain().stream().map(Explanation::of).toList();
    }

    /** As {@link #explain()}, for one operation: in lower case as there, {@code reduce_scatter} for one. Not in Open MPI's bindings. */
    public final Explanation explain(final String operation) throws MPIException {
        for (final Explanation e : explain()) {
            if (e.operation().equals(operation)) {
                return e;
            }
        }
        throw noSuchOperation(operation);
    }

    /**
     * As {@link #explain(String)}, for calls of so many bytes: of the data of one rank; for operations with blocks of all blocks together. Not
     * in Open MPI's bindings.
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

    /** Says what becomes of errors of calls on this communicator from now on. Local; communicators made of this one begin with its handler. */
    public final void setErrhandler(final Errhandler handler) throws MPIException {
        checkUsable();
        if (handler == null || handler.isNull()) {
            throw raise(Constants.ERR_ARG, "error handler is null: use MPI.ERRORS_RETURN or another");
        }
        errhandler = handler;
    }

    /** What becomes of errors; at first {@code MPI.ERRORS_ARE_FATAL}. */
    public final Errhandler getErrhandler() throws MPIException {
        checkUsable();
        return errhandler.live();
    }

    /** Has the error handler deal with an error. Returns when that does; what {@code MPI.ERRORS_RETURN} does is nothing. */
    public void callErrhandler(final int errorCode) throws MPIException {
        checkUsable();
        ErrorHandling.call(this, errorCode);
    }

    /** Ends the job with an exit status. Does not return. */
    public final void abort(final int errorCode) throws MPIException {
        checkUsable();
        handle.abort(errorCode);
    }

    /** Copies elements without gaps to {@code outBuf} from byte {@code position} on; returns the byte after them. */
    public final int pack(final Object inBuf, final int inCount, final Datatype type, final byte[] outBuf, final int position)
            throws MPIException {
        checkUsable();
        try {
            return LocalOperations.pack(inBuf, inCount, Datatype.of(type), outBuf, position);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** The way back from {@link #pack}; returns the byte after what was read. */
    public final int unpack(final byte[] inBuf, final int position, final Object outBuf, final int outCount, final Datatype type)
            throws MPIException {
        checkUsable();
        try {
            return LocalOperations.unpack(inBuf, position, outBuf, outCount, Datatype.of(type));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** The bytes that {@link #pack} needs; {@code MPI.UNDEFINED} when that is more than an int holds. */
    public final int packSize(final int inCount, final Datatype type) throws MPIException {
        checkUsable();
        try {
            final long bytes = LocalOperations.packedBytes(inCount, Datatype.of(type));
            return bytes > Integer.MAX_VALUE ? Constants.UNDEFINED : (int) bytes;
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Computes {@code inOutBuf = inBuf op inOutBuf} without communication. */
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
