package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.datatype.BoundReduction;
import tutti.runtime.lifecycle.RankLifecycle;
import tutti.runtime.match.CompletionHandler;
import tutti.runtime.match.IncomingMessage;
import tutti.runtime.match.MessageOperation;
import tutti.runtime.match.Receive;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.model.Status;
import tutti.runtime.request.Request;
import tutti.runtime.serial.SerialExecutor;
import tutti.runtime.serial.WorkItem;
import tutti.runtime.shm.PersistentSlots;
import tutti.runtime.shm.RankSlots;
import tutti.runtime.shm.ShmRegion;

/**
 * Runs a schedule on one rank. It can be started again when it is complete.
 *
 * <p>All work is done under ownership of the rank's mailbox, on whichever thread has it: the one that starts the execution, one that delivers a
 * message, or one that sent the last byte of a send. So an execution progresses without calls into MPI. It allocates when it is created and
 * almost never again: see {@link SharedMemoryTasks}.
 *
 * <p>An execution that fails leaves no other rank waiting where that can be avoided. When a reduction fails, the execution continues to its end
 * with invalid data, and its messages and posts are marked as invalid: the executions that receive them do the same. When the call could not be
 * planned, the execution does nothing but tell that to all ranks that might wait for this one. When another rank is in another call, or a message
 * has another length than planned, the plans do not fit together: the execution ends at once, its unsent messages are sent without data, and
 * messages that arrive later are dropped.
 */
public sealed class ScheduleExecution extends Request implements CompletionHandler permits TracedExecution {
    static final MemorySegment EMPTY = MemorySegment.ofArray(new byte[0]);
    private static final long FIRST_OF_STARTS = 1L << 31;
    /** The golden section of {@code FIRST_OF_STARTS / 2}. */
    private static final long START_FACTOR = 663_608_941;

    private final Schedule schedule;
    private final CollectiveChannel channel;
    /** The channels of the tasks: at index 0 that of the communicator, then those of nested collectives. */
    private final CollectiveChannel[] channels;
    private final MessageTasks messages;
    private final int[] waitsFor;
    private final int[] ready;
    private final MemorySegment scratch;
    private final Start start = new Start(this);
    /** The tasks that share memory; null when there are none. */
    private final @Nullable SharedMemoryTasks sharedMemory;
    /** The awaits of these tasks; null when there are none. */
    private final @Nullable PendingAwaits awaits;
    /** The tasks that a module carries out; null when there are none. */
    private final @Nullable ModuleTasks moduleTasks;
    /** The poller of the thread that waits for the execution; null when nothing needs polling. */
    private final @Nullable AwaitPoller poller;
    /** Where the call is recorded, for ranks that may be in another call; null where nobody checks. */
    private final @Nullable CallRecord record;
    private boolean numbered = true;
    /** The number that the messages of the call have. */
    private long messageNumber;

    /** The entry of the cache that the execution returns to; null for an execution that is not cached. */
    ScheduleCache.@Nullable Entry entry;
    private MemorySegment send = EMPTY;
    private MemorySegment recv = EMPTY;
    private int readyHead;
    private int readyTail;
    private int remaining;
    private boolean advancing;
    private boolean failed;
    /** The reason why the data is invalid; null while it is valid. */
    private @Nullable MpiFailure invalidCause;
    /** Called at the end; null while the thread that waits for the execution waits for it itself. */
    private @Nullable CompletionListener completionListener;

    /** The region and the slots of the rank in which calls are recorded. */
    private record CallRecord(ShmRegion region, RankSlots slots) {}

    /** Listener for the end of an execution that serves another request. Called on any thread. */
    public interface CompletionListener {
        /** Called when the schedule has run. Returns the final failure: null for success, {@code failure}, or another one. */
        @Nullable
        MpiFailure finished(ScheduleExecution execution, @Nullable MpiFailure failure);

        /** Called when the execution is complete and may be started again. */
        void afterCompletion(ScheduleExecution execution, @Nullable MpiFailure failure);
    }

    /**
     * Creates an execution.
     *
     * @param channel   where messages are sent to
     * @param allocator allocates slots to the communicator's calls that share memory; null for an execution that is none of these calls, has
     *                  numbers of its own and shares no memory
     * @param lifecycle the lifecycle of the rank
     */
    public ScheduleExecution(final Schedule schedule, final CollectiveChannel channel, final @Nullable SlotAllocator allocator,
        final RankLifecycle lifecycle) {
        super(lifecycle);
        this.schedule = schedule;
        this.channel = channel;
        this.channels = new CollectiveChannel[schedule.nested.length + 1];
        channels[0] = channel;
        System.arraycopy(schedule.nested, 0, channels, 1, schedule.nested.length);
        this.waitsFor = new int[schedule.tasks];
        this.ready = new int[schedule.tasks];
        this.scratch = schedule.scratchBytes == 0 ? EMPTY : schedule.newScratch();
        this.messages = new MessageTasks(this, schedule, channels);
        this.sharedMemory = schedule.shared.length == 0 ? null
            : new SharedMemoryTasks(this, schedule, channels, Objects.requireNonNull(allocator, "allocator of a schedule that shares memory"));
        this.awaits = sharedMemory == null ? null : sharedMemory.awaits();
        this.moduleTasks = schedule.assignment.length == 0 ? null : new ModuleTasks(this, schedule, channels, lifecycle);
        this.poller = awaits == null ? null : new AwaitPoller(this, awaits, null, channel.home());
        this.record = allocator != null && schedule.call != 0 && !channel.isInter() && channel.region().hasOthers()
            ? new CallRecord(channel.region(), channel.region().calls().slots(channel.rank())) : null;
    }

    /** Returns the schedule. */
    public final Schedule schedule() {
        return schedule;
    }

    /**
     * Starts the execution.
     *
     * @param sendMemory memory of {@link Buffer#SEND}, null where it is absent
     * @param recvMemory memory of {@link Buffer#RECV}, null where it is absent
     * @param sequence   number of the call on its communicator; equal on all ranks
     * @param atEnd      called at the end; null when the calling thread waits for the execution itself
     */
    public final void start(final @Nullable MemorySegment sendMemory, final @Nullable MemorySegment recvMemory, final long sequence,
        final @Nullable CompletionListener atEnd) {
        start(sendMemory, recvMemory, sequence, sequence, atEnd);
    }

    /**
     * Starts the execution as {@link #start(MemorySegment, MemorySegment, long, CompletionListener)} does, for a persistent collective.
     *
     * @param sequence number of the persistent collective
     * @param round    number of the start; equal on all ranks
     */
    public final void start(final @Nullable MemorySegment sendMemory, final @Nullable MemorySegment recvMemory, final long sequence,
        final long round, final @Nullable CompletionListener atEnd) {
        reset();
        if (awaits != null) {
            awaits.setPolled(atEnd == null && (!schedule.isShort || CoreOccupancy.maySpin()));
        }
        send = sendMemory == null ? EMPTY : sendMemory;
        recv = recvMemory == null ? EMPTY : recvMemory;
        completionListener = atEnd;
        start.sequence = sequence;
        start.round = round;
        channel.home().submit(start);
    }

    /** Makes the execution serve a persistent collective, until it {@linkplain #leave leaves}. */
    public void join(final PersistentSlots persistentSlots) {
        numbered = false;
        if (sharedMemory != null) {
            sharedMemory.join(persistentSlots);
        }
    }

    /** Ends service of a persistent collective. */
    public void leave() {
        numbered = true;
        if (sharedMemory != null) {
            sharedMemory.join(null);
        }
    }

    /**
     * Returns the number of the messages of a start of a persistent collective. Each start has its own, above those of all other calls, so that
     * what is left of a start that failed on some ranks does not meet the next one. Starts that are in progress at the same time have numbers
     * that differ: those of one collective by multiples of a factor of which no small multiple is near a multiple of the range.
     */
    private static long messageNumber(final long sequence, final long round) {
        return FIRST_OF_STARTS | sequence + round * START_FACTOR & FIRST_OF_STARTS / 2 - 1;
    }

    private void begin(final long sequence, final long round) {
        if (sharedMemory != null && !sharedMemory.begin(round)) {
            return;
        }
        onBegin(sequence);
        if (record != null && numbered) {
            recordCall(record, sequence);
        }
        messageNumber = numbered ? sequence : messageNumber(sequence, round);
        failed = false;
        invalidCause = null;
        readyHead = 0;
        readyTail = 0;
        remaining = schedule.tasks;
        if (schedule.failure != null) {
            messages.refuse(messageNumber);
            invalidate(schedule.failure);
            end(schedule.failure);
            return;
        }
        System.arraycopy(schedule.dependencies, 0, waitsFor, 0, remaining);
        messages.prepare(messageNumber);
        for (final int t : schedule.roots) {
            ready[readyTail++] = t;
        }
        if (remaining == 0) {
            end(null);
        } else {
            advance();
        }
    }

    private void recordCall(final CallRecord in, final long sequence) {
        in.slots.recordCall(sequence, schedule.call);
        // an execution that shares memory wakes the waiting ranks when it posts
        if (sharedMemory == null && in.region.isUsed()) {
            in.slots.notifyPosted(sequence);
        }
    }

    /** Returns the memory of a buffer other than {@link Buffer#SHARED}. */
    MemorySegment memory(final Buffer buffer) {
        return switch (buffer) {
            case SEND -> send;
            case RECV -> recv;
            case SCRATCH -> scratch;
            case SHARED -> throw new IllegalArgumentException("shared memory belongs to a segment");
        };
    }

    /** Returns the memory of a buffer that a task uses. */
    MemorySegment memory(final Buffer buffer, final int t) {
        return buffer == Buffer.SHARED ? sharedMemory().ownMemory(t) : memory(buffer);
    }

    /** Returns the tasks that share memory; only for a schedule that has some. */
    private SharedMemoryTasks sharedMemory() {
        final SharedMemoryTasks tasks = sharedMemory;
        if (tasks == null) {
            throw new IllegalStateException("schedule shares no memory");
        }
        return tasks;
    }

    /** Returns the tasks that a module carries out; only for a schedule that has some. */
    private ModuleTasks moduleTasks() {
        final ModuleTasks tasks = moduleTasks;
        if (tasks == null) {
            throw new IllegalStateException("schedule has no tasks of a module");
        }
        return tasks;
    }

    private void advance() {
        advancing = true;
        do {
            runReady();
        } while (remaining > 0 && awaits != null && !failed && awaits.spin());
        advancing = false;
        if (failed) {
            return;
        }
        if (remaining == 0) {
            final MpiFailure closed = sharedMemory == null ? null : sharedMemory.closed();
            end(closed == null ? invalidCause : closed);
        } else if (awaits != null) {
            awaits.registerWatches();
        }
    }

    private void runReady() {
        while (readyHead < readyTail && !failed) {
            final int t = ready[readyHead++];
            onTaskBegin(t);
            switch (schedule.kind[t]) {
                case Schedule.SEND -> messages.send(t);
                case Schedule.RECV -> messages.recv(t);
                case Schedule.COPY -> {
                    MemorySegment.copy(memory(schedule.from[t], t), schedule.fromOffset[t], memory(schedule.into[t], t), schedule.intoOffset[t],
                        schedule.bytes[t]);
                    done(t);
                }
                case Schedule.REDUCE -> {
                    reduce(t, memory(schedule.from[t], t), schedule.fromOffset[t]);
                    done(t);
                }
                case Schedule.POST -> {
                    sharedMemory().post(t);
                    done(t);
                }
                case Schedule.AWAIT, Schedule.RESERVE -> sharedMemory().awaits().await(t);
                case Schedule.GET -> {
                    sharedMemory().get(t);
                    done(t);
                }
                case Schedule.COMBINE -> {
                    sharedMemory().combine(t);
                    done(t);
                }
                case Schedule.WORKER_COPY, Schedule.WORKER_REDUCE, Schedule.OPAQUE -> moduleTasks().start(t);
                case Schedule.OFFLOADED -> moduleTasks().offload(t, messageNumber);
                default -> done(t);
            }
        }
    }

    /** Runs the tasks that became ready. An error is this execution's, not that of the message or post that made them ready. */
    void resume() {
        if (!advancing && !failed) {
            try {
                advance();
            } catch (final Throwable e) {
                if (remaining == 0) {
                    // the execution has ended, and its listener failed
                    throw e;
                }
                failInternal(new MpiFailure(ErrorClass.INTERN, "internal error: " + e, e));
            }
        }
    }

    /** Begins the call whose slot is free now. */
    void resubmit() {
        channel.home().submit(start);
    }

    /**
     * Returns a poller for a thread that waits for the request that the execution serves.
     *
     * @return null where nothing needs polling
     */
    public final @Nullable AwaitPoller newPoller(final @Nullable CompletionListener served) {
        return awaits == null ? null : new AwaitPoller(this, awaits, served, channel.home());
    }

    /** Returns whether the execution is in progress for that listener. */
    boolean serves(final @Nullable CompletionListener listener) {
        return completionListener == listener;
    }

    /** Returns whether the schedule is little work. */
    boolean isShort() {
        return schedule.isShort;
    }

    @Override
    protected void poll() {
        if (poller != null) {
            poller.poll();
        }
    }

    @Override
    protected void pollShared() {
        if (poller != null) {
            poller.pollShared();
        }
    }

    @Override
    protected void parking() {
        if (poller != null) {
            poller.stop();
        }
    }

    /** Reduces the data at {@code from} into the target of the task. */
    void reduce(final int t, final MemorySegment data, final long from) {
        try {
            final BoundReduction by = schedule.reduction[t];
            if (by == null) {
                throw new IllegalStateException("task does not reduce: task=" + t);
            }
            by.apply(data, from, memory(schedule.into[t], t), schedule.intoOffset[t], schedule.bytes[t] / by.elementBytes());
        } catch (final MpiFailure e) {
            invalidate(e);
        } catch (final Throwable e) {
            // Cause: the reduction of the program threw an exception, in a collective call. Remedy: correct it; it is the cause of the exception.
            invalidate(new MpiFailure(ErrorClass.OTHER, "reduction failed: " + e, e));
        }
    }

    boolean isInvalid() {
        return invalidCause != null;
    }

    /** Returns why the data is invalid; null while it is valid. */
    @Nullable
    MpiFailure invalidCause() {
        return invalidCause;
    }

    /** Returns whether the execution has ended with a failure. */
    boolean hasFailed() {
        return failed;
    }

    void invalidate(final MpiFailure why) {
        if (invalidCause == null) {
            invalidCause = why;
            if (sharedMemory != null && why.isOfLoss()) {
                sharedMemory.tell(why);
            }
        }
    }

    /** Returns why the execution has failed on this rank; null if it has not, or only as the consequence of a failure of another rank. */
    @Override
    public final @Nullable MpiFailure ownFailure() {
        final MpiFailure why = invalidCause;
        return why == null || why.isReportedByPeer() ? null : why;
    }

    /** Tracing hook: the execution starts, with that number. */
    void onBegin(final long sequence) {
        // not traced
    }

    /** Tracing hook: a task starts. */
    void onTaskBegin(final int t) {
        // not traced
    }

    /** Tracing hook: the execution ends. */
    void onEnd(final @Nullable MpiFailure why) {
        // not traced
    }

    /** Returns the channel of a task; that of the call itself for -1. */
    final CollectiveChannel channelOf(final int t) {
        return t < 0 ? channel : channels[schedule.channel[t]];
    }

    /** Completes a task. */
    void done(final int t) {
        remaining--;
        for (int i = schedule.firstSuccessor[t]; i < schedule.firstSuccessor[t + 1]; i++) {
            final int next = schedule.successors[i];
            if (--waitsFor[next] == 0) {
                ready[readyTail++] = next;
            }
        }
    }

    @Override
    public final void completed(final MessageOperation op) {
        if (failed) {
            return;
        }
        if (op instanceof Receive r) {
            if (r.otherCall() != 0) {
                failMismatch(messages.worldRank(r), schedule.call, r.otherCall());
                return;
            }
            final MpiFailure misfit = messages.check(r);
            if (misfit != null) {
                // the plans of peers may have more messages than this one
                fail(misfit);
                return;
            }
        } else if (op.failure() != null) {
            fail(op.failure());
            return;
        }
        done(op.token());
        resume();
    }

    /** Returns the failure that another rank reported, by its rank in COMM_WORLD. */
    MpiFailure remoteFailure(final int worldRank) {
        final MpiFailure known = sharedMemory == null ? null : channel.region().failure();
        if (known != null) {
            return known.isOfLoss() ? remoteLoss(worldRank) : known;
        }
        // Cause: that rank has the original error. Remedy: look at the error of that rank.
        return MpiFailure.reportedByPeer("collective failed on another rank: " + channel.nameOf(worldRank) + " reported it on " + channel.name());
    }

    /** Returns the failure that another rank reported since a rank is lost, by its rank in COMM_WORLD. */
    MpiFailure remoteLoss(final int worldRank) {
        // Cause: a rank is lost that this call needs, perhaps not this rank. Remedy: `getFailed` names the lost ranks.
        return MpiFailure.ofLoss("collective failed on another rank, since a rank is lost: " + channel.nameOf(worldRank) + " reported it on "
            + channel.name());
    }

    /** Returns the flags of messages with invalid data. */
    long flags() {
        final MpiFailure why = invalidCause;
        return why != null && why.isOfLoss() ? IncomingMessage.INVALID | IncomingMessage.LOSS : IncomingMessage.INVALID;
    }

    /** Returns the communicator's name. */
    String name() {
        return channel.name();
    }

    private void abandon() {
        failed = true;
        messages.abandon(begun(), messageNumber);
    }

    private boolean[] begun() {
        final boolean[] begun = new boolean[schedule.tasks];
        for (int i = 0; i < readyHead; i++) {
            begun[ready[i]] = true;
        }
        return begun;
    }

    /** Fails the execution, and all ranks that wait for this one in the call. */
    void fail(final MpiFailure why) {
        if (why.errorClass() == ErrorClass.REVOKED) {
            // the other ranks are told by the revocation, of which this rank may know by a message alone
            failed = true;
            if (sharedMemory != null) {
                sharedMemory.tell(why);
            }
            messages.cancel(begun());
            end(why);
            return;
        }
        invalidate(why);
        abandon();
        if (schedule.offloaded == 0) {
            messages.refuse(messageNumber);
        }
        end(why);
    }

    /** Ends an execution that was started with a failure, on this rank and those that wait for it, unless it is complete by then. For any thread. */
    public final void giveUp(final MpiFailure why) {
        channel.home().submit(new GivingUp(this, why));
    }

    /** Fails the execution because another rank, given by its rank in COMM_WORLD, is in another call than the one with that signature. */
    void failMismatch(final int worldRank, final long call, final long otherCall) {
        final String self = channel.isInter() ? "rank " + channel.rank() + " of the local group" : "rank " + channel.rank();
        final String other = channel.nameOf(worldRank);
        abandon();
        final ErrorClass errorClass = schedule.call == 0 && CallSignature.differInLength(call, otherCall)
            ? CallSignature.differingLengths(call, otherCall, channel.rank() == CallSignature.root(call)) : CallSignature.differing(call, otherCall);
        final String own = self + " calls " + CallSignature.text(call, 0);
        final String others = other + " calls " + CallSignature.text(otherCall, 0);
        final boolean isFirst = channel.isInter() || channel.rank() < channel.rankOf(worldRank);
        end(CallSignature.differ(errorClass, channel.name(), isFirst ? own : others, isFirst ? others : own));
    }

    /** Fails the execution because of an error in the runtime. */
    void failInternal(final MpiFailure why) {
        advancing = false;
        end(why);
    }

    private void end(final @Nullable MpiFailure why) {
        failed = why != null;
        onEnd(why);
        if (moduleTasks != null) {
            moduleTasks.end(failed);
            if (failed && remaining > 0 && schedule.offloaded > 0) {
                // the other ranks' parts of offloaded collectives do not complete
                messages.refuse(messageNumber);
            }
        }
        if (sharedMemory != null) {
            if (failed && remaining > 0) {
                sharedMemory.abandon();
            }
            sharedMemory.end();
        }
        final CompletionListener listener = completionListener;
        completionListener = null;
        if (listener == null) {
            finish(why);
        } else {
            final MpiFailure verdict = listener.finished(this, why);
            finish(verdict);
            listener.afterCompletion(this, verdict);
        }
    }

    /**
     * Drops the references to the caller's memory. A failed execution must not be started again and keeps them: its messages may still be
     * pending.
     */
    public final void release() {
        if (failed) {
            return;
        }
        send = EMPTY;
        recv = EMPTY;
        messages.release();
    }

    /** Returns whether the execution may be started again. */
    final boolean isReusable() {
        return isDone() && !failed;
    }

    @Override
    public final Pending pendingOperation() {
        return channel.pending(start.sequence);
    }

    @Override
    public final Status status() {
        return Status.EMPTY;
    }

    /** Work item that ends an execution which does not complete. */
    private static final class GivingUp extends WorkItem {
        private final ScheduleExecution execution;
        private final MpiFailure why;

        GivingUp(final ScheduleExecution execution, final MpiFailure why) {
            this.execution = execution;
            this.why = why;
        }

        @Override
        protected void run(final SerialExecutor at) {
            if (!execution.isDone()) {
                execution.fail(why);
            }
        }

        @Override
        protected void onFailure(final MpiFailure unexpected) {
            if (!execution.isDone()) {
                execution.failInternal(unexpected);
            }
        }
    }

    /** Work item that begins the execution under ownership of the mailbox. */
    private static final class Start extends WorkItem {
        private final ScheduleExecution execution;
        private long sequence;
        private long round;

        Start(final ScheduleExecution execution) {
            this.execution = execution;
        }

        @Override
        protected void run(final SerialExecutor at) {
            execution.begin(sequence, round);
        }

        @Override
        protected void onFailure(final MpiFailure why) {
            execution.failInternal(why);
        }
    }
}
