package tutti.runtime.comm;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import tutti.coll.Call;
import tutti.coll.Operation;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.introspect.RankPlan;
import tutti.runtime.match.ContextPurge;
import tutti.runtime.match.SerialExecutor;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;
import tutti.runtime.schedule.CollectiveChannel;
import tutti.runtime.schedule.PendingOperations;
import tutti.runtime.select.Explanation;

/**
 * A communicator, as one of its ranks holds it: a group of ranks with a context id, messages and collective operations.
 *
 * <p>Buffers are arrays of a primitive type, java.nio buffers or memory segments; counts are elements of the type. Every call checks its
 * arguments first and throws {@link MpiFailure} with the error class that MPI defines. Threads may call as the rank's thread level allows.
 */
public final class Communicator {
    /** Passed as send buffer (for scatter at the root, as receive buffer): the call is in place. */
    public static final Object IN_PLACE = "in place";
    /** Any source. */
    public static final int ANY_SOURCE = -1;
    /** Any tag. */
    public static final int ANY_TAG = -1;
    /** A rank that does not exist: messages to and from it have no effect. */
    public static final int PROC_NULL = -2;
    /** Passed as root on an intercommunicator by the root itself. */
    public static final int ROOT = -4;
    /** The highest tag. */
    public static final int TAG_UB = Integer.MAX_VALUE;

    /** The results of comparing communicators. */
    public enum Comparison {
        /** The same communicator. */
        IDENT,
        /** Same ranks in the same order. */
        CONGRUENT,
        /** Same ranks in another order. */
        SIMILAR,
        /** Other ranks. */
        UNEQUAL
    }

    /**
     * A communicator that is being created, and the request that completes when it is usable.
     *
     * @param communicator refuses calls until the request is complete
     * @param request      complete when the communicator is usable
     */
    public record Pending(Communicator communicator, Request request) {}

    private enum State { MAKING, READY, FREED, NULL }

    private final Rank owner;
    private volatile String givenName;
    private final CommMembers members;
    private final boolean isPredefined;
    private final SerialExecutor[] targets;
    private final SerialExecutor[] allTargets;
    private final Group all;
    private final MessageBufferCache buffers = new MessageBufferCache();
    private final PointToPoint messages;
    private final CollectiveEngine engine;
    private final Collectives<Request> collectives;
    private final Collectives<Request> blocking;
    private final Collectives<PersistentRequest> persistent;
    private final CollectiveChannel channel;
    private final PendingOperations pendingMessages = new PendingOperations();
    private final AtomicInteger steps = new AtomicInteger();
    private final CollTable collTable;
    private final NodeLocality locality;
    private int context;
    private volatile State state;

    private Communicator(final Rank owner, final String givenName, final CommMembers members, final int depth, final State state) {
        this.owner = owner;
        this.givenName = givenName;
        this.members = members;
        this.state = state;
        this.isPredefined = state == State.READY;
        this.context = ContextIds.NONE;
        this.targets = CommChannel.targets(members.peers(), owner.job());
        this.all = members.all();
        this.allTargets = members.isInter() ? CommChannel.targets(all, owner.job()) : targets;
        this.channel = new CommChannel(this, ContextIds.COLLECTIVE, members.peers(), targets, members.rank());
        this.messages = new PointToPoint(this);
        this.engine = new CollectiveEngine(this);
        this.collectives = new Collectives<>(this, engine, engine::start);
        this.blocking = new Collectives<>(this, engine, engine::run);
        this.persistent = new Collectives<>(this, engine, engine::prepare);
        this.collTable = new CollTable(this, depth);
        this.locality = new NodeLocality(this);
    }

    /** Creates a predefined communicator. */
    static Communicator predefined(final Rank owner, final String name, final int context, final Group group) {
        final Communicator comm = new Communicator(owner, name, CommMembers.of(group, owner.worldRank()), 0, State.READY);
        comm.context = context;
        return comm;
    }

    /** Creates the null communicator. */
    static Communicator nullCommunicator(final Rank owner) {
        return new Communicator(owner, "MPI_COMM_NULL", new CommMembers(Group.EMPTY, Group.UNDEFINED, null, true), 0, State.NULL);
    }

    /** Creates a communicator that refuses calls until it is {@link #open opened}. */
    static Communicator of(final Rank owner, final CommMembers members) {
        return new Communicator(owner, null, members, 0, State.MAKING);
    }

    /** Creates a hidden communicator of some ranks of another's local group, for its collectives, together with all its ranks. */
    static Communicator hidden(final Communicator outer, final String name, final int context, final int[] ranks, final int depth) {
        final CommMembers some = CommMembers.of(outer.group().incl(ranks), outer.owner.worldRank());
        final Communicator comm = new Communicator(outer.owner, outer.name() + "/" + name, some, depth, State.MAKING);
        comm.context = context;
        comm.collTable.select();
        comm.state = State.READY;
        return comm;
    }

    /**
     * Makes the communicator usable, together with all its ranks.
     *
     * @param ownContext   its context id
     * @param localContext context id of the hidden communicator of this rank's group; for an intercommunicator only
     */
    Communicator open(final int ownContext, final int localContext) {
        context = ownContext;
        owner.remember(this);
        // ranks send in this context only after a message from this rank, so this drops only messages of an earlier use of the context id
        owner.mailbox().submit(new ContextPurge(context, context + ContextIds.BOOTSTRAP, null));
        if (isInter()) {
            collTable.makeLocal(localContext);
        }
        collTable.select();
        state = State.READY;
        return this;
    }

    /** Returns the collective table. */
    CollTable collTable() {
        return collTable;
    }

    /** Returns the locality of its ranks: which of them are on this rank's node. */
    NodeLocality locality() {
        return locality;
    }

    CollectiveChannel channel() {
        return channel;
    }

    /** Returns the channel to all ranks: on an intercommunicator those of both groups. */
    private CommChannel channelToAll(final int kind) {
        return new CommChannel(this, kind, all, allTargets, members.index());
    }

    /** Returns the bootstrap collectives of all ranks, in a kind of context. */
    BootstrapCollective bootstrap(final int kind) {
        return BootstrapCollective.ofAll(channelToAll(kind), owner.lifecycle(), all.size());
    }

    /** Returns the bootstrap collectives of some ranks of an intracommunicator, without the others. */
    BootstrapCollective bootstrapOf(final int[] ranks, final int index) {
        return BootstrapCollective.of(channelToAll(ContextIds.GROUPS), owner.lifecycle(), all.size(), ranks, index);
    }

    /** Combines values of all ranks in place, and waits. */
    void combine(final long[] values, final Op op) {
        startCombine(values, op).await();
    }

    /** Starts to combine values of all ranks in place. */
    Request startCombine(final long[] values, final Op op) {
        return bootstrap(ContextIds.BOOTSTRAP).allreduce(values, op, steps.getAndIncrement(), null);
    }

    /**
     * Refuses a call that this communicator, or its rank, cannot serve at this time. The class is COMM where the communicator is the reason.
     */
    public void checkUsable() {
        owner.checkUsable();
        if (state != State.READY) {
            throw new MpiFailure(ErrorClass.COMM, switch (state) {
                case MAKING -> "communicator is being made: wait for its request first";
                case FREED -> "communicator has been freed: comm=" + name();
                default -> "communicator is null";
            });
        }
    }

    /** Returns whether this is no usable communicator: freed, or the null communicator. */
    public boolean isNull() {
        return state == State.FREED || state == State.NULL;
    }

    /** Returns whether the communicator is predefined, and cannot be freed. */
    public boolean isPredefined() {
        return isPredefined;
    }

    /** Duplicates the communicator, together with all its ranks. */
    public Communicator dup() {
        return CommunicatorFactory.dup(this);
    }

    /** Starts to duplicate the communicator. */
    public Pending iDup() {
        return CommunicatorFactory.iDup(this);
    }

    /**
     * Creates a communicator for each colour, together with all ranks. Its ranks are ordered by key, then by rank in this communicator. On an
     * intercommunicator one is created for each colour that both groups have.
     *
     * @param color from 0, or {@link Group#UNDEFINED} to be in no communicator
     * @return null without a colour, or with a colour that only this rank's group has
     */
    public Communicator split(final int color, final int key) {
        return CommunicatorFactory.split(this, color, key);
    }

    /** Splits like {@link #split}, with the node as colour. */
    public Communicator splitByNode(final int key) {
        return CommunicatorFactory.split(this, owner.job().nodeOf(owner.worldRank()), key);
    }

    /**
     * Creates a communicator of a group, together with all ranks of this one. Ranks may pass different groups that do not overlap. On an
     * intercommunicator all ranks of a group pass the same part of it.
     *
     * @return null when this rank is not in the group
     */
    public Communicator create(final Group group) {
        return CommunicatorFactory.create(this, group);
    }

    /**
     * Creates a communicator of a group, together with the ranks of the group only.
     *
     * @param tag distinguishes it from others that threads of the rank create at the same time
     * @return null when this rank is not in the group
     */
    public Communicator createGroup(final Group group, final int tag) {
        return CommunicatorFactory.createGroup(this, group, tag);
    }

    /**
     * Joins the group of this communicator with another group in an intercommunicator, together with all ranks of both.
     *
     * @param localLeader  a rank of this communicator, equal on all ranks
     * @param peer         communicator that both leaders are in; used by them only
     * @param remoteLeader rank of the other leader in {@code peer}
     * @param tag          distinguishes it from others that are created over {@code peer} at the same time
     */
    public Communicator createIntercomm(final int localLeader, final Communicator peer, final int remoteLeader, final int tag) {
        return IntercommCreator.join(this, localLeader, peer, remoteLeader, tag);
    }

    /**
     * Merges both groups into an intracommunicator: first the group that does not set {@code high}, else in one order that is equal on all
     * ranks.
     */
    public Communicator merge(final boolean high) {
        return CommunicatorFactory.merge(this, high);
    }

    /** Frees the communicator; all ranks must call this. Pending operations continue to their end; other calls are refused from now on. */
    public void free() {
        startFree();
    }

    /** Frees like {@link #free}, and waits until the pending operations of this rank are complete. */
    public void disconnect() {
        startFree().await();
        new QuiescenceRequest(owner.lifecycle(), pendingMessages).await();
    }

    /** Returns the pending messages of nonblocking calls. */
    PendingOperations pendingMessages() {
        return pendingMessages;
    }

    private Request startFree() {
        checkUsable();
        if (isPredefined) {
            throw new MpiFailure(ErrorClass.COMM, "predefined communicator cannot be freed: comm=" + name());
        }
        state = State.FREED;
        return DeferredCommFree.start(this);
    }

    /** Compares two communicators by their ranks, the order of these, and identity. */
    public Comparison compare(final Communicator other) {
        checkUsable();
        other.checkUsable();
        if (this == other) {
            return Comparison.IDENT;
        }
        if (isInter() != other.isInter()) {
            return Comparison.UNEQUAL;
        }
        final Group.Comparison here = group().compare(other.group());
        final Group.Comparison there = members.peers().compare(other.members.peers());
        return switch (here.compareTo(there) > 0 ? here : there) {
            case IDENT -> Comparison.CONGRUENT;
            case SIMILAR -> Comparison.SIMILAR;
            case UNEQUAL -> Comparison.UNEQUAL;
        };
    }

    /** Returns this rank's group. */
    public Group group() {
        return members.local();
    }

    /** Returns the remote group; of an intracommunicator the same as {@link #group()}. */
    public Group remoteGroup() {
        return members.peers();
    }

    /** Explains which module serves each operation, and why the others do not; in alphabetical order of the operations. Usable after Init. */
    public List<Explanation> explain() {
        checkUsable();
        return collTable.selection().explanations();
    }

    /**
     * Returns the plan of this rank for a call of an operation on an intracommunicator; the call is planned and not started.
     *
     * @param bytes bytes as in {@link tutti.runtime.select.MessageBytes}. Operations with a size per rank use one size for all ranks, rounded
     *              down where the bytes cannot be divided evenly
     * @param root  root of the call, where it has one
     * @param limit maximum number of tasks to return
     */
    public RankPlan plan(final Operation<?> operation, final long bytes, final int root, final int limit) {
        checkUsable();
        return plan(operation, SampleCall.of(this, operation, bytes, root), limit);
    }

    private <C extends Call> RankPlan plan(final Operation<C> operation, final SampleCall sample, final int limit) {
        return engine.describe(operation, operation.callType().cast(sample.call()), sample, limit);
    }

    /** Explains the selection for one operation and calls of a number of bytes, as in {@link tutti.runtime.select.MessageBytes}. */
    public Explanation explain(final Operation<?> operation, final long bytes) {
        checkUsable();
        return collTable.selection().explain(operation, bytes);
    }

    /** Returns the calling rank in the group. */
    public int rank() {
        return members.rank();
    }

    /** Returns the number of ranks in the group. */
    public int size() {
        return members.local().size();
    }

    /** Returns whether this is an intercommunicator. */
    public boolean isInter() {
        return members.isInter();
    }

    /** Returns the number of ranks in the remote group; of an intracommunicator the same as {@link #size()}. */
    public int remoteSize() {
        return members.peers().size();
    }

    /** Returns the rank that holds this communicator. */
    public Rank owner() {
        return owner;
    }

    /** Returns the name for messages. A communicator without a given name is named after its context id. */
    public String name() {
        return givenName != null ? givenName : "comm " + context / ContextIds.STRIDE;
    }

    /** Sets the name, or removes it with null. */
    public void setName(final String name) {
        givenName = name;
    }

    /** Returns the nonblocking collective operations; each returns a request. */
    public Collectives<Request> collectives() {
        return collectives;
    }

    /** Returns the blocking collective operations; each returns a complete request, which the caller may ignore. */
    public Collectives<Request> blocking() {
        return blocking;
    }

    /**
     * Returns the persistent collective operations; each returns a request that can be started repeatedly. All ranks create their requests in
     * the same order, and may start them in any order.
     */
    public Collectives<PersistentRequest> persistent() {
        return persistent;
    }

    /** Sends, and waits until the buffer may be reused (in synchronous mode, until a receive matched the message). */
    public void send(final SendMode mode, final Object buffer, final long count, final Datatype type, final int dest, final int tag) {
        messages.send(mode, buffer, count, type, dest, tag);
    }

    /** Starts a send. */
    public Request isend(final SendMode mode, final Object buffer, final long count, final Datatype type, final int dest, final int tag) {
        return messages.isend(mode, buffer, count, type, dest, tag);
    }

    /** Receives, and waits for the message. */
    public Status recv(final Object buffer, final long count, final Datatype type, final int source, final int tag) {
        return messages.recv(buffer, count, type, source, tag);
    }

    /** Starts a receive. */
    public Request irecv(final Object buffer, final long count, final Datatype type, final int source, final int tag) {
        return messages.irecv(buffer, count, type, source, tag);
    }

    /** Sends and receives at the same time. */
    public Status sendrecv(final Object send, final long sendCount, final Datatype sendType, final int dest, final int sendTag,
        final Object recv, final long recvCount, final Datatype recvType, final int source, final int recvTag) {
        return messages.sendrecv(send, sendCount, sendType, dest, sendTag, recv, recvCount, recvType, source, recvTag);
    }

    /** Creates a persistent send. */
    public PersistentRequest sendInit(final SendMode mode, final Object buffer, final long count, final Datatype type, final int dest,
        final int tag) {
        return messages.sendInit(mode, buffer, count, type, dest, tag);
    }

    /** Creates a persistent receive. */
    public PersistentRequest recvInit(final Object buffer, final long count, final Datatype type, final int source, final int tag) {
        return messages.recvInit(buffer, count, type, source, tag);
    }

    /** Waits for a message and matches it, for {@link #mrecv} or {@link #imrecv} only. */
    public MatchedMessage mprobe(final int source, final int tag) {
        return messages.take(source, tag, false);
    }

    /** Matches a message that has arrived, or returns null. */
    public MatchedMessage improbe(final int source, final int tag) {
        return messages.take(source, tag, true);
    }

    /** Receives a message that was matched on this communicator; once. */
    public static Status mrecv(final MatchedMessage matched, final Object buffer, final long count, final Datatype type) {
        return matched.comm().messages.recv(matched, buffer, count, type);
    }

    /** Starts to receive a message that was matched on this communicator; once. */
    public static Request imrecv(final MatchedMessage matched, final Object buffer, final long count, final Datatype type) {
        return matched.comm().messages.irecv(matched, buffer, count, type);
    }

    /** Waits for a message without matching it. */
    public Status probe(final int source, final int tag) {
        return messages.probe(source, tag, false);
    }

    /** Returns the status of a message that has arrived, or null. */
    public Status iprobe(final int source, final int tag) {
        return messages.probe(source, tag, true);
    }

    /** Ends the job with a status. Does not return. */
    public void abort(final int status) {
        owner.abort(status);
    }

    /** Returns the cache of message buffers of calls on this communicator. */
    MessageBufferCache buffers() {
        return buffers;
    }

    CollectiveEngine engine() {
        return engine;
    }

    int context() {
        return context;
    }

    CommMembers members() {
        return members;
    }

    /** Returns all ranks: of an intercommunicator those of both groups, in an order that is equal on all of them. */
    Group all() {
        return all;
    }

    SerialExecutor target(final int peer) {
        return targets[peer];
    }

    int worldRank(final int peer) {
        return members.peers().worldRank(peer);
    }

    @Override
    public String toString() {
        return name() + " (job " + owner.jobId() + ", rank " + rank() + " of " + size() + (isInter() ? " with " + remoteSize() : "") + ")";
    }
}
