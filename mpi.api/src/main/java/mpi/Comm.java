package mpi;

import java.nio.Buffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tutti.coll.Operation;
import tutti.runtime.comm.Communicator;
import tutti.runtime.comm.Rank;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Reserved;
import tutti.runtime.p2p.SendMode;
import tutti.runtime.request.PersistentRequest;

/**
 * A communicator: a group of ranks, or two groups, that exchange messages and perform collective operations in a context of their own.
 *
 * <p>Calls with a buffer take an array or a java.nio buffer, the number of elements, and their datatype. Threads may call as the rank's thread
 * level allows, between {@code MPI.Init} and {@code MPI.Finalize} only. An error invokes the communicator's error handler; if that returns, the
 * call throws the {@link MPIException}. On an intercommunicator ranks of messages are those of the remote group.
 *
 * <p>All ranks of the communicator must call the same collective operations in the same order and with the same root. A blocking call returns
 * when the calling rank's part of the operation is complete. On an intercommunicator the root passes {@code MPI.ROOT}, the other ranks of its
 * group pass {@code MPI.PROC_NULL}, and the ranks of the other group pass the root's rank.
 *
 * <p>Nonblocking calls return a request at once; buffers must not be accessed until it is complete. Persistent requests are created once and
 * started many times; all ranks must create those of collective operations in the same order, may start them in any order, and must not access
 * buffers while an operation is active. Persistent collective operations, and calls with a {@code long} count or a nonblocking or persistent call
 * with an array, are not in Open MPI's bindings.
 *
 * <p>A buffer may be null where no elements are sent or received, except that of {@link #sendRecvReplace} and those of local calls. Arguments that
 * are significant at the root only may be null on the other ranks.
 *
 * <p>In neighbourhood collectives a rank exchanges data with its neighbours in the topology of the communicator, which {@link CartComm} and
 * {@link GraphComm} have. Buffers have one block for each neighbour, in the order of neighbours. In a grid that is, for each dimension, first the
 * rank before and then the rank behind; blocks of neighbours beyond an end are not accessed. Arrays with an entry for each neighbour may be null
 * where there are no neighbours.
 *
 * <p>In a job that goes on when ranks fail, a call that needs a failed rank fails with a {@link ProcessFailedException}; other calls succeed, also on
 * the same communicator. A collective operation may fail on some ranks and succeed on others. {@link #revoke} ends the calls on a communicator on all
 * of its ranks, so that no rank waits for one that has left an operation. By {@link #agree} the ranks that have not failed decide together how they
 * continue, and by {@link #shrink} they get a communicator without the others, or by {@link #replace} one with spare ranks in their places. All this
 * is not in Open MPI's bindings.
 */
public class Comm implements Freeable, Cloneable, AutoCloseable {
    /** Split type of {@link Intracomm#splitType}: ranks of one node, which share memory. */
    public static final int TYPE_SHARED = 0;
    /**
     * Split type of {@link Intracomm#splitType}: ranks in one domain of the level of locality that hint {@code mpi_hw_resource_type} names: {@code
     * hwthread}, {@code core}, {@code cache}, {@code numa}, {@code socket}, {@code jvm}, {@code host}, {@code switch}, {@code switch2} and so on.
     */
    public static final int TYPE_HW_GUIDED = 1;
    /** Split type of {@link Intracomm#splitType}: ranks in one domain of the outermost level of locality that divides the communicator. */
    public static final int TYPE_HW_UNGUIDED = 2;

    final Communicator handle;
    /** The error handler; a communicator that is created from others inherits that of the first. */
    volatile Errhandler errhandler = Errhandler.FATAL;
    final CommAttributes attributes = new CommAttributes(this);
    final CollectiveCalls<tutti.runtime.request.Request> blocking;
    final CollectiveCalls<tutti.runtime.request.Request> nonblocking;
    final CollectiveCalls<PersistentRequest> persistent;
    private final MessageCalls messages = new MessageCalls(this);
    private volatile String name;
    private volatile Info info = Info.NULL;
    private Request request = Request.NULL;

    Comm(final Communicator handle, final String name) {
        this.handle = handle;
        this.name = name;
        this.blocking = new CollectiveCalls<>(handle.engine().blocking(), this);
        this.nonblocking = new CollectiveCalls<>(handle.engine().nonblocking(), this);
        this.persistent = new CollectiveCalls<>(handle.engine().persistent(), this);
    }

    /** Throws outside of Init and Finalize, and on a communicator that is null, being made or revoked. */
    final void checkUsable() throws MPIException {
        InitState.check(handle.owner());
        try {
            handle.checkUsable();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Throws as {@link #checkUsable} does, but not on a revoked communicator: for local calls, and those that a program makes after a failure. */
    final void checkReady() throws MPIException {
        InitState.check(handle.owner());
        try {
            handle.checkReady();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Converts the runtime's failure to the error of a call on this communicator; errors of a null communicator are raised on COMM_WORLD. */
    final MPIException raise(final MpiFailure failure) {
        return ErrorHandling.on(failure.errorClass() == ErrorClass.COMM && handle.isNull() ? Bindings.of(handle.owner()).world() : this, failure);
    }

    /** Creates the error of a call on this communicator. */
    final MPIException raise(final int errorClass, final String message) {
        return ErrorHandling.on(this, errorClass, message, null);
    }

    /** Wraps a pending operation on this communicator. */
    final Request request(final tutti.runtime.request.Request started) {
        return new Request(started, this);
    }

    /** Wraps a persistent operation on this communicator. */
    final Prequest persistent(final PersistentRequest made) {
        return new Prequest(made, this);
    }

    /** Returns the topology; null if the communicator has none. */
    @Nullable
    Topology topology() {
        return null;
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

    /** Duplicates this communicator as {@link #dup} does, but with other hints. Those that the runtime reads are checked as {@link #setInfo} does. */
    public Comm dupWithInfo(final Info hints) throws MPIException {
        checkUsable();
        if (hints == null) {
            // Cause: no info, or it was freed. Remedy: `MPI.INFO_NULL` or a new one.
            throw raise(MPI.ERR_INFO, "info is null");
        }
        try {
            return inherit(wrap(handle.dup(hints.toMap())), hints);
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
        inheritErrhandler(made);
        made.keep(hints);
        attributes.copyTo(made);
        return made;
    }

    /** Sets the error handler of a new communicator to that of this one. */
    final <C extends Comm> C inheritErrhandler(final C made) {
        made.errhandler = errhandler;
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
            // Cause: no communicator, or a null one, which `split` gives ranks without a colour. Remedy: test with `isNull`.
            throw ErrorHandling.error(MPI.ERR_COMM, "communicator is null");
        }
        comm1.checkReady();
        comm2.checkReady();
        return switch (comm1.handle.compare(comm2.handle)) {
            case IDENT -> MPI.IDENT;
            case CONGRUENT -> MPI.CONGRUENT;
            case SIMILAR -> MPI.SIMILAR;
            case UNEQUAL -> MPI.UNEQUAL;
        };
    }

    /** Returns the number of ranks in the (local) group. */
    public final int getSize() throws MPIException {
        checkReady();
        return handle.size();
    }

    /** Returns the rank of the caller in the (local) group. */
    public final int getRank() throws MPIException {
        checkReady();
        return handle.rank();
    }

    /**
     * Frees this communicator and its attributes. All of its ranks that have not failed must call it. Pending operations complete. Predefined
     * communicators cannot be freed, revoked ones can.
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
        checkReady();
        if (handle.isPredefined()) {
            // Cause: `MPI.COMM_WORLD` and `MPI.COMM_SELF` live until Finalize. Remedy: do not free it.
            throw raise(MPI.ERR_COMM, "predefined communicator cannot be freed: comm=" + name);
        }
    }

    /** Returns whether this is the null communicator: it was freed, or the call that created it returned none. */
    public final boolean isNull() {
        return handle.isNull();
    }

    /**
     * Sets hints of this communicator; those that {@code hints} does not have keep their values. All ranks must call it. Unknown hints are kept and
     * ignored. {@code tutti_coll_OPERATION} names the module or algorithm for later calls of an operation, {@code tutti_average_block} the average
     * block of calls; both must be equal on all ranks. The assertions of MPI, such as {@code mpi_assert_no_any_source}, are true or false. An
     * invalid hint is an error of class {@code MPI.ERR_INFO_KEY} or {@code MPI.ERR_INFO_VALUE} on all ranks, and no hint is changed.
     */
    public final void setInfo(final Info hints) throws MPIException {
        checkUsable();
        if (hints == null || hints.isNull()) {
            throw raise(MPI.ERR_INFO, "info is null");
        }
        final Info merged = info.isNull() ? new Info() : info.dup();
        for (final Map.Entry<String, String> hint : hints.toMap().entrySet()) {
            merged.set(hint.getKey(), hint.getValue());
        }
        try {
            handle.setHints(merged.toMap());
        } catch (final MpiFailure e) {
            throw raise(e);
        }
        info = merged;
    }

    /** Sets the hints that {@link #getInfo} returns besides those of the runtime. */
    final void keep(final Info hints) {
        info = hints.clone();
    }

    /** Returns a copy of the hints: those that were set, and the assertions of MPI, which are false by default. Local. */
    public final Info getInfo() throws MPIException {
        checkReady();
        final Info hints = info.isNull() ? new Info() : info.dup();
        for (final Map.Entry<String, String> hint : handle.hints().entrySet()) {
            hints.set(hint.getKey(), hint.getValue());
        }
        return hints;
    }

    /** Returns the (local) group. Local. */
    public final Group getGroup() throws MPIException {
        checkReady();
        return new Group(handle.group(), handle.owner().worldRank());
    }

    /** Returns whether this is an intercommunicator. Local. */
    public final boolean isInter() throws MPIException {
        checkReady();
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
            // Cause: `createIntercomm` needs one. Remedy: give it.
            throw raise(MPI.ERR_COMM, "local communicator is null");
        }
        localComm.checkUsable();
        try {
            return localComm.inheritErrhandler(new Intercomm(localComm.handle.createIntercomm(localLeader, handle, remoteLeader, tag), ""));
        } catch (final MpiFailure e) {
            throw localComm.raise(e);
        }
    }

    /** Returns the kind of topology: {@code MPI.CART}, {@code MPI.GRAPH}, {@code MPI.DIST_GRAPH}, or {@code MPI.UNDEFINED}. Local. */
    public final int getTopology() throws MPIException {
        checkReady();
        final Topology topology = topology();
        return switch (topology) {
            case null -> MPI.UNDEFINED;
            case CartTopology _ -> MPI.CART;
            case GraphTopology _ -> MPI.GRAPH;
            case Adjacency _ -> MPI.DIST_GRAPH;
        };
    }

    /** Sets the name of this communicator. Local. */
    public final void setName(final String newName) throws MPIException {
        checkReady();
        name = ObjectNames.shorten(newName);
        handle.setName(name.isEmpty() ? null : name);
    }

    /** Returns the name of this communicator; {@code MPI_COMM_NULL} if it is null. Local. */
    public final String getName() throws MPIException {
        InitState.check(handle.owner());
        return isNull() ? "MPI_COMM_NULL" : name;
    }

    /**
     * Explains which module and algorithm are selected for each collective operation on this communicator, and why the other modules are not. Not
     * in Open MPI's bindings. Local.
     *
     * @return an explanation for every operation, in alphabetical order
     */
    public final List<Explanation> explain() throws MPIException {
        checkUsable();
        return handle.engine().explain().stream().map(Explanation::of).toList();
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
            // Cause: a size that is asked for is below 0. Remedy: 0 or more.
            throw raise(MPI.ERR_ARG, "bytes out of range: bytes=" + bytes + ", min=0");
        }
        return Explanation.of(handle.engine().explain(operation(operation), bytes));
    }

    /**
     * Explains the collectives that this rank's plan of a call nests on hidden communicators, which a hierarchical algorithm does. The call is that
     * of {@link #explain(String, long)}, with root 0, and is planned but not started. Not in Open MPI's bindings. Local.
     *
     * @param operation name in lower case, {@code reduce_scatter} for example
     * @param bytes     size of the data of one rank; for operations with blocks, of all blocks together
     * @return the nested collectives in the order of the plan, those that they nest themselves included; none on an intercommunicator, and for
     *         operations on neighbours
     */
    public final List<Explanation.Part> explainParts(final String operation, final long bytes) throws MPIException {
        checkUsable();
        if (bytes < 0) {
            throw raise(MPI.ERR_ARG, "bytes out of range: bytes=" + bytes + ", min=0");
        }
        try {
            return handle.engine().parts(operation(operation), bytes).stream()
                .map(p -> new Explanation.Part(p.operation(), p.communicator(), p.bytes(), p.module(), p.algorithm(), p.reason())).toList();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private Operation<?> operation(final String id) throws MPIException {
        for (final Operation<?> o : Operation.values()) {
            if (o.id().equals(id)) {
                return o;
            }
        }
        throw noSuchOperation(id);
    }

    private MPIException noSuchOperation(final String operation) throws MPIException {
        // Cause: no collective operation has this name. Remedy: choose one of the list.
        return raise(MPI.ERR_ARG, "no such operation: name=" + operation + ", known=" + Operation.values());
    }

    /** Sets the error handler of this communicator. Local. Communicators that are created from this one start with its handler. */
    public final void setErrhandler(final Errhandler handler) throws MPIException {
        checkReady();
        if (handler == null || handler.isNull()) {
            // Cause: `setErrhandler(null)`.
            throw raise(MPI.ERR_ARG, "error handler is null: use MPI.ERRORS_RETURN or another");
        }
        errhandler = handler;
    }

    /** Returns the error handler, initially {@code MPI.ERRORS_ARE_FATAL}. Local. */
    public final Errhandler getErrhandler() throws MPIException {
        checkReady();
        return errhandler.copyIfFreed();
    }

    /** Invokes the error handler with an error code, and returns when the handler returns; {@code MPI.ERRORS_RETURN} does nothing. */
    public void callErrhandler(final int errorCode) throws MPIException {
        checkReady();
        ErrorHandling.call(this, errorCode);
    }

    /** Aborts the job with an exit status. Does not return. */
    public final void abort(final int errorCode) throws MPIException {
        checkReady();
        handle.abort(errorCode);
    }

    /**
     * Packs elements without gaps into {@code outBuf}.
     *
     * @param inBuf    elements to pack
     * @param inCount  number of elements
     * @param type     datatype of the elements
     * @param outBuf   receives the packed bytes
     * @param position offset of the first packed byte, in bytes
     * @return the offset after the last packed byte
     */
    public final int pack(final Object inBuf, final int inCount, final Datatype type, final byte[] outBuf, final int position)
        throws MPIException {
        checkReady();
        try {
            return LocalOperations.pack(inBuf, inCount, Datatype.of(type), outBuf, position, handle.owner()::checksKinds);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Unpacks elements that {@link #pack} packed.
     *
     * @param inBuf    packed bytes
     * @param position offset of the first packed byte, in bytes
     * @param outBuf   receives the elements
     * @param outCount number of elements
     * @param type     datatype of the elements
     * @return the offset after the last byte that was read
     */
    public final int unpack(final byte[] inBuf, final int position, final Object outBuf, final int outCount, final Datatype type)
        throws MPIException {
        checkReady();
        try {
            return LocalOperations.unpack(inBuf, position, outBuf, outCount, Datatype.of(type), handle.owner()::checksKinds);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Returns the number of bytes that {@link #pack} needs; {@code MPI.UNDEFINED} if that is greater than an int can represent. */
    public final int packSize(final int inCount, final Datatype type) throws MPIException {
        checkReady();
        try {
            final long bytes = LocalOperations.packedBytes(inCount, Datatype.of(type));
            return bytes > Integer.MAX_VALUE ? MPI.UNDEFINED : (int) bytes;
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private static boolean callerChecksKinds() {
        final Rank rank = ErrorHandling.callingRank();
        return rank == null || rank.checksKinds();
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
            LocalOperations.reduce(inBuf, inOutBuf, count, Datatype.of(type), Op.of(op, type), Comm::callerChecksKinds);
        } catch (final MpiFailure e) {
            throw ErrorHandling.error(e);
        }
    }

    /** Creates an attribute key for communicators. Duplicates do not get the values. Local. */
    public static int createKeyval() throws MPIException {
        return createKeyval(null, null);
    }

    /**
     * Creates an attribute key for communicators, with callbacks. Not in Open MPI's bindings. Local.
     *
     * @param copy   computes the value that a duplicate gets, {@code (comm, key, value) -> value} to copy it unchanged; null to copy nothing
     * @param delete runs before an attribute is removed; null for no callback
     */
    public static int createKeyval(final @Nullable AttributeCopy<? super Comm> copy, final @Nullable AttributeDelete<? super Comm> delete)
        throws MPIException {
        return Keyvals.ofCaller().create(Comm.class, copy, delete);
    }

    /**
     * Frees an attribute key. Attributes that have it stay: they can be read and deleted, and callbacks run, but no more can be set. Local.
     */
    public static void freeKeyval(final int keyval) throws MPIException {
        Keyvals.ofCaller().free(Comm.class, keyval);
    }

    /** Sets an attribute, whose value may be null; an existing value of the key is deleted first. Local. */
    public final void setAttr(final int keyval, final @Nullable Object value) throws MPIException {
        attributes.set(keyval, value);
    }

    /**
     * Returns the value of an attribute; null if the communicator has none of that key. The predefined keys are constants of class MPI:
     * {@code TAG_UB}, {@code HOST}, {@code IO}, {@code APPNUM}, {@code LASTUSEDCODE} and {@code UNIVERSE_SIZE} have an Integer,
     * {@code WTIME_IS_GLOBAL} a Boolean. {@code APPNUM} is the index of the program among those that were spawned together, {@code UNIVERSE_SIZE} the
     * number of cores of the cluster at this time, and at least the number of ranks. Local.
     */
    public final @Nullable Object getAttr(final int keyval) throws MPIException {
        return attributes.get(keyval);
    }

    /** Deletes an attribute, if there is one. Local. */
    public final void deleteAttr(final int keyval) throws MPIException {
        attributes.delete(keyval);
    }

    // Failures of ranks

    /**
     * Returns the ranks of this communicator, of both groups of an intercommunicator, that the calling rank knows to have failed. They are in the
     * order in which it learned of them: the group of an earlier call is the beginning of that of a later one. Other ranks may know of others. Also
     * on a revoked communicator. Local. Not in Open MPI's bindings.
     *
     * @return a group of the program; the empty group if no rank has failed
     */
    public final Group getFailed() throws MPIException {
        checkReady();
        try {
            return Group.create(handle.failed(), handle.owner().worldRank());
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Acknowledges the first ranks of {@link #getFailed}: receives from {@code MPI.ANY_SOURCE} no longer fail because of them, and {@link #agree}
     * succeeds if all ranks have acknowledged them. Also on a revoked communicator. Local. Not in Open MPI's bindings.
     *
     * @param count number of ranks, from 0; all if it is greater than their number. Ranks that were acknowledged before stay acknowledged
     * @return the number of ranks that are acknowledged now
     */
    public final int ackFailed(final int count) throws MPIException {
        checkReady();
        if (count < 0) {
            // Cause: `ackFailed` acknowledges a number of failed ranks. Remedy: 0 or more.
            throw raise(MPI.ERR_ARG, "number of failed ranks out of range: count=" + count + ", min=0");
        }
        try {
            return handle.acknowledge(count);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Revokes this communicator on all of its ranks. From now on their calls that communicate on it or create another communicator from it fail with
     * a {@link RevokedException}, and so do calls that wait. Excepted are {@link #agree}, {@link #iAgree} and {@link #shrink}; local calls and {@link
     * #free} are made as before. One rank calls this, without the others, and it does not wait for them. Has no effect on a revoked communicator. Not
     * in Open MPI's bindings.
     */
    public final void revoke() throws MPIException {
        checkReady();
        try {
            handle.revoke();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /** Returns whether the calling rank knows that this communicator was {@link #revoke revoked}. Local. Not in Open MPI's bindings. */
    public final boolean isRevoked() throws MPIException {
        checkReady();
        try {
            return handle.isRevoked();
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Computes the bitwise AND of the flags of all ranks, of both groups of an intercommunicator, that have not failed. All of these ranks must call
     * it, or {@link #iAgree}; it ends on all of them, with the same flag, also if ranks fail in the meantime. Also on a revoked communicator. Not in
     * Open MPI's bindings.
     *
     * @param flag its first element is the flag of the calling rank and receives the result; further elements are not accessed
     * @throws ProcessFailedException of class {@code MPI.ERR_PROC_FAILED}, on all ranks, if a rank has failed that not all of the others have {@link
     *       #ackFailed acknowledged}. The flag has been set nevertheless
     */
    public final void agree(final int[] flag) throws MPIException {
        startAgreement(flag).waitFor();
    }

    /**
     * Starts {@link #agree}. The flag is set, and must not be accessed before, when a call finds the request complete, which fails as {@code agree}
     * does. The flag of a request that was freed is not set. Not in Open MPI's bindings.
     *
     * @param flag as for {@link #agree}
     */
    public final Request iAgree(final int[] flag) throws MPIException {
        return startAgreement(flag);
    }

    private Request startAgreement(final int[] flag) throws MPIException {
        checkReady();
        if (flag == null || flag.length == 0) {
            // Cause: `agree` needs an array for its flag, of which it uses the first element. Remedy: `new int[] {flag}`.
            throw raise(MPI.ERR_ARG, "array of the flag too short: length=" + (flag == null ? null : flag.length) + ", min=1");
        }
        try {
            return new AgreeRequest(handle.agree(flag[0]), this, flag);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Creates a communicator of the ranks that have not failed, in their order here; of an intercommunicator, one with both groups reduced to them.
     * All of these ranks must call it; it ends on all of them, with the same ranks, also if ranks fail in the meantime. Also on a revoked
     * communicator, which stays revoked. The new communicator has the error handler of this one; it has no topology, attributes, hints or name. Not
     * in Open MPI's bindings.
     */
    public Comm shrink() throws MPIException {
        checkReady();
        try {
            return inheritErrhandler(shrunk(handle.shrink()));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Starts {@link #shrink}. Not in Open MPI's bindings.
     *
     * @param made its first element must be null, and is set to the new communicator when a call finds the request complete; further elements are not
     *             accessed
     */
    public final Request iShrink(final Comm[] made) throws MPIException {
        checkReady();
        if (made == null || made.length == 0 || made[0] != null || !made.getClass().getComponentType().isAssignableFrom(typeOfShrunk())) {
            // Cause: `iShrink` needs an array for its result. Remedy: `new Intracomm[1]`, or `new Intercomm[1]` on an intercommunicator.
            throw raise(MPI.ERR_ARG, "array of the result is null, too short or of another kind of communicator, or its first element is not null");
        }
        try {
            return new ShrunkRequest(handle.iShrink(), this, made);
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    /**
     * Creates a communicator of the same size, in which spare ranks of the job have the places of the ranks that have failed; the others keep their
     * ranks. All ranks that have not failed must call it; it ends on all of them, with the same ranks, also if ranks fail in the meantime. A spare
     * rank begins its program then, and has the new communicator as {@code MPI.COMM_WORLD}: {@link MPI#getIncarnation} tells it that it takes the
     * place of another rank. Also on a revoked communicator, which stays revoked. The new communicator has the error handler of this one; it has no
     * topology, attributes, hints or name. Without failed ranks it is one of the same ranks. For intracommunicators. Not in Open MPI's bindings.
     *
     * @throws MPIException of class {@link MPI#ERR_SPAWN} when there are fewer spare ranks than ranks that have failed, on all ranks
     */
    public Comm replace() throws MPIException {
        checkReady();
        try {
            return inheritErrhandler(shrunk(handle.replace()));
        } catch (final MpiFailure e) {
            throw raise(e);
        }
    }

    private Class<? extends Comm> typeOfShrunk() {
        return this instanceof Intercomm ? Intercomm.class : this instanceof Intracomm ? Intracomm.class : Comm.class;
    }

    /** Returns the object of a communicator that was shrunk from this one. */
    Comm shrunk(final Communicator made) {
        return new Comm(made, "");
    }

    // Point-to-point communication

    /**
     * Sends a message in standard mode. Returns when the buffer may be reused.
     *
     * @param buf   elements to send
     * @param count number of elements
     * @param type  datatype of the elements
     * @param dest  rank of the destination, or {@code MPI.PROC_NULL}
     * @param tag   message tag
     */
    public final void send(final @Nullable Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        messages.send(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** Performs {@link #send(Object, int, Datatype, int, int)} with a {@code long} count. */
    public final void send(final @Nullable Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        messages.send(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /**
     * Sends a message in buffered mode: the data is copied to the attached buffer, and the call does not wait for the receiver. The parameters
     * are those of {@link #send(Object, int, Datatype, int, int)}.
     */
    public final void bSend(final @Nullable Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        messages.send(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** Performs {@link #bSend(Object, int, Datatype, int, int)} with a {@code long} count. */
    public final void bSend(final @Nullable Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        messages.send(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /**
     * Sends a message in synchronous mode: returns when the receiver has matched the message. The parameters are those of
     * {@link #send(Object, int, Datatype, int, int)}.
     */
    public final void sSend(final @Nullable Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        messages.send(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** Performs {@link #sSend(Object, int, Datatype, int, int)} with a {@code long} count. */
    public final void sSend(final @Nullable Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        messages.send(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /**
     * Sends a message in ready mode: the matching receive must have been posted. The parameters are those of
     * {@link #send(Object, int, Datatype, int, int)}.
     */
    public final void rSend(final @Nullable Object buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        messages.send(SendMode.READY, buf, count, type, dest, tag);
    }

    /** Performs {@link #rSend(Object, int, Datatype, int, int)} with a {@code long} count. */
    public final void rSend(final @Nullable Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        messages.send(SendMode.READY, buf, count, type, dest, tag);
    }

    /**
     * Receives a message. Returns when the data is in the buffer.
     *
     * @param buf    receives the elements
     * @param count  maximum number of elements
     * @param type   datatype of the elements
     * @param source rank of the sender, or {@code MPI.ANY_SOURCE} or {@code MPI.PROC_NULL}
     * @param tag    message tag, or {@code MPI.ANY_TAG}
     * @return the status of the message
     */
    public final Status recv(final @Nullable Object buf, final int count, final Datatype type, final int source, final int tag) throws MPIException {
        return messages.recv(buf, count, type, source, tag);
    }

    /** Performs {@link #recv(Object, int, Datatype, int, int)} with a {@code long} count. */
    public final Status recv(final @Nullable Object buf, final long count, final Datatype type, final int source, final int tag) throws MPIException {
        return messages.recv(buf, count, type, source, tag);
    }

    /**
     * Sends one message and receives another at the same time.
     *
     * @param sendBuf   elements to send
     * @param sendCount number of elements to send
     * @param sendType  datatype of the elements to send
     * @param dest      rank of the destination
     * @param sendTag   tag of the message to send
     * @param recvBuf   receives the elements
     * @param recvCount maximum number of elements to receive
     * @param recvType  datatype of the elements to receive
     * @param source    rank of the sender, or {@code MPI.ANY_SOURCE}
     * @param recvTag   tag of the message to receive, or {@code MPI.ANY_TAG}
     * @return the status of the message received
     */
    public final Status sendRecv(final @Nullable Object sendBuf, final int sendCount, final Datatype sendType, final int dest, final int sendTag,
        final @Nullable Object recvBuf, final int recvCount, final Datatype recvType, final int source, final int recvTag) throws MPIException {
        return messages.sendRecv(sendBuf, sendCount, sendType, dest, sendTag, recvBuf, recvCount, recvType, source, recvTag);
    }

    /** Performs {@link #sendRecv(Object, int, Datatype, int, int, Object, int, Datatype, int, int)} with a {@code long} count. */
    public final Status sendRecv(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final int dest, final int sendTag,
        final @Nullable Object recvBuf, final long recvCount, final Datatype recvType, final int source, final int recvTag) throws MPIException {
        return messages.sendRecv(sendBuf, sendCount, sendType, dest, sendTag, recvBuf, recvCount, recvType, source, recvTag);
    }

    /**
     * Sends one message and receives another into the same buffer.
     *
     * @param buf     elements to send; receives the elements
     * @param count   number of elements
     * @param type    datatype of the elements
     * @param dest    rank of the destination
     * @param sendTag tag of the message to send
     * @param source  rank of the sender, or {@code MPI.ANY_SOURCE}
     * @param recvTag tag of the message to receive, or {@code MPI.ANY_TAG}
     * @return the status of the message received
     */
    public final Status sendRecvReplace(final Object buf, final int count, final Datatype type,
        final int dest, final int sendTag, final int source, final int recvTag) throws MPIException {
        return messages.sendRecvReplace(buf, count, type, dest, sendTag, source, recvTag);
    }

    /** Performs {@link #sendRecvReplace(Object, int, Datatype, int, int, int, int)} with a {@code long} count. */
    public final Status sendRecvReplace(final Object buf, final long count, final Datatype type,
        final int dest, final int sendTag, final int source, final int recvTag) throws MPIException {
        return messages.sendRecvReplace(buf, count, type, dest, sendTag, source, recvTag);
    }

    /**
     * Starts to send one message and to receive another, as one request, which cannot be cancelled. The arguments are those of
     * {@link #sendRecv(Object, int, Datatype, int, int, Object, int, Datatype, int, int)}; the status of the request is that of the message
     * received. Not in Open MPI's bindings.
     */
    public final Request iSendRecv(final @Nullable Object sendBuf, final int sendCount, final Datatype sendType, final int dest, final int sendTag,
        final @Nullable Object recvBuf, final int recvCount, final Datatype recvType, final int source, final int recvTag) throws MPIException {
        return messages.iSendRecv(sendBuf, sendCount, sendType, dest, sendTag, recvBuf, recvCount, recvType, source, recvTag);
    }

    /** Performs {@link #iSendRecv(Object, int, Datatype, int, int, Object, int, Datatype, int, int)} with a {@code long} count. */
    public final Request iSendRecv(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final int dest, final int sendTag,
        final @Nullable Object recvBuf, final long recvCount, final Datatype recvType, final int source, final int recvTag) throws MPIException {
        return messages.iSendRecv(sendBuf, sendCount, sendType, dest, sendTag, recvBuf, recvCount, recvType, source, recvTag);
    }

    /**
     * Starts to send one message and to receive another into the same buffer, as one request, which cannot be cancelled. The arguments are those of
     * {@link #sendRecvReplace(Object, int, Datatype, int, int, int, int)}. Not in Open MPI's bindings.
     */
    public final Request iSendRecvReplace(final Object buf, final int count, final Datatype type,
        final int dest, final int sendTag, final int source, final int recvTag) throws MPIException {
        return messages.iSendRecvReplace(buf, count, type, dest, sendTag, source, recvTag);
    }

    /** Performs {@link #iSendRecvReplace(Object, int, Datatype, int, int, int, int)} with a {@code long} count. */
    public final Request iSendRecvReplace(final Object buf, final long count, final Datatype type,
        final int dest, final int sendTag, final int source, final int recvTag) throws MPIException {
        return messages.iSendRecvReplace(buf, count, type, dest, sendTag, source, recvTag);
    }

    /**
     * Waits for a message that can be received, without receiving it.
     *
     * @param source rank of the sender, or {@code MPI.ANY_SOURCE}
     * @param tag    message tag, or {@code MPI.ANY_TAG}
     * @return the status of the message
     */
    public final Status probe(final int source, final int tag) throws MPIException {
        return messages.probe(source, tag);
    }

    /**
     * Returns the status of a message that can be received, without receiving it; null if there is none.
     *
     * @param source rank of the sender, or {@code MPI.ANY_SOURCE}
     * @param tag    message tag, or {@code MPI.ANY_TAG}
     */
    public final @Nullable Status iProbe(final int source, final int tag) throws MPIException {
        return messages.iProbe(source, tag);
    }

    /** Starts {@link #send(Object, int, Datatype, int, int)}. */
    public final Request iSend(final @Nullable Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return messages.iSend(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** Performs {@link #iSend(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is {@code long}. */
    public final Request iSend(final @Nullable Object buf, final long count, final Datatype type, final int dest, final int tag) throws MPIException {
        return messages.iSend(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** Starts {@link #bSend(Object, int, Datatype, int, int)}. */
    public final Request ibSend(final @Nullable Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return messages.iSend(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** Performs {@link #ibSend(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is {@code long}. */
    public final Request ibSend(final @Nullable Object buf, final long count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        return messages.iSend(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** Starts {@link #sSend(Object, int, Datatype, int, int)}. */
    public final Request isSend(final @Nullable Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return messages.iSend(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** Performs {@link #isSend(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is {@code long}. */
    public final Request isSend(final @Nullable Object buf, final long count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        return messages.iSend(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** Starts {@link #rSend(Object, int, Datatype, int, int)}. */
    public final Request irSend(final @Nullable Buffer buf, final int count, final Datatype type, final int dest, final int tag) throws MPIException {
        return messages.iSend(SendMode.READY, buf, count, type, dest, tag);
    }

    /** Performs {@link #irSend(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is {@code long}. */
    public final Request irSend(final @Nullable Object buf, final long count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        return messages.iSend(SendMode.READY, buf, count, type, dest, tag);
    }

    /** Starts {@link #recv(Object, int, Datatype, int, int)}. */
    public final Request iRecv(final @Nullable Buffer buf, final int count, final Datatype type, final int source, final int tag)
        throws MPIException {
        return messages.iRecv(buf, count, type, source, tag);
    }

    /** Performs {@link #iRecv(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is {@code long}. */
    public final Request iRecv(final @Nullable Object buf, final long count, final Datatype type, final int source, final int tag)
        throws MPIException {
        return messages.iRecv(buf, count, type, source, tag);
    }

    /** Creates a persistent request for {@link #send(Object, int, Datatype, int, int)}. */
    public final Prequest sendInit(final @Nullable Buffer buf, final int count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        return messages.sendInit(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /**
     * Creates the same request as {@link #sendInit(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is
     * {@code long}.
     */
    public final Prequest sendInit(final @Nullable Object buf, final long count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        return messages.sendInit(SendMode.STANDARD, buf, count, type, dest, tag);
    }

    /** Creates a persistent request for {@link #bSend(Object, int, Datatype, int, int)}. */
    public final Prequest bSendInit(final @Nullable Buffer buf, final int count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        return messages.sendInit(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /**
     * Creates the same request as {@link #bSendInit(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is
     * {@code long}.
     */
    public final Prequest bSendInit(final @Nullable Object buf, final long count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        return messages.sendInit(SendMode.BUFFERED, buf, count, type, dest, tag);
    }

    /** Creates a persistent request for {@link #sSend(Object, int, Datatype, int, int)}. */
    public final Prequest sSendInit(final @Nullable Buffer buf, final int count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        return messages.sendInit(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /**
     * Creates the same request as {@link #sSendInit(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is
     * {@code long}.
     */
    public final Prequest sSendInit(final @Nullable Object buf, final long count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        return messages.sendInit(SendMode.SYNCHRONOUS, buf, count, type, dest, tag);
    }

    /** Creates a persistent request for {@link #rSend(Object, int, Datatype, int, int)}. */
    public final Prequest rSendInit(final @Nullable Buffer buf, final int count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        return messages.sendInit(SendMode.READY, buf, count, type, dest, tag);
    }

    /**
     * Creates the same request as {@link #rSendInit(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is
     * {@code long}.
     */
    public final Prequest rSendInit(final @Nullable Object buf, final long count, final Datatype type, final int dest, final int tag)
        throws MPIException {
        return messages.sendInit(SendMode.READY, buf, count, type, dest, tag);
    }

    /** Creates a persistent request for {@link #recv(Object, int, Datatype, int, int)}. */
    public final Prequest recvInit(final @Nullable Buffer buf, final int count, final Datatype type, final int source, final int tag)
        throws MPIException {
        return messages.recvInit(buf, count, type, source, tag);
    }

    /**
     * Creates the same request as {@link #recvInit(Buffer, int, Datatype, int, int)}; the buffer may be an array, and the count is
     * {@code long}.
     */
    public final Prequest recvInit(final @Nullable Object buf, final long count, final Datatype type, final int source, final int tag)
        throws MPIException {
        return messages.recvInit(buf, count, type, source, tag);
    }

    // Collective operations: blocking

    /**
     * Broadcasts a message from the root to all ranks.
     *
     * @param buf   the message at the root; receives the message at the other ranks
     * @param count number of elements
     * @param type  datatype of the elements
     * @param root  rank of the root
     */
    public final void bcast(final @Nullable Object buf, final int count, final Datatype type, final int root) throws MPIException {
        blocking.bcast(buf, count, type, root);
    }

    /** Performs {@link #bcast(Object, int, Datatype, int)} with {@code long} counts. */
    public final void bcast(final @Nullable Object buf, final long count, final Datatype type, final int root) throws MPIException {
        blocking.bcast(buf, count, type, root);
    }

    /**
     * Gathers the data of all ranks at the root.
     *
     * @param sendBuf   data of the calling rank
     * @param sendCount number of elements sent
     * @param sendType  datatype of the elements sent
     * @param recvBuf   receives the blocks in the order of ranks; significant at the root only
     * @param recvCount number of elements received from each rank; significant at the root only
     * @param recvType  datatype of the elements received; significant at the root only
     * @param root      rank of the root
     */
    public final void gather(final @Nullable Object sendBuf, final int sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final int recvCount, final @Nullable Datatype recvType, final int root) throws MPIException {
        blocking.gather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root);
    }

    /** Performs {@link #gather(Object, int, Datatype, Object, int, Datatype, int)} with {@code long} counts. */
    public final void gather(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final long recvCount, final @Nullable Datatype recvType, final int root) throws MPIException {
        blocking.gather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root);
    }

    /**
     * Gathers in place: at the root {@code buf} is the receive buffer and contains the root's own block; other ranks send {@code buf}.
     *
     * @param buf   receive buffer at the root, send buffer at the other ranks
     * @param count number of elements of each rank
     * @param type  datatype of the elements
     * @param root  rank of the root
     */
    public final void gather(final @Nullable Object buf, final int count, final Datatype type, final int root) throws MPIException {
        blocking.gather(buf, count, type, root);
    }

    /** Performs {@link #gather(Object, int, Datatype, int)} with {@code long} counts. */
    public final void gather(final @Nullable Object buf, final long count, final Datatype type, final int root) throws MPIException {
        blocking.gather(buf, count, type, root);
    }

    /**
     * Gathers blocks of different sizes at the root.
     *
     * @param sendBuf    data of the calling rank
     * @param sendCount  number of elements sent
     * @param sendType   datatype of the elements sent
     * @param recvBuf    receives the blocks; significant at the root only
     * @param recvCounts number of elements received from each rank; significant at the root only
     * @param displs     position of each rank's block, in extents of {@code recvType}; significant at the root only
     * @param recvType   datatype of the elements received; significant at the root only
     * @param root       rank of the root
     */
    public final void gatherv(final @Nullable Object sendBuf, final int sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final int @Nullable [] recvCounts, final int @Nullable [] displs, final @Nullable Datatype recvType, final int root) throws MPIException {
        blocking.gatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType, root);
    }

    /**
     * Performs {@link #gatherv(Object, int, Datatype, Object, int[], int[], Datatype, int)} with {@code long} counts; counts and
     * displacements are {@code int[]} or {@code long[]}.
     */
    public final void gatherv(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final @Nullable Object recvCounts, final @Nullable Object displs, final @Nullable Datatype recvType, final int root) throws MPIException {
        blocking.gatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType, root);
    }

    /**
     * Gathers blocks of different sizes in place. Called by the root; the other ranks call {@link #gatherv(Object, int, Datatype, int)}.
     *
     * @param recvBuf    receives the blocks, and contains the root's own block
     * @param recvCounts number of elements of each rank
     * @param displs     position of each rank's block, in extents of {@code recvType}
     * @param recvType   datatype of the elements
     * @param root       the calling rank
     */
    public final void gatherv(final @Nullable Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType, final int root)
        throws MPIException {
        blocking.gatherv(Reserved.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root);
    }

    /** Performs {@link #gatherv(Object, int[], int[], Datatype, int)} with {@code long} counts. */
    public final void gatherv(final @Nullable Object recvBuf, final long[] recvCounts, final long[] displs, final Datatype recvType, final int root)
        throws MPIException {
        blocking.gatherv(Reserved.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root);
    }

    /**
     * Sends a block to the root, which gathers blocks of different sizes. Called by ranks other than the root.
     *
     * @param sendBuf   data of the calling rank
     * @param sendCount number of elements sent
     * @param sendType  datatype of the elements sent
     * @param root      rank of the root
     */
    public final void gatherv(final @Nullable Object sendBuf, final int sendCount, final Datatype sendType, final int root) throws MPIException {
        blocking.gatherv(sendBuf, sendCount, sendType, null, null, null, sendType, root);
    }

    /** Performs {@link #gatherv(Object, int, Datatype, int)} with {@code long} counts. */
    public final void gatherv(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final int root) throws MPIException {
        blocking.gatherv(sendBuf, sendCount, sendType, null, null, null, sendType, root);
    }

    /**
     * Scatters blocks of equal size from the root to all ranks.
     *
     * @param sendBuf   blocks to send in the order of ranks; significant at the root only
     * @param sendCount number of elements sent to each rank; significant at the root only
     * @param sendType  datatype of the elements sent; significant at the root only
     * @param recvBuf   receives the block of the calling rank
     * @param recvCount number of elements received
     * @param recvType  datatype of the elements received
     * @param root      rank of the root
     */
    public final void scatter(final @Nullable Object sendBuf, final int sendCount, final @Nullable Datatype sendType, final @Nullable Object recvBuf,
        final int recvCount, final Datatype recvType, final int root) throws MPIException {
        blocking.scatter(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root);
    }

    /** Performs {@link #scatter(Object, int, Datatype, Object, int, Datatype, int)} with {@code long} counts. */
    public final void scatter(final @Nullable Object sendBuf, final long sendCount, final @Nullable Datatype sendType, final @Nullable Object recvBuf,
        final long recvCount, final Datatype recvType, final int root) throws MPIException {
        blocking.scatter(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root);
    }

    /**
     * Scatters in place: at the root {@code buf} is the send buffer, and the root's own block stays there; other ranks receive into {@code buf}.
     *
     * @param buf   send buffer at the root, receive buffer at the other ranks
     * @param count number of elements of each rank
     * @param type  datatype of the elements
     * @param root  rank of the root
     */
    public final void scatter(final @Nullable Object buf, final int count, final Datatype type, final int root) throws MPIException {
        blocking.scatter(buf, count, type, root);
    }

    /** Performs {@link #scatter(Object, int, Datatype, int)} with {@code long} counts. */
    public final void scatter(final @Nullable Object buf, final long count, final Datatype type, final int root) throws MPIException {
        blocking.scatter(buf, count, type, root);
    }

    /**
     * Scatters blocks of different sizes from the root to all ranks.
     *
     * @param sendBuf    blocks to send; significant at the root only
     * @param sendCounts number of elements sent to each rank; significant at the root only
     * @param displs     position of each rank's block, in extents of {@code sendType}; significant at the root only
     * @param sendType   datatype of the elements sent; significant at the root only
     * @param recvBuf    receives the block of the calling rank
     * @param recvCount  number of elements received
     * @param recvType   datatype of the elements received
     * @param root       rank of the root
     */
    public final void scatterv(final @Nullable Object sendBuf, final int @Nullable [] sendCounts, final int @Nullable [] displs,
        final @Nullable Datatype sendType, final @Nullable Object recvBuf, final int recvCount, final Datatype recvType, final int root)
        throws MPIException {
        blocking.scatterv(sendBuf, sendCounts, displs, sendType, recvBuf, recvCount, recvType, root);
    }

    /**
     * Performs {@link #scatterv(Object, int[], int[], Datatype, Object, int, Datatype, int)} with {@code long} counts; counts and
     * displacements are {@code int[]} or {@code long[]}.
     */
    public final void scatterv(final @Nullable Object sendBuf, final @Nullable Object sendCounts, final @Nullable Object displs,
        final @Nullable Datatype sendType, final @Nullable Object recvBuf, final long recvCount, final Datatype recvType, final int root)
        throws MPIException {
        blocking.scatterv(sendBuf, sendCounts, displs, sendType, recvBuf, recvCount, recvType, root);
    }

    /**
     * Scatters blocks of different sizes in place. Called by the root; the other ranks call {@link #scatterv(Object, int, Datatype, int)}.
     *
     * @param sendBuf    blocks to send; the root's own block stays there
     * @param sendCounts number of elements of each rank
     * @param displs     position of each rank's block, in extents of {@code sendType}
     * @param sendType   datatype of the elements
     * @param root       the calling rank
     */
    public final void scatterv(final @Nullable Object sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType, final int root)
        throws MPIException {
        blocking.scatterv(sendBuf, sendCounts, displs, sendType, Reserved.IN_PLACE, 0, sendType, root);
    }

    /** Performs {@link #scatterv(Object, int[], int[], Datatype, int)} with {@code long} counts. */
    public final void scatterv(final @Nullable Object sendBuf, final long[] sendCounts, final long[] displs, final Datatype sendType, final int root)
        throws MPIException {
        blocking.scatterv(sendBuf, sendCounts, displs, sendType, Reserved.IN_PLACE, 0, sendType, root);
    }

    /**
     * Receives a block from the root, which scatters blocks of different sizes. Called by ranks other than the root.
     *
     * @param recvBuf   receives the block of the calling rank
     * @param recvCount number of elements received
     * @param recvType  datatype of the elements received
     * @param root      rank of the root
     */
    public final void scatterv(final @Nullable Object recvBuf, final int recvCount, final Datatype recvType, final int root) throws MPIException {
        blocking.scatterv(null, null, null, recvType, recvBuf, recvCount, recvType, root);
    }

    /** Performs {@link #scatterv(Object, int, Datatype, int)} with {@code long} counts. */
    public final void scatterv(final @Nullable Object recvBuf, final long recvCount, final Datatype recvType, final int root) throws MPIException {
        blocking.scatterv(null, null, null, recvType, recvBuf, recvCount, recvType, root);
    }

    /**
     * Combines the data of all ranks and returns the result to the root.
     *
     * @param sendBuf data of the calling rank
     * @param recvBuf receives the result; significant at the root only
     * @param count   number of elements
     * @param type    datatype of the elements
     * @param op      reduction operation
     * @param root    rank of the root
     */
    public final void reduce(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final int count, final Datatype type, final Op op,
        final int root) throws MPIException {
        blocking.reduce(sendBuf, recvBuf, count, type, op, root);
    }

    /** Performs {@link #reduce(Object, Object, int, Datatype, Op, int)} with {@code long} counts. */
    public final void reduce(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long count, final Datatype type, final Op op,
        final int root) throws MPIException {
        blocking.reduce(sendBuf, recvBuf, count, type, op, root);
    }

    /**
     * Reduces in place: at the root {@code buf} contains the root's data and receives the result; other ranks send {@code buf}.
     *
     * @param buf   the data of the calling rank, and the result at the root
     * @param count number of elements
     * @param type  datatype of the elements
     * @param op    reduction operation
     * @param root  rank of the root
     */
    public final void reduce(final @Nullable Object buf, final int count, final Datatype type, final Op op, final int root) throws MPIException {
        blocking.reduce(buf, count, type, op, root);
    }

    /** Performs {@link #reduce(Object, int, Datatype, Op, int)} with {@code long} counts. */
    public final void reduce(final @Nullable Object buf, final long count, final Datatype type, final Op op, final int root) throws MPIException {
        blocking.reduce(buf, count, type, op, root);
    }

    /** Blocks until all ranks of the communicator have called it. */
    public final void barrier() throws MPIException {
        blocking.barrier();
    }

    /**
     * Gathers the data of all ranks to all ranks.
     *
     * @param sendBuf   data of the calling rank
     * @param sendCount number of elements sent
     * @param sendType  datatype of the elements sent
     * @param recvBuf   receives the block of rank i at position {@code i * recvCount}
     * @param recvCount number of elements received from each rank
     * @param recvType  datatype of the elements received
     */
    public final void allGather(final @Nullable Object sendBuf, final int sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final int recvCount, final Datatype recvType) throws MPIException {
        blocking.allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** Performs {@link #allGather(Object, int, Datatype, Object, int, Datatype)} with {@code long} counts. */
    public final void allGather(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        blocking.allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /**
     * Gathers the data of all ranks to all ranks in place: each rank's data is at the rank's block of {@code buf}.
     *
     * @param buf   the data of the calling rank and the result
     * @param count number of elements of each rank
     * @param type  datatype of the elements
     */
    public final void allGather(final @Nullable Object buf, final int count, final Datatype type) throws MPIException {
        blocking.allGather(Reserved.IN_PLACE, 0, type, buf, count, type);
    }

    /** Performs {@link #allGather(Object, int, Datatype)} with {@code long} counts. */
    public final void allGather(final @Nullable Object buf, final long count, final Datatype type) throws MPIException {
        blocking.allGather(Reserved.IN_PLACE, 0, type, buf, count, type);
    }

    /**
     * Gathers blocks of different sizes to all ranks.
     *
     * @param sendBuf    data of the calling rank
     * @param sendCount  number of elements sent
     * @param sendType   datatype of the elements sent
     * @param recvBuf    receives the blocks of all ranks
     * @param recvCounts number of elements received from each rank
     * @param displs     position of each rank's block in {@code recvBuf}, in extents of {@code recvType}
     * @param recvType   datatype of the elements received
     */
    public final void allGatherv(final @Nullable Object sendBuf, final int sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        blocking.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType);
    }

    /** Performs {@link #allGatherv(Object, int, Datatype, Object, int[], int[], Datatype)} with {@code long} counts. */
    public final void allGatherv(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final long[] recvCounts, final long[] displs, final Datatype recvType) throws MPIException {
        blocking.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType);
    }

    /**
     * Gathers blocks of different sizes to all ranks in place: each rank's data is at the rank's block of {@code recvBuf}.
     *
     * @param recvBuf    the data of the calling rank and the result
     * @param recvCounts number of elements of each rank
     * @param displs     position of each rank's block, in extents of {@code recvType}
     * @param recvType   datatype of the elements
     */
    public final void allGatherv(final @Nullable Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType)
        throws MPIException {
        blocking.allGatherv(Reserved.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType);
    }

    /** Performs {@link #allGatherv(Object, int[], int[], Datatype)} with {@code long} counts. */
    public final void allGatherv(final @Nullable Object recvBuf, final long[] recvCounts, final long[] displs, final Datatype recvType)
        throws MPIException {
        blocking.allGatherv(Reserved.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType);
    }

    /**
     * Sends a distinct block of equal size from each rank to each rank.
     *
     * @param sendBuf   blocks to send, in the order of ranks
     * @param sendCount number of elements sent to each rank
     * @param sendType  datatype of the elements sent
     * @param recvBuf   receives the blocks, in the order of ranks
     * @param recvCount number of elements received from each rank
     * @param recvType  datatype of the elements received
     */
    public final void allToAll(final @Nullable Object sendBuf, final int sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final int recvCount, final Datatype recvType) throws MPIException {
        blocking.allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** Performs {@link #allToAll(Object, int, Datatype, Object, int, Datatype)} with {@code long} counts. */
    public final void allToAll(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        blocking.allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /**
     * Sends a distinct block of equal size from each rank to each rank in place: the block received from a rank replaces the block sent to it.
     * Not in Open MPI's bindings.
     *
     * @param buf   blocks to send and to receive, in the order of ranks
     * @param count number of elements of each block
     * @param type  datatype of the elements
     */
    public final void allToAll(final @Nullable Object buf, final long count, final Datatype type) throws MPIException {
        blocking.allToAll(Reserved.IN_PLACE, 0, type, buf, count, type);
    }

    /**
     * Sends a distinct block from each rank to each rank; blocks may differ in size.
     *
     * @param sendBuf    blocks to send
     * @param sendCounts number of elements sent to each rank
     * @param sendDispls position of each block to send, in extents of {@code sendType}
     * @param sendType   datatype of the elements sent
     * @param recvBuf    receives the blocks
     * @param recvCounts number of elements received from each rank
     * @param recvDispls position of each block to receive, in extents of {@code recvType}
     * @param recvType   datatype of the elements received
     */
    public final void allToAllv(final @Nullable Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType,
        final @Nullable Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        blocking.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType);
    }

    /** Performs {@link #allToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)} with {@code long} counts. */
    public final void allToAllv(final @Nullable Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype sendType,
        final @Nullable Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype recvType) throws MPIException {
        blocking.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType);
    }

    /**
     * Sends a distinct block from each rank to each rank in place; two ranks exchange blocks of one size. Not in Open MPI's bindings.
     *
     * @param buf    blocks to send and to receive
     * @param counts number of elements of each block
     * @param displs position of each block, in extents of {@code type}
     * @param type   datatype of the elements
     */
    public final void allToAllv(final @Nullable Object buf, final int[] counts, final int[] displs, final Datatype type) throws MPIException {
        blocking.allToAllv(Reserved.IN_PLACE, null, null, type, buf, counts, displs, type);
    }

    /** Performs {@link #allToAllv(Object, int[], int[], Datatype)} with {@code long} counts. */
    public final void allToAllv(final @Nullable Object buf, final long[] counts, final long[] displs, final Datatype type) throws MPIException {
        blocking.allToAllv(Reserved.IN_PLACE, null, null, type, buf, counts, displs, type);
    }

    /**
     * Sends a distinct block from each rank to each rank; blocks may differ in size and datatype.
     *
     * @param sendBuf    blocks to send
     * @param sendCounts number of elements sent to each rank
     * @param sendDispls position of each block to send, in bytes
     * @param sendTypes  datatype of the elements sent to each rank
     * @param recvBuf    receives the blocks
     * @param recvCounts number of elements received from each rank
     * @param recvDispls position of each block to receive, in bytes
     * @param recvTypes  datatype of the elements received from each rank
     */
    public final void allToAllw(final @Nullable Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes,
        final @Nullable Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        blocking.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes);
    }

    /** Performs {@link #allToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])} with {@code long} counts. */
    public final void allToAllw(final @Nullable Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes,
        final @Nullable Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        blocking.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes);
    }

    /**
     * Sends a distinct block from each rank to each rank in place; two ranks exchange blocks of one size and datatype. Not in Open MPI's
     * bindings.
     *
     * @param buf    blocks to send and to receive
     * @param counts number of elements of each block
     * @param displs position of each block, in bytes
     * @param types  datatype of the elements of each block
     */
    public final void allToAllw(final @Nullable Object buf, final int[] counts, final int[] displs, final Datatype[] types) throws MPIException {
        blocking.allToAllw(Reserved.IN_PLACE, null, null, null, buf, counts, displs, types);
    }

    /** Performs {@link #allToAllw(Object, int[], int[], Datatype[])} with {@code long} counts. */
    public final void allToAllw(final @Nullable Object buf, final long[] counts, final long[] displs, final Datatype[] types) throws MPIException {
        blocking.allToAllw(Reserved.IN_PLACE, null, null, null, buf, counts, displs, types);
    }

    /**
     * Combines the data of all ranks and returns the result to all ranks.
     *
     * @param sendBuf data of the calling rank
     * @param recvBuf receives the result
     * @param count   number of elements
     * @param type    datatype of the elements
     * @param op      reduction operation
     */
    public final void allReduce(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final int count, final Datatype type, final Op op)
        throws MPIException {
        blocking.allReduce(sendBuf, recvBuf, count, type, op);
    }

    /** Performs {@link #allReduce(Object, Object, int, Datatype, Op)} with {@code long} counts. */
    public final void allReduce(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long count, final Datatype type, final Op op)
        throws MPIException {
        blocking.allReduce(sendBuf, recvBuf, count, type, op);
    }

    /**
     * Combines the data of all ranks in place and returns the result to all ranks.
     *
     * @param buf   the data of the calling rank and the result
     * @param count number of elements
     * @param type  datatype of the elements
     * @param op    reduction operation
     */
    public final void allReduce(final @Nullable Object buf, final int count, final Datatype type, final Op op) throws MPIException {
        blocking.allReduce(Reserved.IN_PLACE, buf, count, type, op);
    }

    /** Performs {@link #allReduce(Object, int, Datatype, Op)} with {@code long} counts. */
    public final void allReduce(final @Nullable Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        blocking.allReduce(Reserved.IN_PLACE, buf, count, type, op);
    }

    /**
     * Combines the data of all ranks and scatters the result in blocks that may differ in size.
     *
     * @param sendBuf    data of the calling rank: the blocks of all ranks
     * @param recvBuf    receives the block of the calling rank
     * @param recvCounts number of elements of each rank's block
     * @param type       datatype of the elements
     * @param op         reduction operation
     */
    public final void reduceScatter(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final int[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        blocking.reduceScatter(sendBuf, recvBuf, recvCounts, type, op);
    }

    /** Performs {@link #reduceScatter(Object, Object, int[], Datatype, Op)} with {@code long} counts. */
    public final void reduceScatter(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        blocking.reduceScatter(sendBuf, recvBuf, recvCounts, type, op);
    }

    /**
     * Combines and scatters in place: the block of the calling rank is stored at the start of {@code buf}.
     *
     * @param buf    the data of the calling rank and the result
     * @param counts number of elements of each rank's block
     * @param type   datatype of the elements
     * @param op     reduction operation
     */
    public final void reduceScatter(final @Nullable Object buf, final int[] counts, final Datatype type, final Op op) throws MPIException {
        blocking.reduceScatter(Reserved.IN_PLACE, buf, counts, type, op);
    }

    /** Performs {@link #reduceScatter(Object, int[], Datatype, Op)} with {@code long} counts. */
    public final void reduceScatter(final @Nullable Object buf, final long[] counts, final Datatype type, final Op op) throws MPIException {
        blocking.reduceScatter(Reserved.IN_PLACE, buf, counts, type, op);
    }

    /**
     * Combines the data of all ranks and scatters the result in blocks of equal size.
     *
     * @param sendBuf   data of the calling rank: the blocks of all ranks
     * @param recvBuf   receives the block of the calling rank
     * @param recvCount number of elements of each block
     * @param type      datatype of the elements
     * @param op        reduction operation
     */
    public final void reduceScatterBlock(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final int recvCount, final Datatype type,
        final Op op) throws MPIException {
        blocking.reduceScatterBlock(sendBuf, recvBuf, recvCount, type, op);
    }

    /** Performs {@link #reduceScatterBlock(Object, Object, int, Datatype, Op)} with {@code long} counts. */
    public final void reduceScatterBlock(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long recvCount, final Datatype type,
        final Op op) throws MPIException {
        blocking.reduceScatterBlock(sendBuf, recvBuf, recvCount, type, op);
    }

    /**
     * Combines and scatters blocks of equal size in place: the block of the calling rank is stored at the start of {@code buf}.
     *
     * @param buf   the data of the calling rank and the result
     * @param count number of elements of each block
     * @param type  datatype of the elements
     * @param op    reduction operation
     */
    public final void reduceScatterBlock(final @Nullable Object buf, final int count, final Datatype type, final Op op) throws MPIException {
        blocking.reduceScatterBlock(Reserved.IN_PLACE, buf, count, type, op);
    }

    /** Performs {@link #reduceScatterBlock(Object, int, Datatype, Op)} with {@code long} counts. */
    public final void reduceScatterBlock(final @Nullable Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        blocking.reduceScatterBlock(Reserved.IN_PLACE, buf, count, type, op);
    }

    // Collective operations: nonblocking

    /** Starts {@link #bcast(Object, int, Datatype, int)}. */
    public final Request iBcast(final @Nullable Buffer buf, final int count, final Datatype type, final int root) throws MPIException {
        return request(nonblocking.bcast(buf, count, type, root));
    }

    /** Starts {@link #bcast(Object, int, Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iBcast(final @Nullable Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return request(nonblocking.bcast(buf, count, type, root));
    }

    /** Starts {@link #gather(Object, int, Datatype, Object, int, Datatype, int)}. */
    public final Request iGather(final @Nullable Buffer sendBuf, final int sendCount, final Datatype sendType, final @Nullable Buffer recvBuf,
        final int recvCount, final @Nullable Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.gather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #gather(Object, int, Datatype, Object, int, Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iGather(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final long recvCount, final @Nullable Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.gather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #gather(Object, int, Datatype, int)}. */
    public final Request iGather(final @Nullable Buffer buf, final int count, final Datatype type, final int root) throws MPIException {
        return request(nonblocking.gather(buf, count, type, root));
    }

    /** Starts {@link #gather(Object, int, Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iGather(final @Nullable Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return request(nonblocking.gather(buf, count, type, root));
    }

    /** Starts {@link #gatherv(Object, int, Datatype, Object, int[], int[], Datatype, int)}. */
    public final Request iGatherv(final @Nullable Buffer sendBuf, final int sendCount, final Datatype sendType, final @Nullable Buffer recvBuf,
        final int @Nullable [] recvCounts, final int @Nullable [] displs, final @Nullable Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.gatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType, root));
    }

    /**
     * Starts {@link #gatherv(Object, int, Datatype, Object, int[], int[], Datatype, int)}; buffers may be arrays, and counts and
     * displacements are {@code int[]} or {@code long[]}.
     */
    public final Request iGatherv(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final @Nullable Object recvCounts, final @Nullable Object displs, final @Nullable Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.gatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs,
            recvType, root));
    }

    /** Starts {@link #gatherv(Object, int[], int[], Datatype, int)}. */
    public final Request iGatherv(final @Nullable Buffer recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType, final int root)
        throws MPIException {
        return request(nonblocking.gatherv(Reserved.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root));
    }

    /** Starts {@link #gatherv(Object, int[], int[], Datatype, int)}; buffers may be arrays. */
    public final Request iGatherv(final @Nullable Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType, final int root)
        throws MPIException {
        return request(nonblocking.gatherv(Reserved.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root));
    }

    /** Starts {@link #gatherv(Object, int[], int[], Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iGatherv(final @Nullable Object recvBuf, final long[] recvCounts, final long[] displs, final Datatype recvType,
        final int root) throws MPIException {
        return request(nonblocking.gatherv(Reserved.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root));
    }

    /** Starts {@link #gatherv(Object, int, Datatype, int)}. */
    public final Request iGatherv(final @Nullable Buffer sendBuf, final int sendCount, final Datatype sendType, final int root) throws MPIException {
        return request(nonblocking.gatherv(sendBuf, sendCount, sendType, null, null, null, sendType, root));
    }

    /** Starts {@link #gatherv(Object, int, Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iGatherv(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final int root) throws MPIException {
        return request(nonblocking.gatherv(sendBuf, sendCount, sendType, null, null, null, sendType, root));
    }

    /** Starts {@link #scatter(Object, int, Datatype, Object, int, Datatype, int)}. */
    public final Request iScatter(final @Nullable Buffer sendBuf, final int sendCount, final @Nullable Datatype sendType,
        final @Nullable Buffer recvBuf, final int recvCount, final Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.scatter(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #scatter(Object, int, Datatype, Object, int, Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iScatter(final @Nullable Object sendBuf, final long sendCount, final @Nullable Datatype sendType,
        final @Nullable Object recvBuf, final long recvCount, final Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.scatter(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #scatter(Object, int, Datatype, int)}. */
    public final Request iScatter(final @Nullable Buffer buf, final int count, final Datatype type, final int root) throws MPIException {
        return request(nonblocking.scatter(buf, count, type, root));
    }

    /** Starts {@link #scatter(Object, int, Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iScatter(final @Nullable Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return request(nonblocking.scatter(buf, count, type, root));
    }

    /** Starts {@link #scatterv(Object, int[], int[], Datatype, Object, int, Datatype, int)}. */
    public final Request iScatterv(final @Nullable Buffer sendBuf, final int @Nullable [] sendCounts, final int @Nullable [] displs,
        final @Nullable Datatype sendType, final @Nullable Buffer recvBuf, final int recvCount, final Datatype recvType, final int root)
        throws MPIException {
        return request(nonblocking.scatterv(sendBuf, sendCounts, displs, sendType, recvBuf, recvCount, recvType, root));
    }

    /**
     * Starts {@link #scatterv(Object, int[], int[], Datatype, Object, int, Datatype, int)}; buffers may be arrays, and counts and
     * displacements are {@code int[]} or {@code long[]}.
     */
    public final Request iScatterv(final @Nullable Object sendBuf, final @Nullable Object sendCounts, final @Nullable Object displs,
        final @Nullable Datatype sendType, final @Nullable Object recvBuf, final long recvCount, final Datatype recvType, final int root)
        throws MPIException {
        return request(nonblocking.scatterv(sendBuf, sendCounts, displs, sendType, recvBuf, recvCount,
            recvType, root));
    }

    /** Starts {@link #scatterv(Object, int[], int[], Datatype, int)}. */
    public final Request iScatterv(final @Nullable Buffer sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType,
        final int root) throws MPIException {
        return request(nonblocking.scatterv(sendBuf, sendCounts, displs, sendType, Reserved.IN_PLACE, 0, sendType, root));
    }

    /** Starts {@link #scatterv(Object, int[], int[], Datatype, int)}; buffers may be arrays. */
    public final Request iScatterv(final @Nullable Object sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType,
        final int root) throws MPIException {
        return request(nonblocking.scatterv(sendBuf, sendCounts, displs, sendType, Reserved.IN_PLACE, 0, sendType, root));
    }

    /** Starts {@link #scatterv(Object, int[], int[], Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iScatterv(final @Nullable Object sendBuf, final long[] sendCounts, final long[] displs, final Datatype sendType,
        final int root) throws MPIException {
        return request(nonblocking.scatterv(sendBuf, sendCounts, displs, sendType, Reserved.IN_PLACE, 0, sendType, root));
    }

    /** Starts {@link #scatterv(Object, int, Datatype, int)}. */
    public final Request iScatterv(final @Nullable Buffer recvBuf, final int recvCount, final Datatype recvType, final int root) throws MPIException {
        return request(nonblocking.scatterv(null, null, null, recvType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #scatterv(Object, int, Datatype, int)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iScatterv(final @Nullable Object recvBuf, final long recvCount, final Datatype recvType, final int root)
        throws MPIException {
        return request(nonblocking.scatterv(null, null, null, recvType, recvBuf, recvCount, recvType, root));
    }

    /** Starts {@link #reduce(Object, Object, int, Datatype, Op, int)}. */
    public final Request iReduce(final @Nullable Buffer sendBuf, final @Nullable Buffer recvBuf, final int count, final Datatype type, final Op op,
        final int root) throws MPIException {
        return request(nonblocking.reduce(sendBuf, recvBuf, count, type, op, root));
    }

    /** Starts {@link #reduce(Object, Object, int, Datatype, Op, int)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iReduce(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long count, final Datatype type, final Op op,
        final int root) throws MPIException {
        return request(nonblocking.reduce(sendBuf, recvBuf, count, type, op, root));
    }

    /** Starts {@link #reduce(Object, int, Datatype, Op, int)}. */
    public final Request iReduce(final @Nullable Buffer buf, final int count, final Datatype type, final Op op, final int root) throws MPIException {
        return request(nonblocking.reduce(buf, count, type, op, root));
    }

    /** Starts {@link #reduce(Object, int, Datatype, Op, int)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iReduce(final @Nullable Object buf, final long count, final Datatype type, final Op op, final int root) throws MPIException {
        return request(nonblocking.reduce(buf, count, type, op, root));
    }

    /** Starts {@link #barrier()}. */
    public final Request iBarrier() throws MPIException {
        return request(nonblocking.barrier());
    }

    /** Starts {@link #allGather(Object, int, Datatype, Object, int, Datatype)}. */
    public final Request iAllGather(final @Nullable Buffer sendBuf, final int sendCount, final Datatype sendType, final @Nullable Buffer recvBuf,
        final int recvCount, final Datatype recvType) throws MPIException {
        return request(nonblocking.allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #allGather(Object, int, Datatype, Object, int, Datatype)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iAllGather(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        return request(nonblocking.allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #allGather(Object, int, Datatype)}. */
    public final Request iAllGather(final @Nullable Buffer buf, final int count, final Datatype type) throws MPIException {
        return request(nonblocking.allGather(Reserved.IN_PLACE, 0, type, buf, count, type));
    }

    /** Starts {@link #allGather(Object, int, Datatype)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iAllGather(final @Nullable Object buf, final long count, final Datatype type) throws MPIException {
        return request(nonblocking.allGather(Reserved.IN_PLACE, 0, type, buf, count, type));
    }

    /** Starts {@link #allGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}. */
    public final Request iAllGatherv(final @Nullable Buffer sendBuf, final int sendCount, final Datatype sendType, final @Nullable Buffer recvBuf,
        final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        return request(nonblocking.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #allGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}; buffers may be arrays. */
    public final Request iAllGatherv(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        return request(nonblocking.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /**
     * Starts {@link #allGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}; buffers may be arrays, and counts are
     * {@code long}.
     */
    public final Request iAllGatherv(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final long[] recvCounts, final long[] displs, final Datatype recvType) throws MPIException {
        return request(nonblocking.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #allGatherv(Object, int[], int[], Datatype)}. */
    public final Request iAllGatherv(final @Nullable Buffer recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType)
        throws MPIException {
        return request(nonblocking.allGatherv(Reserved.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #allGatherv(Object, int[], int[], Datatype)}; buffers may be arrays. */
    public final Request iAllGatherv(final @Nullable Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType)
        throws MPIException {
        return request(nonblocking.allGatherv(Reserved.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #allGatherv(Object, int[], int[], Datatype)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iAllGatherv(final @Nullable Object recvBuf, final long[] recvCounts, final long[] displs, final Datatype recvType)
        throws MPIException {
        return request(nonblocking.allGatherv(Reserved.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #allToAll(Object, int, Datatype, Object, int, Datatype)}. */
    public final Request iAllToAll(final @Nullable Buffer sendBuf, final int sendCount, final Datatype sendType, final @Nullable Buffer recvBuf,
        final int recvCount, final Datatype recvType) throws MPIException {
        return request(nonblocking.allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #allToAll(Object, int, Datatype, Object, int, Datatype)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iAllToAll(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        return request(nonblocking.allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #allToAll(Object, long, Datatype)}. */
    public final Request iAllToAll(final @Nullable Object buf, final long count, final Datatype type) throws MPIException {
        return request(nonblocking.allToAll(Reserved.IN_PLACE, 0, type, buf, count, type));
    }

    /** Starts {@link #allToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}. */
    public final Request iAllToAllv(final @Nullable Buffer sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType,
        final @Nullable Buffer recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        return request(nonblocking.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Starts {@link #allToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}; buffers may be arrays. */
    public final Request iAllToAllv(final @Nullable Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType,
        final @Nullable Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        return request(nonblocking.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /**
     * Starts {@link #allToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}; buffers may be arrays, and counts are
     * {@code long}.
     */
    public final Request iAllToAllv(final @Nullable Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype sendType,
        final @Nullable Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype recvType) throws MPIException {
        return request(nonblocking.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Starts {@link #allToAllv(Object, int[], int[], Datatype)}; buffers may be arrays. */
    public final Request iAllToAllv(final @Nullable Object buf, final int[] counts, final int[] displs, final Datatype type) throws MPIException {
        return request(nonblocking.allToAllv(Reserved.IN_PLACE, null, null, type, buf, counts, displs, type));
    }

    /** Starts {@link #allToAllv(Object, int[], int[], Datatype)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iAllToAllv(final @Nullable Object buf, final long[] counts, final long[] displs, final Datatype type) throws MPIException {
        return request(nonblocking.allToAllv(Reserved.IN_PLACE, null, null, type, buf, counts, displs, type));
    }

    /** Starts {@link #allToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}. */
    public final Request iAllToAllw(final @Nullable Buffer sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes,
        final @Nullable Buffer recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return request(nonblocking.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /** Starts {@link #allToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}; buffers may be arrays. */
    public final Request iAllToAllw(final @Nullable Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes,
        final @Nullable Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return request(nonblocking.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /**
     * Starts {@link #allToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}; buffers may be arrays, and counts are
     * {@code long}.
     */
    public final Request iAllToAllw(final @Nullable Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes,
        final @Nullable Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return request(nonblocking.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /** Starts {@link #allToAllw(Object, int[], int[], Datatype[])}; buffers may be arrays. */
    public final Request iAllToAllw(final @Nullable Object buf, final int[] counts, final int[] displs, final Datatype[] types) throws MPIException {
        return request(nonblocking.allToAllw(Reserved.IN_PLACE, null, null, null, buf, counts, displs, types));
    }

    /** Starts {@link #allToAllw(Object, int[], int[], Datatype[])}; buffers may be arrays, and counts are {@code long}. */
    public final Request iAllToAllw(final @Nullable Object buf, final long[] counts, final long[] displs, final Datatype[] types)
        throws MPIException {
        return request(nonblocking.allToAllw(Reserved.IN_PLACE, null, null, null, buf, counts, displs, types));
    }

    /** Starts {@link #allReduce(Object, Object, int, Datatype, Op)}. */
    public final Request iAllReduce(final @Nullable Buffer sendBuf, final @Nullable Buffer recvBuf, final int count, final Datatype type, final Op op)
        throws MPIException {
        return request(nonblocking.allReduce(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #allReduce(Object, Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iAllReduce(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long count, final Datatype type,
        final Op op) throws MPIException {
        return request(nonblocking.allReduce(sendBuf, recvBuf, count, type, op));
    }

    /** Starts {@link #allReduce(Object, int, Datatype, Op)}. */
    public final Request iAllReduce(final @Nullable Buffer buf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.allReduce(Reserved.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #allReduce(Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iAllReduce(final @Nullable Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.allReduce(Reserved.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #reduceScatter(Object, Object, int[], Datatype, Op)}. */
    public final Request iReduceScatter(final @Nullable Buffer sendBuf, final @Nullable Buffer recvBuf, final int[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        return request(nonblocking.reduceScatter(sendBuf, recvBuf, recvCounts, type, op));
    }

    /** Starts {@link #reduceScatter(Object, Object, int[], Datatype, Op)}; buffers may be arrays. */
    public final Request iReduceScatter(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final int[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        return request(nonblocking.reduceScatter(sendBuf, recvBuf, recvCounts, type, op));
    }

    /** Starts {@link #reduceScatter(Object, Object, int[], Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iReduceScatter(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long[] recvCounts, final Datatype type,
        final Op op) throws MPIException {
        return request(nonblocking.reduceScatter(sendBuf, recvBuf, recvCounts, type, op));
    }

    /** Starts {@link #reduceScatter(Object, int[], Datatype, Op)}. */
    public final Request iReduceScatter(final @Nullable Buffer buf, final int[] counts, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.reduceScatter(Reserved.IN_PLACE, buf, counts, type, op));
    }

    /** Starts {@link #reduceScatter(Object, int[], Datatype, Op)}; buffers may be arrays. */
    public final Request iReduceScatter(final @Nullable Object buf, final int[] counts, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.reduceScatter(Reserved.IN_PLACE, buf, counts, type, op));
    }

    /** Starts {@link #reduceScatter(Object, int[], Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iReduceScatter(final @Nullable Object buf, final long[] counts, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.reduceScatter(Reserved.IN_PLACE, buf, counts, type, op));
    }

    /** Starts {@link #reduceScatterBlock(Object, Object, int, Datatype, Op)}. */
    public final Request iReduceScatterBlock(final @Nullable Buffer sendBuf, final @Nullable Buffer recvBuf, final int recvCount, final Datatype type,
        final Op op) throws MPIException {
        return request(nonblocking.reduceScatterBlock(sendBuf, recvBuf, recvCount, type, op));
    }

    /** Starts {@link #reduceScatterBlock(Object, Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iReduceScatterBlock(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long recvCount,
        final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.reduceScatterBlock(sendBuf, recvBuf, recvCount, type, op));
    }

    /** Starts {@link #reduceScatterBlock(Object, int, Datatype, Op)}. */
    public final Request iReduceScatterBlock(final @Nullable Buffer buf, final int count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.reduceScatterBlock(Reserved.IN_PLACE, buf, count, type, op));
    }

    /** Starts {@link #reduceScatterBlock(Object, int, Datatype, Op)}; buffers may be arrays, and counts are {@code long}. */
    public final Request iReduceScatterBlock(final @Nullable Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return request(nonblocking.reduceScatterBlock(Reserved.IN_PLACE, buf, count, type, op));
    }

    // Collective operations: persistent

    /** Creates a persistent request for {@link #bcast(Object, int, Datatype, int)}. */
    public final Prequest bcastInit(final @Nullable Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return persistent(persistent.bcast(buf, count, type, root));
    }

    /** Creates a persistent request for {@link #gather(Object, int, Datatype, Object, int, Datatype, int)}. */
    public final Prequest gatherInit(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final long recvCount, final @Nullable Datatype recvType, final int root) throws MPIException {
        return persistent(persistent.gather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root));
    }

    /** Creates a persistent request for {@link #gather(Object, int, Datatype, int)}. */
    public final Prequest gatherInit(final @Nullable Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return persistent(persistent.gather(buf, count, type, root));
    }

    /**
     * Creates a persistent request for {@link #gatherv(Object, int, Datatype, Object, int[], int[], Datatype, int)}; counts and
     * displacements are {@code int[]} or {@code long[]}.
     */
    public final Prequest gathervInit(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final @Nullable Object recvCounts, final @Nullable Object displs, final @Nullable Datatype recvType, final int root) throws MPIException {
        return persistent(persistent.gatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs,
            recvType, root));
    }

    /** Creates a persistent request for {@link #gatherv(Object, int[], int[], Datatype, int)}. */
    public final Prequest gathervInit(final @Nullable Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType,
        final int root) throws MPIException {
        return persistent(persistent.gatherv(Reserved.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root));
    }

    /** Creates a persistent request for {@link #gatherv(Object, int[], int[], Datatype, int)}, with {@code long} counts. */
    public final Prequest gathervInit(final @Nullable Object recvBuf, final long[] recvCounts, final long[] displs, final Datatype recvType,
        final int root) throws MPIException {
        return persistent(persistent.gatherv(Reserved.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType, root));
    }

    /** Creates a persistent request for {@link #gatherv(Object, int, Datatype, int)}. */
    public final Prequest gathervInit(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final int root)
        throws MPIException {
        return persistent(persistent.gatherv(sendBuf, sendCount, sendType, null, null, null, sendType, root));
    }

    /** Creates a persistent request for {@link #scatter(Object, int, Datatype, Object, int, Datatype, int)}. */
    public final Prequest scatterInit(final @Nullable Object sendBuf, final long sendCount, final @Nullable Datatype sendType,
        final @Nullable Object recvBuf, final long recvCount, final Datatype recvType, final int root) throws MPIException {
        return persistent(persistent.scatter(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType, root));
    }

    /** Creates a persistent request for {@link #scatter(Object, int, Datatype, int)}. */
    public final Prequest scatterInit(final @Nullable Object buf, final long count, final Datatype type, final int root) throws MPIException {
        return persistent(persistent.scatter(buf, count, type, root));
    }

    /**
     * Creates a persistent request for {@link #scatterv(Object, int[], int[], Datatype, Object, int, Datatype, int)}; counts and
     * displacements are {@code int[]} or {@code long[]}.
     */
    public final Prequest scattervInit(final @Nullable Object sendBuf, final @Nullable Object sendCounts, final @Nullable Object displs,
        final @Nullable Datatype sendType, final @Nullable Object recvBuf, final long recvCount, final Datatype recvType, final int root)
        throws MPIException {
        return persistent(persistent.scatterv(sendBuf, sendCounts, displs, sendType, recvBuf, recvCount,
            recvType, root));
    }

    /** Creates a persistent request for {@link #scatterv(Object, int[], int[], Datatype, int)}. */
    public final Prequest scattervInit(final @Nullable Object sendBuf, final int[] sendCounts, final int[] displs, final Datatype sendType,
        final int root) throws MPIException {
        return persistent(persistent.scatterv(sendBuf, sendCounts, displs, sendType, Reserved.IN_PLACE, 0, sendType, root));
    }

    /** Creates a persistent request for {@link #scatterv(Object, int[], int[], Datatype, int)}, with {@code long} counts. */
    public final Prequest scattervInit(final @Nullable Object sendBuf, final long[] sendCounts, final long[] displs, final Datatype sendType,
        final int root) throws MPIException {
        return persistent(persistent.scatterv(sendBuf, sendCounts, displs, sendType, Reserved.IN_PLACE, 0, sendType, root));
    }

    /** Creates a persistent request for {@link #scatterv(Object, int, Datatype, int)}. */
    public final Prequest scattervInit(final @Nullable Object recvBuf, final long recvCount, final Datatype recvType, final int root)
        throws MPIException {
        return persistent(persistent.scatterv(null, null, null, recvType, recvBuf, recvCount, recvType, root));
    }

    /** Creates a persistent request for {@link #reduce(Object, Object, int, Datatype, Op, int)}. */
    public final Prequest reduceInit(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long count, final Datatype type,
        final Op op, final int root) throws MPIException {
        return persistent(persistent.reduce(sendBuf, recvBuf, count, type, op, root));
    }

    /** Creates a persistent request for {@link #reduce(Object, int, Datatype, Op, int)}. */
    public final Prequest reduceInit(final @Nullable Object buf, final long count, final Datatype type, final Op op, final int root)
        throws MPIException {
        return persistent(persistent.reduce(buf, count, type, op, root));
    }

    /** Creates a persistent request for {@link #barrier()}. */
    public final Prequest barrierInit() throws MPIException {
        return persistent(persistent.barrier());
    }

    /** Creates a persistent request for {@link #allGather(Object, int, Datatype, Object, int, Datatype)}. */
    public final Prequest allGatherInit(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        return persistent(persistent.allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Creates a persistent request for {@link #allGather(Object, int, Datatype)}. */
    public final Prequest allGatherInit(final @Nullable Object buf, final long count, final Datatype type) throws MPIException {
        return persistent(persistent.allGather(Reserved.IN_PLACE, 0, type, buf, count, type));
    }

    /** Creates a persistent request for {@link #allGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}. */
    public final Prequest allGathervInit(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType,
        final @Nullable Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType) throws MPIException {
        return persistent(persistent.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /**
     * Creates a persistent request for {@link #allGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}, with {@code long}
     * counts.
     */
    public final Prequest allGathervInit(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType,
        final @Nullable Object recvBuf, final long[] recvCounts, final long[] displs, final Datatype recvType) throws MPIException {
        return persistent(persistent.allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Creates a persistent request for {@link #allGatherv(Object, int[], int[], Datatype)}. */
    public final Prequest allGathervInit(final @Nullable Object recvBuf, final int[] recvCounts, final int[] displs, final Datatype recvType)
        throws MPIException {
        return persistent(persistent.allGatherv(Reserved.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType));
    }

    /** Creates a persistent request for {@link #allGatherv(Object, int[], int[], Datatype)}, with {@code long} counts. */
    public final Prequest allGathervInit(final @Nullable Object recvBuf, final long[] recvCounts, final long[] displs, final Datatype recvType)
        throws MPIException {
        return persistent(persistent.allGatherv(Reserved.IN_PLACE, 0, recvType, recvBuf, recvCounts, displs, recvType));
    }

    /** Creates a persistent request for {@link #allToAll(Object, int, Datatype, Object, int, Datatype)}. */
    public final Prequest allToAllInit(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        return persistent(persistent.allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Creates a persistent request for {@link #allToAll(Object, long, Datatype)}. */
    public final Prequest allToAllInit(final @Nullable Object buf, final long count, final Datatype type) throws MPIException {
        return persistent(persistent.allToAll(Reserved.IN_PLACE, 0, type, buf, count, type));
    }

    /** Creates a persistent request for {@link #allToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}. */
    public final Prequest allToAllvInit(final @Nullable Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype sendType,
        final @Nullable Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype recvType) throws MPIException {
        return persistent(persistent.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /**
     * Creates a persistent request for {@link #allToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}, with
     * {@code long} counts.
     */
    public final Prequest allToAllvInit(final @Nullable Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype sendType,
        final @Nullable Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype recvType) throws MPIException {
        return persistent(persistent.allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Creates a persistent request for {@link #allToAllv(Object, int[], int[], Datatype)}. */
    public final Prequest allToAllvInit(final @Nullable Object buf, final int[] counts, final int[] displs, final Datatype type) throws MPIException {
        return persistent(persistent.allToAllv(Reserved.IN_PLACE, null, null, type, buf, counts, displs, type));
    }

    /** Creates a persistent request for {@link #allToAllv(Object, int[], int[], Datatype)}, with {@code long} counts. */
    public final Prequest allToAllvInit(final @Nullable Object buf, final long[] counts, final long[] displs, final Datatype type)
        throws MPIException {
        return persistent(persistent.allToAllv(Reserved.IN_PLACE, null, null, type, buf, counts, displs, type));
    }

    /** Creates a persistent request for {@link #allToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}. */
    public final Prequest allToAllwInit(final @Nullable Object sendBuf, final int[] sendCounts, final int[] sendDispls, final Datatype[] sendTypes,
        final @Nullable Object recvBuf, final int[] recvCounts, final int[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return persistent(persistent.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /**
     * Creates a persistent request for {@link #allToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}, with
     * {@code long} counts.
     */
    public final Prequest allToAllwInit(final @Nullable Object sendBuf, final long[] sendCounts, final long[] sendDispls, final Datatype[] sendTypes,
        final @Nullable Object recvBuf, final long[] recvCounts, final long[] recvDispls, final Datatype[] recvTypes) throws MPIException {
        return persistent(persistent.allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /** Creates a persistent request for {@link #allToAllw(Object, int[], int[], Datatype[])}. */
    public final Prequest allToAllwInit(final @Nullable Object buf, final int[] counts, final int[] displs, final Datatype[] types)
        throws MPIException {
        return persistent(persistent.allToAllw(Reserved.IN_PLACE, null, null, null, buf, counts, displs, types));
    }

    /** Creates a persistent request for {@link #allToAllw(Object, int[], int[], Datatype[])}, with {@code long} counts. */
    public final Prequest allToAllwInit(final @Nullable Object buf, final long[] counts, final long[] displs, final Datatype[] types)
        throws MPIException {
        return persistent(persistent.allToAllw(Reserved.IN_PLACE, null, null, null, buf, counts, displs, types));
    }

    /** Creates a persistent request for {@link #allReduce(Object, Object, int, Datatype, Op)}. */
    public final Prequest allReduceInit(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long count, final Datatype type,
        final Op op) throws MPIException {
        return persistent(persistent.allReduce(sendBuf, recvBuf, count, type, op));
    }

    /** Creates a persistent request for {@link #allReduce(Object, int, Datatype, Op)}. */
    public final Prequest allReduceInit(final @Nullable Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return persistent(persistent.allReduce(Reserved.IN_PLACE, buf, count, type, op));
    }

    /** Creates a persistent request for {@link #reduceScatter(Object, Object, int[], Datatype, Op)}. */
    public final Prequest reduceScatterInit(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final int[] recvCounts,
        final Datatype type, final Op op) throws MPIException {
        return persistent(persistent.reduceScatter(sendBuf, recvBuf, recvCounts, type, op));
    }

    /** Creates a persistent request for {@link #reduceScatter(Object, Object, int[], Datatype, Op)}, with {@code long} counts. */
    public final Prequest reduceScatterInit(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long[] recvCounts,
        final Datatype type, final Op op) throws MPIException {
        return persistent(persistent.reduceScatter(sendBuf, recvBuf, recvCounts, type, op));
    }

    /** Creates a persistent request for {@link #reduceScatter(Object, int[], Datatype, Op)}. */
    public final Prequest reduceScatterInit(final @Nullable Object buf, final int[] counts, final Datatype type, final Op op) throws MPIException {
        return persistent(persistent.reduceScatter(Reserved.IN_PLACE, buf, counts, type, op));
    }

    /** Creates a persistent request for {@link #reduceScatter(Object, int[], Datatype, Op)}, with {@code long} counts. */
    public final Prequest reduceScatterInit(final @Nullable Object buf, final long[] counts, final Datatype type, final Op op) throws MPIException {
        return persistent(persistent.reduceScatter(Reserved.IN_PLACE, buf, counts, type, op));
    }

    /** Creates a persistent request for {@link #reduceScatterBlock(Object, Object, int, Datatype, Op)}. */
    public final Prequest reduceScatterBlockInit(final @Nullable Object sendBuf, final @Nullable Object recvBuf, final long recvCount,
        final Datatype type, final Op op) throws MPIException {
        return persistent(persistent.reduceScatterBlock(sendBuf, recvBuf, recvCount, type, op));
    }

    /** Creates a persistent request for {@link #reduceScatterBlock(Object, int, Datatype, Op)}. */
    public final Prequest reduceScatterBlockInit(final @Nullable Object buf, final long count, final Datatype type, final Op op) throws MPIException {
        return persistent(persistent.reduceScatterBlock(Reserved.IN_PLACE, buf, count, type, op));
    }

    // Collective operations with the neighbours in the topology

    /**
     * Gathers data from all neighbours; the same data is sent to all neighbours.
     *
     * @param sendBuf   data of the calling rank
     * @param sendCount number of elements sent to each neighbour
     * @param sendType  datatype of the elements sent
     * @param recvBuf   receives the blocks, in the order of neighbours
     * @param recvCount number of elements received from each neighbour
     * @param recvType  datatype of the elements received
     */
    public final void neighborAllGather(final @Nullable Object sendBuf, final int sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final int recvCount, final Datatype recvType) throws MPIException {
        blocking.neighbors().allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** Performs {@link #neighborAllGather(Object, int, Datatype, Object, int, Datatype)} with {@code long} counts. */
    public final void neighborAllGather(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        blocking.neighbors().allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /**
     * Gathers blocks of different sizes from all neighbours; the same data is sent to all neighbours.
     *
     * @param sendBuf    data of the calling rank
     * @param sendCount  number of elements sent to each neighbour
     * @param sendType   datatype of the elements sent
     * @param recvBuf    receives the blocks
     * @param recvCounts number of elements received from each neighbour
     * @param displs     position of each neighbour's block, in extents of {@code recvType}
     * @param recvType   datatype of the elements received
     */
    public final void neighborAllGatherv(final @Nullable Object sendBuf, final int sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final int @Nullable [] recvCounts, final int @Nullable [] displs, final Datatype recvType) throws MPIException {
        blocking.neighbors().allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType);
    }

    /** Performs {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)} with {@code long} counts. */
    public final void neighborAllGatherv(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType,
        final @Nullable Object recvBuf, final long @Nullable [] recvCounts, final long @Nullable [] displs, final Datatype recvType)
        throws MPIException {
        blocking.neighbors().allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType);
    }

    /**
     * Sends a distinct block of equal size to each neighbour.
     *
     * @param sendBuf   blocks to send, in the order of neighbours
     * @param sendCount number of elements sent to each neighbour
     * @param sendType  datatype of the elements sent
     * @param recvBuf   receives the blocks, in the order of neighbours
     * @param recvCount number of elements received from each neighbour
     * @param recvType  datatype of the elements received
     */
    public final void neighborAllToAll(final @Nullable Object sendBuf, final int sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final int recvCount, final Datatype recvType) throws MPIException {
        blocking.neighbors().allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /** Performs {@link #neighborAllToAll(Object, int, Datatype, Object, int, Datatype)} with {@code long} counts. */
    public final void neighborAllToAll(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType, final @Nullable Object recvBuf,
        final long recvCount, final Datatype recvType) throws MPIException {
        blocking.neighbors().allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType);
    }

    /**
     * Sends a distinct block to each neighbour; blocks may differ in size.
     *
     * @param sendBuf    blocks to send
     * @param sendCounts number of elements sent to each neighbour
     * @param sendDispls position of each block to send, in extents of {@code sendType}
     * @param sendType   datatype of the elements sent
     * @param recvBuf    receives the blocks
     * @param recvCounts number of elements received from each neighbour
     * @param recvDispls position of each block to receive, in extents of {@code recvType}
     * @param recvType   datatype of the elements received
     */
    public final void neighborAllToAllv(final @Nullable Object sendBuf, final int @Nullable [] sendCounts, final int @Nullable [] sendDispls,
        final Datatype sendType, final @Nullable Object recvBuf, final int @Nullable [] recvCounts, final int @Nullable [] recvDispls,
        final Datatype recvType) throws MPIException {
        blocking.neighbors().allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType);
    }

    /** Performs {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)} with {@code long} counts. */
    public final void neighborAllToAllv(final @Nullable Object sendBuf, final long @Nullable [] sendCounts, final long @Nullable [] sendDispls,
        final Datatype sendType, final @Nullable Object recvBuf, final long @Nullable [] recvCounts, final long @Nullable [] recvDispls,
        final Datatype recvType) throws MPIException {
        blocking.neighbors().allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType);
    }

    /**
     * Sends a distinct block to each neighbour; blocks may differ in size and datatype. Not in Open MPI's bindings.
     *
     * @param sendBuf    blocks to send
     * @param sendCounts number of elements sent to each neighbour
     * @param sendDispls position of each block to send, in bytes
     * @param sendTypes  datatype of the elements sent to each neighbour
     * @param recvBuf    receives the blocks
     * @param recvCounts number of elements received from each neighbour
     * @param recvDispls position of each block to receive, in bytes
     * @param recvTypes  datatype of the elements received from each neighbour
     */
    public final void neighborAllToAllw(final @Nullable Object sendBuf, final int @Nullable [] sendCounts, final int @Nullable [] sendDispls,
        final Datatype @Nullable [] sendTypes, final @Nullable Object recvBuf, final int @Nullable [] recvCounts, final int @Nullable [] recvDispls,
        final Datatype @Nullable [] recvTypes) throws MPIException {
        blocking.neighbors().allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes);
    }

    /** Performs {@link #neighborAllToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])} with {@code long} counts. */
    public final void neighborAllToAllw(final @Nullable Object sendBuf, final long @Nullable [] sendCounts, final long @Nullable [] sendDispls,
        final Datatype @Nullable [] sendTypes, final @Nullable Object recvBuf, final long @Nullable [] recvCounts, final long @Nullable [] recvDispls,
        final Datatype @Nullable [] recvTypes) throws MPIException {
        blocking.neighbors().allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes);
    }

    /** Starts {@link #neighborAllGather(Object, int, Datatype, Object, int, Datatype)}. */
    public final Request iNeighborAllGather(final @Nullable Buffer sendBuf, final int sendCount, final Datatype sendType,
        final @Nullable Buffer recvBuf, final int recvCount, final Datatype recvType) throws MPIException {
        return request(nonblocking.neighbors().allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /**
     * Starts {@link #neighborAllGather(Object, int, Datatype, Object, int, Datatype)}; buffers may be arrays, and counts are {@code long}.
     */
    public final Request iNeighborAllGather(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType,
        final @Nullable Object recvBuf, final long recvCount, final Datatype recvType) throws MPIException {
        return request(nonblocking.neighbors().allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}. */
    public final Request iNeighborAllGatherv(final @Nullable Buffer sendBuf, final int sendCount, final Datatype sendType,
        final @Nullable Buffer recvBuf, final int @Nullable [] recvCounts, final int @Nullable [] displs, final Datatype recvType)
        throws MPIException {
        return request(nonblocking.neighbors().allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}; buffers may be arrays. */
    public final Request iNeighborAllGatherv(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType,
        final @Nullable Object recvBuf, final int @Nullable [] recvCounts, final int @Nullable [] displs, final Datatype recvType)
        throws MPIException {
        return request(nonblocking.neighbors().allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /**
     * Starts {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}; buffers may be arrays, and counts are
     * {@code long}.
     */
    public final Request iNeighborAllGatherv(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType,
        final @Nullable Object recvBuf, final long @Nullable [] recvCounts, final long @Nullable [] displs, final Datatype recvType)
        throws MPIException {
        return request(nonblocking.neighbors().allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Starts {@link #neighborAllToAll(Object, int, Datatype, Object, int, Datatype)}. */
    public final Request iNeighborAllToAll(final @Nullable Buffer sendBuf, final int sendCount, final Datatype sendType,
        final @Nullable Buffer recvBuf, final int recvCount, final Datatype recvType) throws MPIException {
        return request(nonblocking.neighbors().allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /**
     * Starts {@link #neighborAllToAll(Object, int, Datatype, Object, int, Datatype)}; buffers may be arrays, and counts are {@code long}.
     */
    public final Request iNeighborAllToAll(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType,
        final @Nullable Object recvBuf, final long recvCount, final Datatype recvType) throws MPIException {
        return request(nonblocking.neighbors().allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Starts {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}. */
    public final Request iNeighborAllToAllv(final @Nullable Buffer sendBuf, final int @Nullable [] sendCounts, final int @Nullable [] sendDispls,
        final Datatype sendType, final @Nullable Buffer recvBuf, final int @Nullable [] recvCounts, final int @Nullable [] recvDispls,
        final Datatype recvType) throws MPIException {
        return request(nonblocking.neighbors().allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Starts {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}; buffers may be arrays. */
    public final Request iNeighborAllToAllv(final @Nullable Object sendBuf, final int @Nullable [] sendCounts, final int @Nullable [] sendDispls,
        final Datatype sendType, final @Nullable Object recvBuf, final int @Nullable [] recvCounts, final int @Nullable [] recvDispls,
        final Datatype recvType) throws MPIException {
        return request(nonblocking.neighbors().allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /**
     * Starts {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}; buffers may be arrays, and counts
     * are {@code long}.
     */
    public final Request iNeighborAllToAllv(final @Nullable Object sendBuf, final long @Nullable [] sendCounts, final long @Nullable [] sendDispls,
        final Datatype sendType, final @Nullable Object recvBuf, final long @Nullable [] recvCounts, final long @Nullable [] recvDispls,
        final Datatype recvType) throws MPIException {
        return request(nonblocking.neighbors().allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Starts {@link #neighborAllToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}; buffers may be arrays. */
    public final Request iNeighborAllToAllw(final @Nullable Object sendBuf, final int @Nullable [] sendCounts, final int @Nullable [] sendDispls,
        final Datatype @Nullable [] sendTypes, final @Nullable Object recvBuf, final int @Nullable [] recvCounts, final int @Nullable [] recvDispls,
        final Datatype @Nullable [] recvTypes) throws MPIException {
        return request(nonblocking.neighbors().allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /**
     * Starts {@link #neighborAllToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}; buffers may be arrays, and
     * counts are {@code long}.
     */
    public final Request iNeighborAllToAllw(final @Nullable Object sendBuf, final long @Nullable [] sendCounts, final long @Nullable [] sendDispls,
        final Datatype @Nullable [] sendTypes, final @Nullable Object recvBuf, final long @Nullable [] recvCounts, final long @Nullable [] recvDispls,
        final Datatype @Nullable [] recvTypes) throws MPIException {
        return request(nonblocking.neighbors().allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /** Creates a persistent request for {@link #neighborAllGather(Object, int, Datatype, Object, int, Datatype)}. */
    public final Prequest neighborAllGatherInit(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType,
        final @Nullable Object recvBuf, final long recvCount, final Datatype recvType) throws MPIException {
        return persistent(persistent.neighbors().allGather(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Creates a persistent request for {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}. */
    public final Prequest neighborAllGathervInit(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType,
        final @Nullable Object recvBuf, final int @Nullable [] recvCounts, final int @Nullable [] displs, final Datatype recvType)
        throws MPIException {
        return persistent(persistent.neighbors().allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /**
     * Creates a persistent request for {@link #neighborAllGatherv(Object, int, Datatype, Object, int[], int[], Datatype)}, with
     * {@code long} counts.
     */
    public final Prequest neighborAllGathervInit(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType,
        final @Nullable Object recvBuf, final long @Nullable [] recvCounts, final long @Nullable [] displs, final Datatype recvType)
        throws MPIException {
        return persistent(persistent.neighbors().allGatherv(sendBuf, sendCount, sendType, recvBuf, recvCounts, displs, recvType));
    }

    /** Creates a persistent request for {@link #neighborAllToAll(Object, int, Datatype, Object, int, Datatype)}. */
    public final Prequest neighborAllToAllInit(final @Nullable Object sendBuf, final long sendCount, final Datatype sendType,
        final @Nullable Object recvBuf, final long recvCount, final Datatype recvType) throws MPIException {
        return persistent(persistent.neighbors().allToAll(sendBuf, sendCount, sendType, recvBuf, recvCount, recvType));
    }

    /** Creates a persistent request for {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}. */
    public final Prequest neighborAllToAllvInit(final @Nullable Object sendBuf, final int @Nullable [] sendCounts, final int @Nullable [] sendDispls,
        final Datatype sendType, final @Nullable Object recvBuf, final int @Nullable [] recvCounts, final int @Nullable [] recvDispls,
        final Datatype recvType) throws MPIException {
        return persistent(persistent.neighbors().allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /**
     * Creates a persistent request for {@link #neighborAllToAllv(Object, int[], int[], Datatype, Object, int[], int[], Datatype)}, with
     * {@code long} counts.
     */
    public final Prequest neighborAllToAllvInit(final @Nullable Object sendBuf, final long @Nullable [] sendCounts,
        final long @Nullable [] sendDispls, final Datatype sendType, final @Nullable Object recvBuf, final long @Nullable [] recvCounts,
        final long @Nullable [] recvDispls, final Datatype recvType) throws MPIException {
        return persistent(persistent.neighbors().allToAllv(sendBuf, sendCounts, sendDispls, sendType, recvBuf, recvCounts, recvDispls, recvType));
    }

    /** Creates a persistent request for {@link #neighborAllToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}. */
    public final Prequest neighborAllToAllwInit(final @Nullable Object sendBuf, final int @Nullable [] sendCounts, final int @Nullable [] sendDispls,
        final Datatype @Nullable [] sendTypes, final @Nullable Object recvBuf, final int @Nullable [] recvCounts, final int @Nullable [] recvDispls,
        final Datatype @Nullable [] recvTypes) throws MPIException {
        return persistent(persistent.neighbors().allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    /**
     * Creates a persistent request for {@link #neighborAllToAllw(Object, int[], int[], Datatype[], Object, int[], int[], Datatype[])}, with
     * {@code long} counts.
     */
    public final Prequest neighborAllToAllwInit(final @Nullable Object sendBuf, final long @Nullable [] sendCounts,
        final long @Nullable [] sendDispls, final Datatype @Nullable [] sendTypes, final @Nullable Object recvBuf, final long @Nullable [] recvCounts,
        final long @Nullable [] recvDispls, final Datatype @Nullable [] recvTypes) throws MPIException {
        return persistent(persistent.neighbors().allToAllw(sendBuf, sendCounts, sendDispls, sendTypes, recvBuf, recvCounts, recvDispls, recvTypes));
    }

    @Override
    public String toString() {
        return handle.name();
    }
}
