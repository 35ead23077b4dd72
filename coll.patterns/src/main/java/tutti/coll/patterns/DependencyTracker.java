package tutti.coll.patterns;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Reduction;

/**
 * Adds tasks to a plan as if they ran one after the other, and derives their dependencies from the memory that they access. A task that reads
 * comes after the last task that wrote the same memory. A task that writes comes after all tasks that read or wrote what it replaces. Nothing
 * else is ordered.
 *
 * <p>Nothing is planned for empty data: sender and receiver both know the length of a message. Each task is compared with all earlier accesses
 * that still matter, so this suits plans whose length grows with the logarithm of the number of ranks. One per plan, for the planning thread.
 */
public final class DependencyTracker {
    /** An empty range, in any buffer, overlaps no other range. */
    private static final BufferRange NONE = Buffer.SCRATCH.at(0, 0);

    /** A task's access to memory with which later tasks may conflict. */
    private record Access(int task, BufferRange span, boolean writes) {
        boolean conflicts(final BufferRange other, final boolean otherWrites) {
            return (writes || otherWrites) && overlap(span, other);
        }
    }

    private final Plan plan;
    private final List<Access> accesses = new ArrayList<>();
    private final List<Access> causes = new ArrayList<>();

    /** Creates a tracker of a plan without tasks. */
    public DependencyTracker(final Plan plan) {
        this.plan = plan;
    }

    /** Reserves scratch memory of the plan. */
    public BufferRange scratch(final long bytes) {
        return plan.scratch(bytes);
    }

    /** Returns a pool of scratch memory of the plan, whose users this tracker orders. */
    public ScratchPool pool() {
        return new ScratchPool(plan, 0);
    }

    /** Sends a range to a peer. */
    public void send(final BufferRange data, final int peer) {
        if (data.bytes() > 0) {
            done(plan.send(data, peer, after(data, NONE)), data, NONE);
        }
    }

    /** Receives a range from a peer. */
    public void recv(final BufferRange into, final int peer) {
        if (into.bytes() > 0) {
            done(plan.recv(into, peer, after(NONE, into)), NONE, into);
        }
    }

    /** Copies a range. */
    public void copy(final BufferRange from, final BufferRange into) {
        if (into.bytes() > 0) {
            done(plan.copy(from, into, after(from, into)), from, into);
        }
    }

    public void reduce(final Reduction reduction, final BufferRange from, final BufferRange into) {
        if (into.bytes() > 0) {
            done(plan.reduce(reduction, from, into, after(from, into)), from, into);
        }
    }

    /** Returns the tasks that must precede a task that reads and writes these ranges, without those that others of them imply. */
    private int[] after(final BufferRange reads, final BufferRange writes) {
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

    private void done(final int task, final BufferRange reads, final BufferRange writes) {
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
