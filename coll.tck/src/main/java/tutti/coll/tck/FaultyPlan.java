package tutti.coll.tck;

import tutti.coll.Call;
import tutti.coll.CollGroup;
import tutti.coll.Operation;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.Span;

/**
 * Hands a plan on with one task spoilt, as a mistake in an algorithm would. The spoilt task is counted like any other, so that ids stay right.
 */
final class FaultyPlan implements Plan {
    private final Plan plan;
    private final Fault fault;
    private final int victim;
    private int made;
    private boolean applied;

    /** Spoils task number {@code victim} if the fault concerns its kind. */
    FaultyPlan(final Plan plan, final Fault fault, final int victim) {
        this.plan = plan;
        this.fault = fault;
        this.victim = victim;
    }

    /** Whether something was spoilt. */
    boolean isApplied() {
        return applied;
    }

    @Override
    public int rank() {
        return plan.rank();
    }

    @Override
    public int size() {
        return plan.size();
    }

    @Override
    public boolean isInter() {
        return plan.isInter();
    }

    @Override
    public int remoteSize() {
        return plan.remoteSize();
    }

    @Override
    public Span scratch(final long bytes) {
        return plan.scratch(bytes);
    }

    @Override
    public int send(final Span data, final int peer, final int... after) {
        final boolean hit = hit();
        if (hit && apply(Fault.DROPPED_TASK, true)) {
            return nothing(after);
        }
        return plan.send(source(hit, data), hit && apply(Fault.SWAPPED_PEER, size() > 1) ? (peer + 1) % size() : peer, after(hit, after));
    }

    @Override
    public int recv(final Span into, final int peer, final int... after) {
        final boolean hit = hit();
        if (hit && apply(Fault.DROPPED_TASK, true)) {
            return nothing(after);
        }
        return plan.recv(target(hit, into), hit && apply(Fault.SWAPPED_PEER, size() > 1) ? (peer + 1) % size() : peer, after(hit, after));
    }

    @Override
    public int copy(final Span from, final Span into, final int... after) {
        final boolean hit = hit();
        if (hit && apply(Fault.DROPPED_TASK, from.bytes() > 0)) {
            return nothing(after);
        }
        final Span source = source(hit, from);
        return plan.copy(source, target(hit, into.slice(0, source.bytes())), after(hit, after));
    }

    @Override
    public int reduce(final Reduction reduction, final Span from, final Span into, final int... after) {
        final boolean hit = hit();
        if (hit && apply(Fault.DROPPED_TASK, from.bytes() > 0)) {
            return nothing(after);
        }
        if (hit && apply(Fault.SWAPPED_OPERANDS, from.bytes() > 0)) {
            return plan.reduce(reduction, into, from, after);
        }
        final Span source = source(hit, from);
        return plan.reduce(reduction, source, target(hit, into.slice(0, source.bytes())), after(hit, after));
    }

    @Override
    public int post(final int... after) {
        throw new UnsupportedOperationException("shared memory");
    }

    @Override
    public int await(final int peer, final int post, final int... after) {
        throw new UnsupportedOperationException("shared memory");
    }

    @Override
    public int get(final int peer, final Span from, final Span into, final int... after) {
        throw new UnsupportedOperationException("shared memory");
    }

    @Override
    public int reduce(final Reduction reduction, final int peer, final Span from, final Span into, final int... after) {
        throw new UnsupportedOperationException("shared memory");
    }

    @Override
    public <C extends Call> int nested(final CollGroup group, final Operation<C> operation, final C call, final Span send, final Span recv,
                                       final int... after) {
        return plan.nested(group, operation, call, send, recv, after);
    }

    @Override
    public int fence() {
        made++;
        return plan.fence();
    }

    /** Takes the place of a task that was left out. */
    private int nothing(final int... after) {
        return plan.copy(plan.scratch(0), plan.scratch(0), after);
    }

    private boolean hit() {
        return made++ == victim;
    }

    private boolean apply(final Fault candidate, final boolean matters) {
        final boolean now = fault == candidate && matters;
        applied |= now;
        return now;
    }

    private int[] after(final boolean hit, final int... after) {
        return hit && apply(Fault.MISSING_DEPENDENCY, after.length > 0) ? new int[0] : after;
    }

    private Span source(final boolean hit, final Span span) {
        if (hit && apply(Fault.SHORT_SPAN, span.bytes() > 0)) {
            return span.slice(0, span.bytes() - 1);
        }
        return hit && apply(Fault.WRONG_SOURCE, span.bytes() > 0) ? new Span(span.buffer(), span.offset() + 1, span.bytes()) : span;
    }

    private Span target(final boolean hit, final Span span) {
        return hit && apply(Fault.WRONG_TARGET, span.bytes() > 0) ? new Span(span.buffer(), span.offset() + 1, span.bytes()) : span;
    }
}
