package tutti.runtime.schedule;

import java.lang.foreign.MemorySegment;
import tutti.coll.Buffer;
import tutti.runtime.error.ErrorClass;
import tutti.runtime.error.MpiFailure;
import tutti.runtime.match.Arrival;
import tutti.runtime.match.Item;
import tutti.runtime.match.Op;
import tutti.runtime.match.Receive;
import tutti.runtime.match.Send;
import tutti.runtime.match.Serial;
import tutti.runtime.match.Sink;
import tutti.runtime.request.Life;
import tutti.runtime.request.Request;
import tutti.runtime.request.Status;

/**
 * A schedule that runs, or is ready to run again, on one rank.
 *
 * <p>All it does happens under ownership of the rank's mailbox, on whatever thread: the one that starts it, one that brings a message, one
 * that took the last byte of a send. So it goes on without a call into MPI. It allocates when it is made and never again.
 *
 * <p>A run that fails leaves no other rank waiting where that can be avoided. When a reduction fails, or a message has another length than
 * planned, the run goes on to its end with data that means nothing, and what it sends says so: the runs that this reaches do the same. When
 * another rank is in another call the plans do not fit together; then the run ends at once, and what it has not sent is sent without data.
 */
public class Run extends Request implements Sink {
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private final Schedule schedule;
    private final Channel channel;
    /** Where the messages of a task go: at index 0 the communicator, then those nested in it. */
    private final Channel[] channels;
    private final Op[] ops;
    private final int[] waitsFor;
    private final int[] ready;
    private final MemorySegment scratch;
    private final Start start = new Start(this);

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
    private Finisher finisher;

    /** Whose run it is, when nobody waits for the run itself. Called on any thread. */
    public interface Finisher {
        /** The schedule ran; returns null, or why it failed after all. */
        MpiFailure finished(Run run, MpiFailure failure);

        /** The run is complete and may be started again. */
        void afterwards(Run run, MpiFailure failure);
    }

    /** Makes a run ready; {@code channel} says where its messages go. */
    public Run(final Schedule schedule, final Channel channel, final Life life) {
        super(life);
        this.schedule = schedule;
        this.channel = channel;
        this.channels = new Channel[schedule.nested.length + 1];
        channels[0] = channel;
        System.arraycopy(schedule.nested, 0, channels, 1, schedule.nested.length);
        this.ops = new Op[schedule.tasks];
        this.waitsFor = new int[schedule.tasks];
        this.ready = new int[schedule.tasks];
        this.scratch = schedule.scratchBytes == 0 ? NOTHING : schedule.newScratch();
        for (int t = 0; t < schedule.tasks; t++) {
            ops[t] = switch (schedule.kind[t]) {
                case Schedule.SEND -> new Send();
                case Schedule.RECV -> new Receive();
                default -> null;
            };
            if (ops[t] instanceof Receive r) {
                r.ofCall(schedule.call);
            }
        }
    }

    /** The {@link Fingerprint} of its call; 0 when it has none. */
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
     * @param atEnd      what is left to do at the end, or null
     */
    public final void start(final MemorySegment sendMemory, final MemorySegment recvMemory, final int sequence, final Finisher atEnd) {
        reset();
        send = sendMemory == null ? NOTHING : sendMemory;
        recv = recvMemory == null ? NOTHING : recvMemory;
        finisher = atEnd;
        start.sequence = sequence;
        channel.home().submit(start);
    }

    private void begin(final int sequence) {
        began(sequence);
        failed = false;
        spoiled = null;
        readyHead = 0;
        readyTail = 0;
        left = schedule.tasks;
        System.arraycopy(schedule.dependencies, 0, waitsFor, 0, left);
        final long base = (long) sequence << 32;
        for (int t = 0; t < ops.length; t++) {
            if (ops[t] != null) {
                prepare(t, base);
            }
        }
        for (final int t : schedule.roots) {
            ready[readyTail++] = t;
        }
        if (left == 0) {
            end(null);
        } else {
            advance();
        }
    }

    private void prepare(final int t, final long base) {
        final Op op = ops[t];
        op.arm(this, channel.home(), t);
        final long tag = base + schedule.ordinal[t];
        final Channel on = channels[schedule.channel[t]];
        if (op instanceof Send s) {
            s.ofCall(schedule.call);
            s.envelope(on.context(), on.rank(), tag, schedule.bytes[t]);
            s.message(memory(schedule.from[t]), schedule.fromOffset[t], on.worldRank(schedule.peer[t]), false);
        } else {
            final Receive r = (Receive) op;
            r.want(on.context(), schedule.peer[t], tag);
            r.into(memory(schedule.into[t]), schedule.intoOffset[t], schedule.bytes[t]);
        }
    }

    private MemorySegment memory(final Buffer buffer) {
        return switch (buffer) {
            case SEND -> send;
            case RECV -> recv;
            case SCRATCH -> scratch;
        };
    }

    private void advance() {
        advancing = true;
        while (readyHead < readyTail && !failed) {
            final int t = ready[readyHead++];
            begins(t);
            switch (schedule.kind[t]) {
                case Schedule.SEND -> send(t);
                case Schedule.RECV -> channel.home().post((Receive) ops[t]);
                case Schedule.COPY -> {
                    MemorySegment.copy(memory(schedule.from[t]), schedule.fromOffset[t], memory(schedule.into[t]), schedule.intoOffset[t],
                        schedule.bytes[t]);
                    done(t);
                }
                case Schedule.REDUCE -> {
                    reduce(t);
                    done(t);
                }
                default -> done(t);
            }
        }
        advancing = false;
        if (left == 0 && !failed) {
            end(spoiled);
        }
    }

    private void send(final int t) {
        if (spoiled != null) {
            ((Send) ops[t]).ofCall(schedule.call | Arrival.SPOILED);
        }
        channels[schedule.channel[t]].target(schedule.peer[t]).submit(ops[t]);
    }

    private void reduce(final int t) {
        try {
            schedule.reduction[t].apply(memory(schedule.from[t]), schedule.fromOffset[t], memory(schedule.into[t]),
                schedule.intoOffset[t], schedule.bytes[t] / schedule.reduction[t].elementBytes());
        } catch (final MpiFailure e) {
            spoil(e);
        } catch (final Throwable e) {
            spoil(new MpiFailure(ErrorClass.OTHER, "reduction failed: " + e, e));
        }
    }

    private void spoil(final MpiFailure why) {
        if (spoiled == null) {
            spoiled = why;
        }
    }

    /** It starts, with that number; for those that watch. */
    void began(final int sequence) {
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
    final Channel channelOf(final int t) {
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
    public final void completed(final Op op) {
        if (failed) {
            return;
        }
        if (op instanceof Receive r) {
            if (r.otherCall() != 0) {
                abandon();
                end(disagreement(r));
                return;
            }
            check(r);
        } else if (op.failure() != null) {
            end(op.failure());
            return;
        }
        done(op.token());
        if (!advancing) {
            advance();
        }
    }

    /** Looks whether a message is what was planned. */
    private void check(final Receive r) {
        if (r.isSpoiled()) {
            spoil(MpiFailure.hearsay("collective failed on another rank: rank " + peer(r) + " told of it on " + channel.name()));
        } else if (r.failure() != null) {
            spoil(r.failure());
        } else if (r.received() != schedule.bytes[r.token()]) {
            spoil(new MpiFailure(ErrorClass.TRUNCATE, "message of another length than planned: bytes=" + r.received() + ", planned="
                + schedule.bytes[r.token()] + ", source=" + r.fromSource()));
        }
    }

    /** Whom a message is from, as the ranks of the communicator go. */
    private int peer(final Receive r) {
        return channel.rankOf(channels[schedule.channel[r.token()]].worldRank(r.fromSource()));
    }

    /** Takes back what it waits for, and tells those who wait for it that nothing will come. */
    private void abandon() {
        failed = true;
        final boolean[] begun = new boolean[schedule.tasks];
        for (int i = 0; i < readyHead; i++) {
            begun[ready[i]] = true;
        }
        for (int t = 0; t < ops.length; t++) {
            if (begun[t] && ops[t] instanceof Receive r) {
                channel.home().cancel(r);
            } else if (!begun[t] && ops[t] instanceof Send s) {
                s.envelope(s.context(), s.source(), s.tag(), 0);
                s.message(NOTHING, 0, s.destination(), false);
                s.ofCall(schedule.call | Arrival.SPOILED);
                channels[schedule.channel[t]].target(schedule.peer[t]).submit(s);
            }
        }
    }

    private MpiFailure disagreement(final Receive receive) {
        final int mine = channel.rank();
        final int other = peer(receive);
        final boolean first = mine < other;
        final long[] calls = {first ? schedule.call : receive.otherCall(), first ? receive.otherCall() : schedule.call, 0, 0};
        return Fingerprint.differ(channel.name(), "rank " + Math.min(mine, other), "rank " + Math.max(mine, other), calls);
    }

    private void end(final MpiFailure why) {
        failed = why != null;
        over(why);
        final Finisher f = finisher;
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
        for (final Op op : ops) {
            if (op instanceof Send s) {
                s.release();
            } else if (op instanceof Receive r) {
                r.release();
            }
        }
    }

    /** Whether it may be started again. */
    public final boolean isReusable() {
        return isDone() && !failed;
    }

    @Override
    public final Status status() {
        return Status.EMPTY;
    }

    /** Begins a run under ownership of the mailbox. */
    private static final class Start extends Item {
        private final Run run;
        private int sequence;

        Start(final Run run) {
            this.run = run;
        }

        @Override
        protected void run(final Serial at) {
            run.begin(sequence);
        }

        @Override
        protected void broke(final MpiFailure why) {
            run.advancing = false;
            run.end(why);
        }
    }
}
