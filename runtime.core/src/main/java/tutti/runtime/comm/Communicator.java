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
 * A group of ranks with a context of its own, as one of its ranks has it: messages and collective operations.
 *
 * <p>Buffers are arrays of a primitive type, java.nio buffers or memory segments; counts are elements of the type. Every call checks its
 * arguments first and throws {@link MpiFailure} with the error class that MPI gives them. Threads as the rank's thread level says.
 */
public final class Communicator {
    /** In place of a send buffer (of scatter at the root: the receive buffer): the call is in place. */
    public static final Object IN_PLACE = "in place";
    /** Any source. */
    public static final int ANY_SOURCE = -1;
    /** Any tag. */
    public static final int ANY_TAG = -1;
    /** A rank that does not exist: messages to and from it are nothing. */
    public static final int PROC_NULL = -2;
    /** As root on an intercommunicator: this rank. */
    public static final int ROOT = -4;
    /** The highest tag. */
    public static final int TAG_UB = Integer.MAX_VALUE;

    /** What a comparison of communicators says. */
    public enum Comparison {
        /** The same one. */ IDENT,
        /** Same ranks in the same order. */ CONGRUENT,
        /** Same ranks in another order. */ SIMILAR,
        /** Other ranks. */ UNEQUAL
    }

    /**
     * A communicator that is being made, and the request that completes when it may be used.
     *
     * @param communicator refuses calls until then
     */
    public record Pending(Communicator communicator, Request request) { }

    private enum State { MAKING, READY, FREED, NULL }

    private final Rank owner;
    private volatile String givenName;
    private final CommMembers members;
    private final boolean isPredefined;
    private final SerialExecutor[] targets;
    private final SerialExecutor[] allTargets;
    private final Group all;
    private final MessageBufferCache sides = new MessageBufferCache();
    private final PointToPoint messages;
    private final CollectiveEngine engine;
    private final Collectives<Request> collectives;
    private final Collectives<Request> blocking;
    private final Collectives<PersistentRequest> persistent;
    private final CollectiveChannel channel;
    private final PendingOperations underWay = new PendingOperations();
    private final AtomicInteger steps = new AtomicInteger();
    private final CollTable service;
    private final NodeLocality vicinity;
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
        this.service = new CollTable(this, depth);
        this.vicinity = new NodeLocality(this);
    }

    /** One that is there from the start. */
    static Communicator predefined(final Rank owner, final String name, final int context, final Group group) {
        final Communicator comm = new Communicator(owner, name, CommMembers.of(group, owner.worldRank()), 0, State.READY);
        comm.context = context;
        return comm;
    }

    /** Stands for no communicator. */
    static Communicator nothing(final Rank owner) {
        return new Communicator(owner, "MPI_COMM_NULL", new CommMembers(Group.EMPTY, Group.UNDEFINED, null, true), 0, State.NULL);
    }

    /** One that refuses calls until it is {@link #open}. */
    static Communicator of(final Rank owner, final CommMembers members) {
        return new Communicator(owner, null, members, 0, State.MAKING);
    }

    /** One of some of the ranks of another's local group, for those who serve that, together with all its ranks. */
    static Communicator hidden(final Communicator outer, final String name, final int context, final int[] ranks, final int depth) {
        final CommMembers some = CommMembers.of(outer.group().incl(ranks), outer.owner.worldRank());
        final Communicator comm = new Communicator(outer.owner, outer.name() + "/" + name, some, depth, State.MAKING);
        comm.context = context;
        comm.service.select();
        comm.state = State.READY;
        return comm;
    }

    /**
     * Makes it usable, together with all its ranks.
     *
     * @param ownContext   its context
     * @param localContext of the hidden communicator of this rank's group; for an intercommunicator alone
     */
    Communicator open(final int ownContext, final int localContext) {
        context = ownContext;
        owner.remember(this);
        // whoever sends in it has heard from this rank first, so this drops nothing but what an earlier life of the context left
        owner.mailbox().submit(new ContextPurge(context, context + ContextIds.NEGOTIATION, null));
        if (isInter()) {
            service.makeLocal(localContext);
        }
        service.select();
        state = State.READY;
        return this;
    }

    /** Who serves its collectives. */
    CollTable service() {
        return service;
    }

    /** Those of its ranks that are on this rank's node. */
    NodeLocality vicinity() {
        return vicinity;
    }

    CollectiveChannel channel() {
        return channel;
    }

    /** Where traffic to and from everybody goes: the ranks of an intercommunicator are those of both groups. */
    private CommChannel wiring(final int kind) {
        return new CommChannel(this, kind, all, allTargets, members.place());
    }

    /** Steps of all ranks, in contexts of a kind. */
    BootstrapCollective accord(final int kind) {
        return BootstrapCollective.ofAll(wiring(kind), owner.life(), all.size());
    }

    /** Steps of some of the ranks of an intracommunicator, without the others. */
    BootstrapCollective accordOf(final int[] ranks, final int place) {
        return BootstrapCollective.of(wiring(ContextIds.GROUPS), owner.life(), all.size(), ranks, place);
    }

    /** Combines values of all ranks, in place. */
    void agree(final long[] values, final Op op) {
        startAgreement(values, op).await();
    }

    /** Starts to combine values of all ranks, in place. */
    Request startAgreement(final long[] values, final Op op) {
        return accord(ContextIds.NEGOTIATION).combine(values, op, steps.getAndIncrement(), null);
    }

    /** Refuses a call that this communicator, or its rank, cannot serve now: with class COMM where the communicator is the reason. */
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

    /** Whether it is no communicator: freed, or none from the start. */
    public boolean isNull() {
        return state == State.FREED || state == State.NULL;
    }

    /** Whether it was there from the start, and cannot be freed. */
    public boolean isPredefined() {
        return isPredefined;
    }

    /** Makes one of the same ranks, together with all of them. */
    public Communicator dup() {
        return CommunicatorFactory.dup(this);
    }

    /** Starts to make one of the same ranks. */
    public Pending iDup() {
        return CommunicatorFactory.iDup(this);
    }

    /**
     * Makes one for each colour, together with all ranks: its ranks in the order of key, then of rank here. On an intercommunicator one for each
     * colour that both groups have.
     *
     * @param color from 0, or {@link Group#UNDEFINED} to be in none
     * @return null with no colour, or with one that only this rank's group has
     */
    public Communicator split(final int color, final int key) {
        return CommunicatorFactory.split(this, color, key);
    }

    /** As {@link #split}, with the node as colour. */
    public Communicator splitByNode(final int key) {
        return CommunicatorFactory.split(this, owner.job().nodeOf(owner.worldRank()), key);
    }

    /**
     * Makes one of a group, together with all ranks of this one. Ranks may give different groups that do not overlap. On an
     * intercommunicator all ranks of a group give the same part of it.
     *
     * @return null when this rank is not in the group
     */
    public Communicator create(final Group group) {
        return CommunicatorFactory.create(this, group);
    }

    /**
     * Makes one of a group, together with the ranks of it alone.
     *
     * @param tag tells it from others that threads of the rank make at the same time
     * @return null when this rank is not in the group
     */
    public Communicator createGroup(final Group group, final int tag) {
        return CommunicatorFactory.createGroup(this, group, tag);
    }

    /**
     * Joins the group of this communicator with another group, together with all ranks of both.
     *
     * @param localLeader  a rank here, equal on all ranks
     * @param peer         where both leaders reach each other; for them alone
     * @param remoteLeader the other leader there
     * @param tag          tells it from others that are made over {@code peer} at the same time
     */
    public Communicator createIntercomm(final int localLeader, final Communicator peer, final int remoteLeader, final int tag) {
        return IntercommCreator.join(this, localLeader, peer, remoteLeader, tag);
    }

    /** Makes an intracommunicator of both groups of this one: first those who do not want to be high, else in one order for all. */
    public Communicator merge(final boolean high) {
        return CommunicatorFactory.merge(this, high);
    }

    /**
     * Lets go of it, as all ranks must. What is under way goes on to its end; other calls are refused from now on.
     */
    public void free() {
        leave();
    }

    /** As {@link #free}, after what is under way on this rank is complete. */
    public void disconnect() {
        leave().await();
        new QuiescenceRequest(owner.life(), underWay).await();
    }

    /** Messages of nonblocking calls that are under way. */
    PendingOperations underWay() {
        return underWay;
    }

    private Request leave() {
        checkUsable();
        if (isPredefined) {
            throw new MpiFailure(ErrorClass.COMM, "predefined communicator cannot be freed: comm=" + name());
        }
        state = State.FREED;
        return DeferredCommFree.to(this);
    }

    /** Whether both have the same ranks, in the same order. */
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

    /** This rank's group. */
    public Group group() {
        return members.local();
    }

    /** The remote group; of an intracommunicator the same as {@link #group()}. */
    public Group remoteGroup() {
        return members.peers();
    }

    /** Which module serves each operation, and why not the others; in alphabetical order of the operations. Usable after Init. */
    public List<Explanation> explain() {
        checkUsable();
        return service.selection().explanations();
    }

    /**
     * What this rank would do in a call of an operation, on an intracommunicator; the call is planned and not made.
     *
     * @param bytes as in {@link tutti.runtime.select.MessageBytes}, of operations with a size per rank as if it were one for all; less where that
     *              does not give all ranks the same
     * @param root  of the call, where it has one
     * @param limit how many tasks are told at most
     */
    public RankPlan plan(final Operation<?> operation, final long bytes, final int root, final int limit) {
        checkUsable();
        return plan(operation, SampleCall.of(this, operation, bytes, root), limit);
    }

    private <C extends Call> RankPlan plan(final Operation<C> operation, final SampleCall sample, final int limit) {
        return engine.read(operation, operation.callType().cast(sample.call()), sample, limit);
    }

    /** The same for one operation and calls of so many bytes, as in {@link tutti.runtime.select.MessageBytes}. */
    public Explanation explain(final Operation<?> operation, final long bytes) {
        checkUsable();
        return service.selection().explain(operation, bytes);
    }

    /** The calling rank in the group. */
    public int rank() {
        return members.rank();
    }

    /** Ranks in the group. */
    public int size() {
        return members.local().size();
    }

    /** Whether it joins two groups. */
    public boolean isInter() {
        return members.isInter();
    }

    /** Ranks in the remote group; of an intracommunicator the same as {@link #size()}. */
    public int remoteSize() {
        return members.peers().size();
    }

    /** The rank whose communicator it is. */
    public Rank owner() {
        return owner;
    }

    /** What errors call it; until it is given a name one that was made is named after its context. */
    public String name() {
        return givenName != null ? givenName : "comm " + context / ContextIds.STRIDE;
    }

    /** Gives it a name, or takes it with null. */
    public void setName(final String name) {
        givenName = name;
    }

    /** The collective operations; each returns a request. */
    public Collectives<Request> collectives() {
        return collectives;
    }

    /** The collective operations; each has waited when it returns, and nothing need be done with the request. */
    public Collectives<Request> blocking() {
        return blocking;
    }

    /**
     * The collective operations; each returns a request that can be started again and again. All ranks make theirs in the same order, and may start
     * them in any order.
     */
    public Collectives<PersistentRequest> persistent() {
        return persistent;
    }

    /** Sends, and waits until the buffer may be used again (or, synchronous, until the message was taken). */
    public void send(final SendMode mode, final Object buffer, final long count, final Datatype type, final int dest, final int tag) {
        messages.send(mode, buffer, count, type, dest, tag);
    }

    /** Starts a send. */
    public Request isend(final SendMode mode, final Object buffer, final long count, final Datatype type, final int dest, final int tag) {
        return messages.isend(mode, buffer, count, type, dest, tag);
    }

    /** Receives, and waits for it. */
    public Status recv(final Object buffer, final long count, final Datatype type, final int source, final int tag) {
        return messages.recv(buffer, count, type, source, tag);
    }

    /** Starts a receive. */
    public Request irecv(final Object buffer, final long count, final Datatype type, final int source, final int tag) {
        return messages.irecv(buffer, count, type, source, tag);
    }

    /** Sends and receives at once. */
    public Status sendrecv(final Object send, final long sendCount, final Datatype sendType, final int dest, final int sendTag,
                           final Object recv, final long recvCount, final Datatype recvType, final int source, final int recvTag) {
        return messages.sendrecv(send, sendCount, sendType, dest, sendTag, recv, recvCount, recvType, source, recvTag);
    }

    /** Makes a send that can be started. */
    public PersistentRequest sendInit(final SendMode mode, final Object buffer, final long count, final Datatype type, final int dest,
                                      final int tag) {
        return messages.sendInit(mode, buffer, count, type, dest, tag);
    }

    /** Makes a receive that can be started. */
    public PersistentRequest recvInit(final Object buffer, final long count, final Datatype type, final int source, final int tag) {
        return messages.recvInit(buffer, count, type, source, tag);
    }

    /** Waits for a message and takes it, for {@link #mrecv} or {@link #imrecv} alone. */
    public MatchedMessage mprobe(final int source, final int tag) {
        return messages.take(source, tag, false);
    }

    /** Takes a message that is there, or null. */
    public MatchedMessage improbe(final int source, final int tag) {
        return messages.take(source, tag, true);
    }

    /** Receives a message that was taken on this communicator; once. */
    public static Status mrecv(final MatchedMessage matched, final Object buffer, final long count, final Datatype type) {
        return matched.comm().messages.recv(matched, buffer, count, type);
    }

    /** Starts to receive a message that was taken on this communicator; once. */
    public static Request imrecv(final MatchedMessage matched, final Object buffer, final long count, final Datatype type) {
        return matched.comm().messages.irecv(matched, buffer, count, type);
    }

    /** Waits for a message without taking it. */
    public Status probe(final int source, final int tag) {
        return messages.probe(source, tag, false);
    }

    /** The status of a message that is there, or null. */
    public Status iprobe(final int source, final int tag) {
        return messages.probe(source, tag, true);
    }

    /** Ends the job with a status. Does not return. */
    public void abort(final int status) {
        owner.abort(status);
    }

    /** The caller's memory in calls on it. */
    MessageBufferCache sides() {
        return sides;
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

    /** All ranks: of an intercommunicator those of both groups, in one order on all of them. */
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
