package tutti.coll.recexch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Reduction;

/**
 * Dependency tracker of a plan: writes the plan as if its tasks ran one after the other, and derives the dependencies of each task from the memory
 * that it accesses. A reader depends on the last writer of what it reads, and a writer on the readers and writers of what it replaces. No other tasks
 * are ordered.
 *
 * <p>Nothing is planned for empty data: sender and receiver both know the length of a message. Each task is compared with every access that still
 * matters, so the class suits plans whose length grows with the logarithm of the ranks. One instance per plan, for the planning thread.
 */
final class DependencyTracker {
    private static final BufferRange NONE = new BufferRange(null, 0, 0);

    /** Access of a task to memory; later tasks may conflict with it. */
    private record Access(int task, BufferRange span, boolean writes) {
        boolean conflicts(final BufferRange other, final boolean otherWrites) {
            return (writes || otherWrites) && overlap(span, other);
        }
    }

    private final Plan plan;
    private final List<Access> accesses = new ArrayList<>();
    private final List<Access> causes = new ArrayList<>();

    DependencyTracker(final Plan plan) {
        this.plan = plan;
    }

    BufferRange scratch(final long bytes) {
        return plan.scratch(bytes);
    }

    void send(final BufferRange data, final int peer) {
        if (data.bytes() == 0) {
            return;
        }
        addAccesses(plan.send(data, peer, dependencies(data, NONE)), data, NONE);
    }

    void recv(final BufferRange into, final int peer) {
        if (into.bytes() == 0) {
            return;
        }
        addAccesses(plan.recv(into, peer, dependencies(NONE, into)), NONE, into);
    }

    void copy(final BufferRange from, final BufferRange into) {
        if (into.bytes() == 0) {
            return;
        }
        addAccesses(plan.copy(from, into, dependencies(from, into)), from, into);
    }

    void reduce(final Reduction reduction, final BufferRange from, final BufferRange into) {
        if (into.bytes() == 0) {
            return;
        }
        addAccesses(plan.reduce(reduction, from, into, dependencies(from, into)), from, into);
    }

    /** Returns the tasks that a task depends on which reads and writes these ranges, without those that others of them imply. */
    private int[] dependencies(final BufferRange reads, final BufferRange writes) {
        causes.clear();
        for (int i = accesses.size() - 1; i >= 0; i--) {
            final Access a = accesses.get(i);
            if ((a.conflicts(reads, false) || a.conflicts(writes, true)) && !isImplied(a)) {
                causes.add(a);
            }
        }
        return causes.stream().mapToInt(Access::task).distinct().toArray();
    }

    private boolean isImplied(final Access earlier) {
        for (final Access cause : causes) {
            if (cause.task != earlier.task && cause.conflicts(earlier.span, earlier.writes)) {
                return true;
            }
        }
        return false;
    }

    private void addAccesses(final int task, final BufferRange reads, final BufferRange writes) {
        accesses.removeIf(a -> contains(writes, a.span));
        for (final Access a : Arrays.asList(new Access(task, reads, false), new Access(task, writes, true))) {
            if (a.span.bytes() > 0) {
                accesses.add(a);
            }
        }
    }

    private static boolean overlap(final BufferRange a, final BufferRange b) {
        return a.buffer() == b.buffer() && a.bytes() > 0 && b.bytes() > 0 && a.offset() < b.end() && b.offset() < a.end();
    }

    private static boolean contains(final BufferRange outer, final BufferRange inner) {
        return outer.buffer() == inner.buffer() && outer.offset() <= inner.offset() && inner.end() <= outer.end();
    }
}
