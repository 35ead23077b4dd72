package tutti.runtime.comm;

import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tutti.coll.CollComm;
import tutti.coll.Level;
import tutti.runtime.collective.CollectiveEngine;
import tutti.runtime.context.CommContext;
import tutti.runtime.context.CommMembers;
import tutti.runtime.dpm.GroupMeeting;
import tutti.runtime.job.SpawnRequest;
import tutti.runtime.model.Group;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.p2p.PointToPoint;
import tutti.runtime.request.Request;

/**
 * A communicator, as one of its ranks holds it: a group of ranks with a context id, its messages and its collective operations.
 *
 * <p>Every call checks its arguments first and throws {@link MpiFailure} with the error class that MPI defines. Threads may call as the rank's
 * thread level allows.
 */
public final class Communicator {
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

    private final Rank owner;
    private final CommContext context;
    private final PointToPoint messages;
    private final CollectiveEngine engine;
    /** Shared with the communicators that were made from this one, but by {@link #replace}. */
    private volatile Object incarnation;

    /** Creates a communicator in a context, which no replace lies before. */
    Communicator(final Rank owner, final CommContext context) {
        this(owner, context, new Object());
    }

    /** Creates a communicator in a context, of the incarnation of another one. */
    private Communicator(final Rank owner, final CommContext context, final Object incarnation) {
        this.owner = owner;
        this.context = context;
        this.incarnation = incarnation;
        this.messages = PointToPoint.of(context, owner.attachedBuffer());
        this.engine = new CollectiveEngine(context);
    }

    /** Creates a communicator in which the group of this one is joined with another group; it refuses calls until it is {@link #open opened}. */
    Communicator join(final CommMembers members) {
        return new Communicator(owner, CommContext.of(owner.context(), members, CollComm.Origin.JOINED, null), incarnation);
    }

    /** Creates a communicator from this one, which refuses calls until it is {@link #open opened}. */
    Communicator derive(final CommMembers members, final CollComm.Origin origin) {
        return new Communicator(owner, CommContext.of(owner.context(), members, origin, name()), incarnation);
    }

    /**
     * Makes the communicator usable, together with all its ranks.
     *
     * @param ownContext   its context id
     * @param localContext context id of the hidden communicator of this rank's group; for an intercommunicator only
     */
    Communicator open(final long ownContext, final long localContext) {
        owner.remember(this);
        context.open(ownContext);
        engine.open(localContext);
        return this;
    }

    /** Creates a duplicate that refuses calls until it is {@link #openDuplicate opened}. */
    Communicator duplicate() {
        return new Communicator(owner, context.duplicate(), incarnation);
    }

    /**
     * Makes a duplicate usable that shares the modules of its original, which it has inherited.
     *
     * @param contexts its own context id, then those of its hidden communicators
     */
    Communicator openDuplicate(final long[] contexts) {
        owner.remember(this);
        context.openDuplicate(contexts);
        engine.share(Arrays.copyOfRange(contexts, 1, contexts.length));
        return this;
    }

    /** Returns the context. */
    public CommContext context() {
        return context;
    }

    /** Returns a number that distinguishes the communicators of a rank, the same on all ranks of the communicator; not of a null one. */
    public long contextId() {
        return context.id();
    }

    /** Returns the number in COMM_WORLD of a rank that messages go to. */
    public int worldRank(final int peer) {
        return context.worldRank(peer);
    }

    /** Returns the messages between its ranks. */
    public PointToPoint messages() {
        return messages;
    }

    /** Returns its collective operations, and how they are selected and planned. */
    public CollectiveEngine engine() {
        return engine;
    }

    /**
     * Refuses a call that this communicator, or its rank, cannot serve at this time. The class is COMM where the communicator is the reason.
     */
    public void checkUsable() {
        context.checkUsable();
    }

    /** Refuses a call as {@link #checkUsable} does, but for one that a revoked communicator serves. */
    public void checkReady() {
        context.checkReady();
    }

    /** Returns whether this is no usable communicator: freed, or the null communicator. */
    public boolean isNull() {
        return context.isNull();
    }

    /** Returns whether no nonblocking or persistent operation of this rank is active on the communicator. */
    public boolean isIdle() {
        return context.pendingMessages().isIdle() && context.pendingCollectives().isIdle();
    }

    /** Returns whether ranks of other jobs are members. */
    public boolean spansJobs() {
        return context.spansJobs();
    }

    /** Returns whether the communicator is predefined, and cannot be freed. */
    public boolean isPredefined() {
        return context.isPredefined();
    }

    /** Duplicates the communicator, together with all its ranks. */
    public Communicator dup() {
        return new Duplication(this).run();
    }

    /**
     * Duplicates the communicator as {@link #dup()} does, with other hints.
     *
     * @param hints as for {@link #setHints}
     */
    public Communicator dup(final Map<String, String> hints) {
        final Communicator made = dup();
        try {
            made.setHints(hints);
        } catch (final MpiFailure e) {
            made.free();
            throw e;
        }
        return made;
    }

    /**
     * Replaces the hints, together with all ranks: keys with values. Unknown ones are ignored. Those with prefix {@code tutti_} must be equal on
     * all ranks.
     *
     * @throws MpiFailure of class INFO_KEY or INFO_VALUE on all ranks, and nothing is changed
     */
    public void setHints(final Map<String, String> hints) {
        engine.setHints(hints);
    }

    /** Returns the hints in use, and the assertions of MPI with their values. */
    public Map<String, String> hints() {
        return context.hints().inUse();
    }

    /** Starts to duplicate the communicator. */
    public Pending iDup() {
        return new Duplication(this).start();
    }

    /**
     * Creates a communicator for each colour, together with all ranks. Its ranks are ordered by key, then by rank in this communicator. On an
     * intercommunicator one is created for each colour that both groups have.
     *
     * @param color from 0, or {@link Group#UNDEFINED} to be in no communicator
     * @return null without a colour, or with a colour that only this rank's group has
     */
    public @Nullable Communicator split(final int color, final int key) {
        return CommunicatorFactory.split(this, color, key);
    }

    /** Splits like {@link #split}, with the node as colour. */
    public @Nullable Communicator splitByNode(final int key) {
        return CommunicatorFactory.splitByNode(this, key);
    }

    /**
     * Splits like {@link #split}, with the domain of a level of locality as colour.
     *
     * @param level its name
     * @return null where this rank is in no domain of it
     */
    public @Nullable Communicator splitByLevel(final String level, final int key) {
        return CommunicatorFactory.splitByLevel(this, level, key);
    }

    /** Returns the levels of locality at which every rank of this communicator is in a domain, the innermost first. */
    public List<Level> levels() {
        return CommunicatorFactory.levels(this);
    }

    /**
     * Creates a communicator of a group, together with all ranks of this one. Ranks may pass different groups that do not overlap. On an
     * intercommunicator all ranks of a group pass the same part of it.
     *
     * @return null when this rank is not in the group
     */
    public @Nullable Communicator create(final Group group) {
        return CommunicatorFactory.create(this, group);
    }

    /**
     * Creates a communicator of a group, together with the ranks of the group only.
     *
     * @param tag distinguishes it from others that threads of the rank create at the same time
     * @return null when this rank is not in the group
     */
    public @Nullable Communicator createGroup(final Group group, final int tag) {
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

    /** Returns the meeting of this communicator's group with another one. */
    GroupMeeting<Communicator> meeting(final int root) {
        return new GroupMeeting<>(context, owner.connections(), root,
            (members, ownContext, localContext) -> join(members).open(ownContext, localContext));
    }

    /**
     * Waits for another group to connect to a port, and creates an intercommunicator with it, together with all ranks of both.
     *
     * @param port  name of a port that the root has opened; used by the root only
     * @param root  a rank, equal on all ranks
     * @param limit time limit; null for none; used by the root only
     */
    public Communicator accept(final @Nullable String port, final int root, final @Nullable Duration limit) {
        return meeting(root).accept(port == null ? "" : port, limit);
    }

    /**
     * Starts a job, and creates an intercommunicator with all its ranks, together with all ranks of this communicator.
     *
     * @param commands returns the programs of the job; called at the root only, and may throw
     * @param root     a rank, equal on all ranks
     * @param started  receives the processes that were started, by their index among those that were requested
     */
    public Communicator spawn(final Supplier<List<SpawnRequest.Command>> commands, final int root, final Consumer<BitSet> started) {
        final GroupMeeting<Communicator> meeting = meeting(root);
        final Communicator made = meeting.spawn(commands);
        started.accept(meeting.started());
        return made;
    }

    /**
     * Connects to a port, and creates an intercommunicator with the group that accepts there, together with all ranks of both.
     *
     * @param port  name of the port; used by the root only
     * @param root  a rank, equal on all ranks
     * @param limit time limit; null to wait as long as the other side is there; used by the root only
     */
    public Communicator connect(final @Nullable String port, final int root, final @Nullable Duration limit) {
        return meeting(root).connect(port == null ? "" : port, limit);
    }

    /**
     * Creates an intercommunicator with the process at the other end of a socket, which calls this as well. For a communicator of this rank alone.
     *
     * @param socket connected, in blocking mode, and without data that was not read; not closed
     */
    public Communicator join(final Socket socket) {
        return meeting(0).join(socket);
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
        context.freed();
        release();
    }

    /** Frees like {@link #free}, and waits until the pending operations of this rank are complete. */
    public void disconnect() {
        context.freed();
        QuiescenceRequest.await(context);
        release().await();
    }

    /** Ends the use of a communicator whose creation has failed on some rank. */
    void discard() {
        context.faults().revoke();
        engine.discard();
        owner.forget(this);
    }

    private Request release() {
        return engine.free(() -> owner.forget(this));
    }

    /**
     * Returns the ranks, of both groups, that this rank knows to have failed, in the order in which it learned of them. Never fails.
     */
    public Group failed() {
        return context.faults().failed();
    }

    /**
     * Acknowledges the first ranks of {@link #failed()}: receives from any source go on without them, and {@link #agree} does not fail because of
     * them.
     *
     * @param count number of ranks; a lower number than before has no effect
     * @return the number of ranks that are acknowledged now
     */
    public int acknowledge(final int count) {
        context.checkReady();
        return context.faults().acknowledge(count);
    }

    /**
     * Revokes the communicator: from now on all calls on it fail with class REVOKED on all its ranks, those that wait as well, but for the calls of
     * this section. Not collective. Idempotent.
     */
    public void revoke() {
        context.checkReady();
        context.faults().revoke();
    }

    /** Returns whether this rank knows that the communicator was revoked. */
    public boolean isRevoked() {
        context.checkReady();
        return context.faults().isRevoked();
    }

    /**
     * Begins an agreement of all ranks that live, of both groups, on the bitwise AND of their flags. Also on a revoked communicator. The request
     * fails with class PROC_FAILED, with the flag all the same, on all ranks where a rank has failed that not all have acknowledged.
     */
    public AgreementRequest agree(final int flag) {
        context.checkReady();
        return AgreementRequest.start(context, flag);
    }

    /**
     * Creates a communicator of the ranks that live, in their order, together with all of them. Of an intercommunicator both groups are reduced.
     * Also on a revoked communicator.
     */
    public Communicator shrink() {
        context.checkReady();
        return new Shrinking(this).finish();
    }

    /**
     * Creates a communicator of the same size, in which spare ranks have the places of those that have failed, together with all ranks that live.
     * Also on a revoked communicator.
     *
     * @throws MpiFailure of class SPAWN when there are not enough spare ranks; on all ranks
     */
    public Communicator replace() {
        context.checkReady();
        context.checkIntra();
        final Communicator made = Replacing.replace(this);
        made.incarnation = new Object();
        return made;
    }

    /** Returns whether no {@link #replace} lies between this communicator and another one, so that the same ranks have the places in both. */
    public boolean isOfIncarnationOf(final Communicator other) {
        return incarnation == other.incarnation;
    }

    /** Starts to {@link #shrink()} the communicator. */
    public ShrinkRequest iShrink() {
        context.checkReady();
        return ShrinkRequest.start(this);
    }

    /** Compares two communicators by their ranks, the order of these, and identity. */
    public Comparison compare(final Communicator other) {
        checkReady();
        other.checkReady();
        if (this == other) {
            return Comparison.IDENT;
        }
        if (isInter() != other.isInter()) {
            return Comparison.UNEQUAL;
        }
        final Group.Comparison here = group().compare(other.group());
        final Group.Comparison there = remoteGroup().compare(other.remoteGroup());
        return switch (here.compareTo(there) > 0 ? here : there) {
            case IDENT -> Comparison.CONGRUENT;
            case SIMILAR -> Comparison.SIMILAR;
            case UNEQUAL -> Comparison.UNEQUAL;
        };
    }

    /** Returns this rank's group. */
    public Group group() {
        return context.group();
    }

    /** Returns the remote group; of an intracommunicator the same as {@link #group()}. */
    public Group remoteGroup() {
        return context.members().peers();
    }

    /** Returns the calling rank in the group. */
    public int rank() {
        return context.rank();
    }

    /** Returns the number of ranks in the group. */
    public int size() {
        return context.size();
    }

    /** Returns whether this is an intercommunicator. */
    public boolean isInter() {
        return context.isInter();
    }

    /** Returns the number of ranks in the remote group; of an intracommunicator the same as {@link #size()}. */
    public int remoteSize() {
        return context.remoteSize();
    }

    /** Returns the rank that holds this communicator. */
    public Rank owner() {
        return owner;
    }

    /** Returns the name for messages. A communicator without a given name is named after its context id. */
    public String name() {
        return context.name();
    }

    /** Sets the name, or removes it with null. */
    public void setName(final @Nullable String name) {
        context.setName(name);
    }

    /** Ends the job with a status. Does not return. */
    public void abort(final int status) {
        owner.abort(status);
    }

    @Override
    public String toString() {
        return context.toString();
    }
}
