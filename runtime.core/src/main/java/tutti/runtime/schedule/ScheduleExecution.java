package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import tutti.coll.Buffer;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.CompletionHandler;
import tutti.runtime.match.MessageOperation;
import tutti.runtime.match.Receive;
import tutti.runtime.match.SerialExecutor;
import tutti.runtime.match.WorkItem;
import tutti.runtime.request.RankLifecycle;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;
import tutti.runtime.shm.PersistentSlots;
import tutti.runtime.shm.RankSlots;
import tutti.runtime.shm.ShmRegion;

/**
 * A schedule that runs, or is ready to run again, on one rank.
 *
 * <p>All it does happens under ownership of the rank's mailbox, on whatever thread: the one that starts it, one that brings a message, one
 * that took the last byte of a send. So it goes on without a call into MPI. It allocates when it is made, and hardly ever
 * again: see {@link SharedMemoryTasks}.
 *
 * <p>A run that fails leaves no other rank waiting where that can be avoided. When a reduction fails, or a message has another length than
 * planned, the run goes on to its end with data that means nothing, and what it sends says so: the runs that this reaches do the same. When
 * another rank is in another call the plans do not fit together; then the run ends at once, and what it has not sent is sent without data.
 */
public sealed class ScheduleExecution extends Request implements CompletionHandler permits TracedExecution {
    static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private final Schedule schedule;
    private final CollectiveChannel channel;
    /** Where the messages of a task go: at index 0 the communicator, then those nested in it. */
    private final CollectiveChannel[] channels;
    private final MessageTasks messages;
    private final int[] waitsFor;
    private final int[] ready;
    private final MemorySegment scratch;
    private final Start start = new Start(this);
    /** What shares memory with other ranks; null when nothing does. */
    private final SharedMemoryTasks sharing;
    private final PendingAwaits awaits;
    /** The thread that waits for it, where there is one. */
    private final AwaitPoller tending;
    /** Where it notes which call it is, for ranks that may be in another; null where nobody looks. */
    private final ShmRegion board;
    private final RankSlots row;
    private boolean numbered = true;

    ScheduleCache.Entry entry;
    private MemorySegment send = NOTHING;
    private MemorySegment recv = NOTHING;
    private int readyHead;
    private int readyTail;
    private int left;
    private boolean advancing;
    private boolean failed;
    /** Why its data means nothing; null while it means something. */
    private MpiFailure spoiled;
    private CompletionListener finisher;

    /** Whose run it is, when nobody waits for the run itself. Called on any thread. */
    public interface CompletionListener {
        /** The schedule ran; returns null, or why it failed after all. */
        MpiFailure finished(ScheduleExecution run, MpiFailure failure);

        /** The run is complete and may be started again. */
        void afterwards(ScheduleExecution run, MpiFailure failure);
    }

    /**
     * Makes a run ready.
     *
     * @param channel says where its messages go
     * @param turns   of the communicator's calls that share memory; null where none do
     */
    public ScheduleExecution(final Schedule schedule, final CollectiveChannel channel, final SlotAllocator turns, final RankLifecycle life) {
        super(life);
        this.schedule = schedule;
        this.channel = channel;
        this.channels = new CollectiveChannel[schedule.nested.length + 1];
        channels[0] = channel;
        System.arraycopy(schedule.nested, 0, channels, 1, schedule.nested.length);
        this.waitsFor = new int[schedule.tasks];
        this.ready = new int[schedule.tasks];
        this.scratch = schedule.scratchBytes == 0 ? NOTHING : schedule.newScratch();
        this.messages = new MessageTasks(this, schedule, channels);
        this.sharing = schedule.shared == null ? null : new SharedMemoryTasks(this, schedule, channels, turns);
        this.awaits = sharing == null ? null : sharing.awaits();
        this.tending = tending(null);
        this.board = schedule.call != 0 && !channel.isInter() && channel.board().hasOthers() ? channel.board() : null;
        this.row = board == null ? null : board.calls().row(channel.rank());
    }

    /** The {@link CallSignature} of its call; 0 when it has none. */
    public final long call() {
        return schedule.call;
    }

    /** What its call reduces. */
    public final long reduced() {
        return schedule.reduced;
    }

    /** What it runs. */
    public final Schedule schedule() {
        return schedule;
    }

    /**
     * Starts it.
     *
     * @param sendMemory what {@link Buffer#SEND} stands for, null where it is absent
     * @param recvMemory what {@link Buffer#RECV} stands for, null where it is absent
     * @param sequence   number of the call on its communicator; equal on all ranks
     * @param atEnd      what is left to do at the end; null when the calling thread waits for the run itself
     */
    public final void start(final MemorySegment sendMemory, final MemorySegment recvMemory, final long sequence, final CompletionListener atEnd) {
        start(sendMemory, recvMemory, sequence, sequence, atEnd);
    }

    /**
     * As {@link #start(MemorySegment, MemorySegment, long, CompletionListener)}, for persistent collectives.
     *
     * @param round number of the start; equal on all ranks
     */
    public final void start(final MemorySegment sendMemory, final MemorySegment recvMemory, final long sequence, final long round,
                            final CompletionListener atEnd) {
        reset();
        if (sharing != null) {
            awaits.tended(atEnd == null);
            start.round = round;
        }
        send = sendMemory == null ? NOTHING : sendMemory;
        recv = recvMemory == null ? NOTHING : recvMemory;
        finisher = atEnd;
        start.sequence = sequence;
        channel.home().submit(start);
    }

    /** From now on, until it is {@linkplain #leave left}, it serves a persistent collective. */
    public void join(final PersistentSlots series) {
        numbered = false;
        if (sharing != null) {
            sharing.join(series);
        } else {
            series.leave();
        }
    }

    /** It does not serve a persistent collective any more. */
    public void leave() {
        numbered = true;
        if (sharing != null) {
            sharing.leave();
        }
    }

    private void begin(final long sequence, final long round) {
        if (sharing != null && !sharing.begin(round)) {
            return;
        }
        began(sequence);
        if (board != null && numbered) {
            note(sequence);
        }
        failed = false;
        spoiled = null;
        readyHead = 0;
        readyTail = 0;
        left = schedule.tasks;
        System.arraycopy(schedule.dependencies, 0, waitsFor, 0, left);
        messages.prepare(sequence);
        for (final int t : schedule.roots) {
            ready[readyTail++] = t;
        }
        if (left == 0) {
            end(null);
        } else {
            advance();
        }
    }

    private void note(final long sequence) {
        row.note(sequence, schedule.call);
        // a run that shares memory wakes who waits for it when it posts
        if (sharing == null && board.isUsed()) {
            row.posted(sequence);
        }
    }

    MemorySegment memory(final Buffer buffer) {
        return switch (buffer) {
            case SEND -> send;
            case RECV -> recv;
            case SCRATCH -> scratch;
        };
    }

    private void advance() {
        advancing = true;
        do {
            carryOut();
        } while (left > 0 && awaits != null && !failed && awaits.linger());
        advancing = false;
        if (failed) {
            return;
        }
        if (left == 0) {
            end(spoiled);
        } else if (awaits != null) {
            awaits.settle();
        }
    }

    private void carryOut() {
        while (readyHead < readyTail && !failed) {
            final int t = ready[readyHead++];
            begins(t);
            switch (schedule.kind[t]) {
                case Schedule.SEND -> messages.send(t);
                case Schedule.RECV -> messages.recv(t);
                case Schedule.COPY -> {
                    MemorySegment.copy(memory(schedule.from[t]), schedule.fromOffset[t], memory(schedule.into[t]), schedule.intoOffset[t],
                        schedule.bytes[t]);
                    done(t);
                }
                case Schedule.REDUCE -> {
                    reduce(t, memory(schedule.from[t]), schedule.fromOffset[t]);
                    done(t);
                }
                case Schedule.POST -> {
                    sharing.post(t);
                    done(t);
                }
                case Schedule.AWAIT -> awaits.await(t);
                case Schedule.GET -> {
                    sharing.get(t);
                    done(t);
                }
                case Schedule.COMBINE -> {
                    sharing.combine(t);
                    done(t);
                }
                default -> done(t);
            }
        }
    }

    /** Goes on with what became ready. */
    void goOn() {
        if (!advancing && !failed) {
            advance();
        }
    }

    /** Its slot is free now, which another call had. */
    void beginAgain() {
        channel.home().submit(start);
    }

    /**
     * For a thread that waits for what the run serves.
     *
     * @return null where the run needs nobody to look after it
     */
    public final AwaitPoller tending(final CompletionListener served) {
        return awaits == null ? null : new AwaitPoller(this, served, channel.home());
    }

    /** Whether it is under way for that one. */
    boolean serves(final CompletionListener one) {
        return finisher == one;
    }

    PendingAwaits awaits() {
        return awaits;
    }

    /** Goes on with what is due. */
    void look() {
        awaits.meet();
        if (sharing.isActive()) {
            goOn();
        }
    }

    @Override
    protected void poll() {
        if (tending != null) {
            tending.poll();
        }
    }

    @Override
    protected void parking() {
        if (tending != null) {
            tending.stop();
        }
    }

    /** Combines what lies at {@code from} with what the task says. */
    void reduce(final int t, final MemorySegment data, final long from) {
        try {
            schedule.reduction[t].apply(data, from, memory(schedule.into[t]), schedule.intoOffset[t],
                schedule.bytes[t] / schedule.reduction[t].elementBytes());
        } catch (final MpiFailure e) {
            spoil(e);
        } catch (final Throwable e) {
            spoil(new MpiFailure(ErrorClass.OTHER, "reduction failed: " + e, e));
        }
    }

    boolean isSpoiled() {
        return spoiled != null;
    }

    void spoil(final MpiFailure why) {
        if (spoiled == null) {
            spoiled = why;
        }
    }

    /** It starts, with that number; for those that watch. */
    void began(final long sequence) {
        // nobody does
    }

    /** A task starts; for those that watch. */
    void begins(final int t) {
        // nobody does
    }

    /** It is at its end; for those that watch. */
    void over(final MpiFailure why) {
        // nobody does
    }

    /** Where the messages of a task go; of the call itself with -1. */
    final CollectiveChannel channelOf(final int t) {
        return t < 0 ? channel : channels[schedule.channel[t]];
    }

    /** A task is complete. */
    void done(final int t) {
        left--;
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
                disagree(messages.peer(r), r.otherCall());
                return;
            }
            messages.check(r);
        } else if (op.failure() != null) {
            end(op.failure());
            return;
        }
        done(op.token());
        goOn();
    }

    MpiFailure hearsay(final int from) {
        return MpiFailure.hearsay("collective failed on another rank: rank " + from + " told of it on " + channel.name());
    }

    /** A rank of one of the communicators that it is on, as the ranks of the first go. */
    int peer(final int on, final int rank) {
        return channel.rankOf(channels[on].worldRank(rank));
    }

    /** What the communicator is called. */
    String name() {
        return channel.name();
    }

    private void abandon() {
        failed = true;
        final boolean[] begun = new boolean[schedule.tasks];
        for (int i = 0; i < readyHead; i++) {
            begun[ready[i]] = true;
        }
        messages.abandon(begun, start.sequence);
    }

    /** Another rank is in another call. */
    void disagree(final int other, final long otherCall) {
        final int mine = channel.rank();
        final boolean first = mine < other;
        final long[] calls = {first ? schedule.call : otherCall, first ? otherCall : schedule.call, 0, 0};
        abandon();
        end(CallSignature.differ(channel.name(), "rank " + Math.min(mine, other), "rank " + Math.max(mine, other), calls));
    }

    /** It cannot go on because of an error in the runtime. */
    void broke(final MpiFailure why) {
        advancing = false;
        end(why);
    }

    private void end(final MpiFailure why) {
        failed = why != null;
        over(why);
        if (sharing != null) {
            if (failed && left > 0) {
                sharing.abandon();
            }
            sharing.end();
        }
        final CompletionListener f = finisher;
        finisher = null;
        if (f == null) {
            finish(why);
        } else {
            final MpiFailure verdict = f.finished(this, why);
            finish(verdict);
            f.afterwards(this, verdict);
        }
    }

    /** Forgets the caller's memory. A run that failed must not be started again, and is left as it is: messages of it may still be about. */
    public final void release() {
        if (failed) {
            return;
        }
        send = NOTHING;
        recv = NOTHING;
        messages.release();
    }

    /** Whether it may be started again. */
    final boolean isReusable() {
        return isDone() && !failed;
    }

    @Override
    public final Status status() {
        return Status.EMPTY;
    }

    /** Begins a run under ownership of the mailbox. */
    private static final class Start extends WorkItem {
        private final ScheduleExecution run;
        private long sequence;
        private long round;

        Start(final ScheduleExecution run) {
            this.run = run;
        }

        @Override
        protected void run(final SerialExecutor at) {
            run.begin(sequence, round);
        }

        @Override
        protected void broke(final MpiFailure why) {
            run.broke(why);
        }
    }
}
