package tutti.coll.recexch;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.patterns.DependencyTracker;
import tutti.coll.patterns.ScratchPool;

/**
 * Running values of one rank in a scan: the total of its block of ranks, which it sends, and its result so far.
 *
 * <p>Both share memory while they are equal, that is while the rank is the last of its block. For one plan.
 */
final class ScanState {
    private final DependencyTracker tracker;
    private final ScratchPool pool;
    private final Call.Scan call;
    private final int rank;
    private final boolean isExclusive;
    private final BufferRange out;
    private BufferRange total;
    private boolean hasResult;
    /** True if the total is the result, too. */
    private boolean isShared;

    ScanState(final DependencyTracker tracker, final Call.Scan call, final int rank, final boolean isExclusive) {
        this.tracker = tracker;
        this.pool = tracker.pool();
        this.call = call;
        this.rank = rank;
        this.isExclusive = isExclusive;
        this.out = Buffer.RECV.at(0, call.bytes());
        this.total = call.input();
        this.hasResult = !isExclusive;
        this.isShared = !isExclusive;
    }

    void start(final int size) {
        if (!isExclusive && !call.inPlace()) {
            tracker.copy(total, out);
        } else if (isExclusive && call.inPlace() && rank > 0 && rank < size - 1) {
            // otherwise the receive of the first value would wait until the contribution was sent, rank after rank
            moveTotal();
        }
    }

    private void moveTotal() {
        final BufferRange space = pool.take(out.bytes()).memory();
        tracker.copy(total, space);
        total = space;
    }

    void plan(final ScanRound round) {
        final int own = round.digit();
        final BufferRange[] values = new BufferRange[round.radix()];
        for (int i = 1; i < values.length; i++) {
            final int to = (own + i) % values.length;
            if (round.sendsTo(to)) {
                tracker.send(total, (int) round.rankAt(to));
            }
            final int from = (own - i + values.length) % values.length;
            if (round.receivesFrom(from)) {
                values[from] = from == own - 1 && !hasResult ? out : pool.take(out.bytes()).memory();
                tracker.recv(values[from], (int) round.rankAt(from));
            }
        }
        final BufferRange before = total;
        if (round.needsTotal()) {
            makeTotal(values, own);
        }
        makeResult(values, own);
        release(values, before);
    }

    private void makeTotal(final BufferRange[] values, final int own) {
        final int last = values.length - 1;
        if (own == last && isShared) {
            total = out;
            return;
        }
        if (own == last && total.buffer() == Buffer.SEND) {
            moveTotal();
        }
        values[own] = total;
        total = values[last];
        for (int i = last - 1; i >= 0; i--) {
            tracker.reduce(call.reduction(), values[i], total);
        }
        isShared = false;
    }

    private void makeResult(final BufferRange[] values, final int own) {
        for (int i = own - 1; i >= 0; i--) {
            if (hasResult) {
                tracker.reduce(call.reduction(), values[i], out);
            }
            hasResult = true;
        }
    }

    private void release(final BufferRange[] values, final BufferRange before) {
        for (final BufferRange v : values) {
            if (v != null && !v.equals(total) && !v.equals(before)) {
                pool.release(v);
            }
        }
        if (!before.equals(total)) {
            pool.release(before);
        }
    }
}
