package tutti.coll.tck;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.plan.Assignment;
import tutti.coll.plan.PlanRecorder;
import tutti.coll.plan.TaskKind;

/** Applies one mutation to one task of the plans of all ranks. */
final class PlanMutator {
    private final List<RecordedTasks> sound;
    private final RecordedTasks recorded;
    private final RecordedTask task;

    PlanMutator(final List<RecordedTasks> sound, final int rank, final RecordedTask task) {
        this.sound = sound;
        this.recorded = sound.get(rank);
        this.task = task;
    }

    /** Returns the mutated plans; empty if the mutation does not apply to the task. */
    Optional<List<RecordedTasks>> with(final Mutation mutation) {
        // what an opaque task should do is unknown
        final boolean isFixed = task.kind() == TaskKind.FENCE || task.kind() == TaskKind.RESERVE || task.kind() == TaskKind.OPAQUE;
        return isFixed ? Optional.empty() : switch (mutation) {
            case SWAPPED_PEER -> swappedPeer();
            case MISSING_DEPENDENCY -> changed(recorded.impliedDependencies(task.id()) < task.after().length,
                Arrays.copyOf(task.after(), recorded.impliedDependencies(task.id())));
            case WRONG_SOURCE -> changed(hasData(task.from()), shifted(task.from()), task.into());
            case WRONG_TARGET -> changed(hasData(task.into()), task.from(), shifted(task.into()));
            case SHORT_SPAN -> task.kind() == TaskKind.RECV ? Optional.empty()
                : changed(hasData(task.from()), cut(task.from()), cut(task.into()));
            case DROPPED_TASK -> dropped();
            case SWAPPED_OPERANDS -> changed(task.kind() == TaskKind.REDUCE && hasData(task.from()), task.into(), task.from());
            case EARLIER_POST -> task.kind() != TaskKind.AWAIT || task.post() == 0 ? Optional.empty()
                : replaced(RecordedTask.signal(task.id(), task.kind(), task.peer(), task.post() - 1, task.after()));
            case LATE_READ -> lateRead();
            case CYCLE -> cycle();
        };
    }

    private static boolean hasData(final @Nullable BufferRange span) {
        return span != null && span.bytes() > 0;
    }

    private static @Nullable BufferRange shifted(final @Nullable BufferRange span) {
        return span == null ? null : new BufferRange(span.buffer(), span.offset() + 1, span.bytes());
    }

    private static @Nullable BufferRange cut(final @Nullable BufferRange span) {
        return span == null || span.bytes() == 0 ? span : new BufferRange(span.buffer(), span.offset(), span.bytes() - 1);
    }

    private Optional<List<RecordedTasks>> swappedPeer() {
        if (task.peer() < 0 || task.kind() == TaskKind.AWAIT) {
            // another peer's post may follow the right one, and so be as good
            return Optional.empty();
        }
        final PlanRecorder<VirtualComm.Group> part = recorded.owner(task.id());
        final VirtualComm comm = part.comm().comm();
        for (int i = 1; i < part.remoteSize(); i++) {
            final int peer = comm.peer((peerRank(comm) + i) % part.remoteSize());
            if (isMessage() || peer != recorded.index() && isNear(peer)) {
                return replaced(task.withPeer(peer));
            }
        }
        return Optional.empty();
    }

    private boolean isMessage() {
        return task.kind() == TaskKind.SEND || task.kind() == TaskKind.RECV;
    }

    private int peerRank(final VirtualComm comm) {
        int rank = 0;
        while (comm.peer(rank) != task.peer()) {
            rank++;
        }
        return rank;
    }

    private boolean isNear(final int peer) {
        final VirtualComm comm = recorded.owner(task.id()).comm().comm();
        return comm.nodeAt(peer) == comm.nodeAt(recorded.index());
    }

    private Optional<List<RecordedTasks>> dropped() {
        final boolean matters = switch (task.kind()) {
            case COPY, REDUCE, GET, PEER_REDUCE -> hasData(task.from());
            default -> true;
        };
        return !matters ? Optional.empty() : replaced(RecordedTask.fence(task.id(), task.after()));
    }

    /** Moves the read to the end of the plan, and puts a task that does nothing in its place. Shared memory may be read late. */
    private Optional<List<RecordedTasks>> lateRead() {
        return !task.readsPeer() || !hasData(task.from()) || task.source().buffer() == Buffer.SHARED ? Optional.empty()
            : Optional.of(with(recorded.withoutWaitingFor(task.id())));
    }

    private Optional<List<RecordedTasks>> cycle() {
        final PlanRecorder<VirtualComm.Group> outermost = recorded.owner(task.id()).outermost();
        if (!isMessage() || task.peer() == recorded.index() || outermost.isInter() || !isNear(task.peer())) {
            return Optional.empty();
        }
        final RecordedTasks there = sound.get(task.peer());
        final int last = there.posts(there.outermost());
        final RecordedTask await = RecordedTask.signal(0, TaskKind.AWAIT, task.peer(), last);
        final List<RecordedTasks> all = with(recorded.waitingFor(await, task.id()));
        all.set(task.peer(), there.postingAtTheEnd());
        return Optional.of(all);
    }

    private Optional<List<RecordedTasks>> changed(final boolean matters, final int... after) {
        return !matters ? Optional.empty() : replaced(task.withOrder(task.id(), after));
    }

    private Optional<List<RecordedTasks>> changed(final boolean matters, final @Nullable BufferRange from, final @Nullable BufferRange into) {
        return !matters ? Optional.empty() : replaced(task.withRanges(from, into));
    }

    private Optional<List<RecordedTasks>> replaced(final RecordedTask other) {
        return Optional.of(with(recorded.with(other)));
    }

    private List<RecordedTasks> with(final RecordedTasks mutated) {
        final List<RecordedTasks> all = new ArrayList<>(sound);
        all.set(recorded.index(), mutated);
        return all;
    }

    /** Returns the failure for which planning would have rejected the mutated task: a range outside of the memory, or a part of an element. */
    static Optional<CheckFailure> refused(final List<RecordedTasks> plans, final int rank) {
        final RecordedTasks plan = plans.get(rank);
        for (final RecordedTask t : plan.tasks()) {
            if (t.reduction() != null && t.target().bytes() % t.reduction().elementBytes() != 0) {
                return Optional.of(CheckFailure.of(rank, t, "not whole elements: bytes=" + t.target().bytes()));
            }
            if (t.assignment() instanceof final Assignment.Offloaded a && !hasLengthsOf(a, t)) {
                return Optional.of(CheckFailure.of(rank, t, "buffers of another length than the call: call=" + a.call()));
            }
            for (final BufferRange s : new @Nullable BufferRange[] {t.localSource(), t.into()}) {
                if (s != null && s.bytes() > 0 && !plan.has(s)) {
                    return Optional.of(CheckFailure.of(rank, t, "range out of bounds: range=" + s));
                }
            }
        }
        return Optional.empty();
    }

    private static boolean hasLengthsOf(final Assignment.Offloaded planned, final RecordedTask task) {
        // the root of a bcast reads its receive buffer
        final boolean isRoot = planned.recv() != null && task.into() == null;
        return isRoot ? length(task.from()) == length(planned.recv()) : length(task.from()) == length(planned.send())
            && length(task.into()) == length(planned.recv());
    }

    private static long length(final @Nullable BufferRange range) {
        return range == null ? 0 : range.bytes();
    }
}
