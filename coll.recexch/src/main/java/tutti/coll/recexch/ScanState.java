package tutti.coll.recexch;

import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;

/**
 * Running values of one rank in a scan: the total of its block of ranks, which it sends, and its result so far.
 *
 * <p>Both share memory while they are equal, that is while the rank is the last of its block. For one plan.
 */
final class ScanState {
    private final DependencyTracker flow;
    private final ScratchPool rooms;
    private final Call.Scan call;
    private final int rank;
    private final boolean isExclusive;
    private final BufferRange out;
    private BufferRange total;
    private boolean hasResult;
    /** True if the total is the result, too. */
    private boolean isShared;

    ScanState(final DependencyTracker tracker, final Call.Scan call, final int rank, final boolean isExclusive) {
        this.flow = tracker;
        this.rooms = new ScratchPool(tracker);
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
            flow.copy(total, out);
        } else if (isExclusive && call.inPlace() && rank > 0 && rank < size - 1) {
            // otherwise the receive of the first value would wait until the contribution was sent, rank after rank
            moveTotal();
        }
    }

    private void moveTotal() {
        final BufferRange space = rooms.take(out.bytes());
        flow.copy(total, space);
        total = space;
    }

    void plan(final ScanRound round) {
        final int own = round.digit();
        final BufferRange[] values = new BufferRange[round.radix()];
        for (int i = 1; i < values.length; i++) {
            final int to = (own + i) % values.length;
            if (round.sendsTo(to)) {
                flow.send(total, (int) round.member(to));
            }
            final int from = (own - i + values.length) % values.length;
            if (round.receivesFrom(from)) {
                values[from] = from == own - 1 && !hasResult ? out : rooms.take(out.bytes());
                flow.recv(values[from], (int) round.member(from));
            }
        }
        final BufferRange before = total;
        if (round.needsTotal()) {
            makeTotal(values, own);
        }
        makeResult(values, own);
        give(values, before);
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
            flow.reduce(call.reduction(), values[i], total);
        }
        isShared = false;
    }

    private void makeResult(final BufferRange[] values, final int own) {
        for (int i = own - 1; i >= 0; i--) {
            if (hasResult) {
                flow.reduce(call.reduction(), values[i], out);
            }
            hasResult = true;
        }
    }

    private void give(final BufferRange[] values, final BufferRange before) {
        for (final BufferRange v : values) {
            if (v != null && !v.equals(total) && !v.equals(before)) {
                rooms.give(v);
            }
        }
        if (!before.equals(total)) {
            rooms.give(before);
        }
    }
}
