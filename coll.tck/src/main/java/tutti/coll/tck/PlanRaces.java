package tutti.coll.tck;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;

/**
 * Finds data races within one plan: two tasks that access the same memory without an order between them, at least one of which writes. Also finds
 * tasks that write read-only memory.
 *
 * <p>Sweeps over the accesses by ascending offset, so that only overlapping accesses are compared. Reports the race whose later task is first in the
 * plan.
 */
final class PlanRaces {
    /** An access of a task to a range of memory. */
    private record Access(int task, BufferRange span, boolean writes) {}

    private final List<RecordedTask> tasks;
    private final BitSet[] before;
    private int first = Integer.MAX_VALUE;
    private int second = Integer.MAX_VALUE;

    private PlanRaces(final List<RecordedTask> tasks) {
        this.tasks = tasks;
        this.before = new BitSet[tasks.size()];
    }

    static Optional<CheckFailure> find(final RecordedTasks plan) {
        for (final RecordedTask t : plan.tasks()) {
            if (t.into() != null && t.into().buffer() == Buffer.SEND) {
                return Optional.of(CheckFailure.of(plan.index(), t, "writes the send buffer"));
            }
        }
        final PlanRaces races = new PlanRaces(plan.tasks());
        races.order();
        races.sweep(Buffer.RECV);
        races.sweep(Buffer.SCRATCH);
        races.sweep(Buffer.SHARED);
        return races.second == Integer.MAX_VALUE ? Optional.empty() : Optional.of(CheckFailure.of(plan.index(), plan.tasks().get(races.second),
            "race with task " + races.first + " (" + plan.tasks().get(races.first) + ")"));
    }

    private void order() {
        for (final RecordedTask t : tasks) {
            final BitSet all = new BitSet();
            for (final int a : t.after()) {
                all.or(before[a]);
                all.set(a);
            }
            before[t.id()] = all;
        }
    }

    private void sweep(final Buffer buffer) {
        final List<Access> open = new ArrayList<>();
        for (final Access use : accesses(buffer)) {
            open.removeIf(o -> o.span.end() <= use.span.offset());
            open.forEach(o -> compare(o, use));
            open.add(use);
        }
    }

    /** Returns the accesses in ascending order of offset. */
    private List<Access> accesses(final Buffer buffer) {
        final List<Access> uses = new ArrayList<>();
        for (final RecordedTask t : tasks) {
            add(uses, buffer, t.id(), t.into(), true);
            add(uses, buffer, t.id(), t.localSource(), false);
        }
        uses.sort(Comparator.comparingLong(u -> u.span.offset()));
        return uses;
    }

    private static void add(final List<Access> uses, final Buffer buffer, final int task, final @Nullable BufferRange span, final boolean writes) {
        if (span != null && span.buffer() == buffer && span.bytes() > 0) {
            uses.add(new Access(task, span, writes));
        }
    }

    private void compare(final Access a, final Access b) {
        final int low = Math.min(a.task, b.task);
        final int high = Math.max(a.task, b.task);
        if ((a.writes || b.writes) && low < high && !before[high].get(low) && (high < second || high == second && low < first)) {
            first = low;
            second = high;
        }
    }
}
