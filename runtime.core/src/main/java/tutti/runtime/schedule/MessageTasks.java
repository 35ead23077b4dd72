package tutti.runtime.schedule;

import org.jspecify.annotations.Nullable;
import tutti.runtime.match.CompletionHandler;
import tutti.runtime.match.MessageOperation;
import tutti.runtime.match.Receive;
import tutti.runtime.match.Send;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * The send and receive tasks of an execution. They belong to the owner of the mailbox. They allocate only when they are created and when the
 * execution is abandoned.
 */
final class MessageTasks {
    private final ScheduleExecution execution;
    private final Schedule schedule;
    private final CollectiveChannel[] channels;
    /** The operation of each task that sends or receives; else null. */
    private final @Nullable MessageOperation[] ops;

    MessageTasks(final ScheduleExecution execution, final Schedule schedule, final CollectiveChannel[] channels) {
        this.execution = execution;
        this.schedule = schedule;
        this.channels = channels;
        this.ops = new MessageOperation[schedule.tasks];
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

    /** Prepares all operations for a call. */
    void prepare(final long sequence) {
        final long base = sequence << Integer.SIZE;
        for (int t = 0; t < ops.length; t++) {
            final MessageOperation op = ops[t];
            if (op != null) {
                prepare(op, t, base);
            }
        }
    }

    private void prepare(final MessageOperation op, final int t, final long base) {
        op.arm(execution, channels[0].home(), t);
        final long tag = base + schedule.ordinal[t];
        final CollectiveChannel on = channels[schedule.channel[t]];
        if (op instanceof Send s) {
            s.ofCall(schedule.call);
            s.envelope(on.context(), on.rank(), tag, schedule.bytes[t]);
            s.message(execution.memory(schedule.from[t]), schedule.fromOffset[t], on.worldRank(schedule.peer[t]), false);
        } else {
            final Receive r = (Receive) op;
            r.want(on.context(), schedule.peer[t], tag);
            r.into(execution.memory(schedule.into[t]), schedule.intoOffset[t], schedule.bytes[t]);
        }
    }

    void send(final int t) {
        if (execution.isInvalid() && ops[t] instanceof Send s) {
            s.ofCall(schedule.call | execution.flags());
        }
        submit(t);
    }

    private void submit(final int t) {
        channels[schedule.channel[t]].destination(schedule.peer[t]).submit(operation(t));
    }

    private MessageOperation operation(final int t) {
        final MessageOperation op = ops[t];
        if (op == null) {
            throw new IllegalStateException("task has no message: task=" + t);
        }
        return op;
    }

    void recv(final int t) {
        channels[0].home().post((Receive) operation(t));
    }

    /**
     * Checks that a message has valid data and the planned length. Returns the failure if it is longer or shorter, or was not received; else null.
     */
    @Nullable
    MpiFailure check(final Receive r) {
        if (r.isInvalid()) {
            execution.invalidate(r.isInvalidByLoss() ? execution.remoteLoss(worldRank(r)) : execution.remoteFailure(worldRank(r)));
        } else if (r.failure() != null) {
            return r.failure();
        } else if (r.received() != schedule.bytes[r.token()]) {
            // Cause: ranks of a collective call gave different counts; the class is `MPI_ERR_TRUNCATE` when more is sent, otherwise `MPI_ERR_COUNT`.
            // Remedy: the same counts on all ranks; `-p check=full` names the difference.
            return new MpiFailure(ErrorClass.COUNT, "message length differs from the plan: bytes=" + r.received() + ", planned="
                + schedule.bytes[r.token()] + ", source=" + r.fromSource());
        }
        return null;
    }

    /** Returns the source of a message as a rank of COMM_WORLD. */
    int worldRank(final Receive r) {
        return channels[schedule.channel[r.token()]].worldRank(r.fromSource());
    }

    /** Cancels the posted receives. */
    void cancel(final boolean[] begun) {
        for (int t = 0; t < ops.length; t++) {
            if (begun[t] && ops[t] instanceof Receive r) {
                channels[0].home().cancel(r);
            }
        }
    }

    /** Cancels the posted receives, and sends all unsent messages without data and marked as invalid, so that no peer waits for them. */
    void abandon(final boolean[] begun, final long sequence) {
        cancel(begun);
        for (int t = 0; t < ops.length; t++) {
            if (!begun[t] && ops[t] instanceof Send s) {
                s.envelope(s.context(), s.source(), s.tag(), 0);
                s.message(ScheduleExecution.EMPTY, 0, s.destination(), false);
                s.ofCall(schedule.call | execution.flags());
                submit(t);
            }
        }
        for (final CollectiveChannel c : channels) {
            c.home().abandon(c.context(), sequence);
        }
    }

    /** Tells all peers that this rank has failed in a call before it sent anything, and drops what they send to it. */
    void refuse(final long sequence) {
        for (final CollectiveChannel c : channels) {
            c.home().abandon(c.context(), sequence);
            for (int peer = 0; peer < c.peers(); peer++) {
                if (c.isInter() || peer != c.rank()) {
                    final Send notice = new Send();
                    notice.noticeOfFailure(c.context(), c.rank(), sequence, execution.flags());
                    notice.message(ScheduleExecution.EMPTY, 0, c.worldRank(peer), false);
                    notice.arm(CompletionHandler.NONE, null, 0);
                    c.destination(peer).submit(notice);
                }
            }
        }
    }

    /** Drops the references to the caller's memory. */
    void release() {
        for (final MessageOperation op : ops) {
            if (op instanceof Send s) {
                s.release();
            } else if (op instanceof Receive r) {
                r.release();
            }
        }
    }
}
