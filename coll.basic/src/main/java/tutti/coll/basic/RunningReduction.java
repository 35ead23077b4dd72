package tutti.coll.basic;

import tutti.coll.BufferRange;
import tutti.coll.Reduction;

/**
 * One rank's running value in a reduction: it starts as the rank's own contribution and takes in what peers send, on its lower or
 * its higher side.
 *
 * <p>A reduce task leaves its result where the higher operand was. So folding in a higher value moves the running value to where that was
 * received; the place is chosen such that after the last such fold the value lies where it is wanted. The contribution is not copied
 * unless a lower value must be folded into it while it lies in read-only memory. Memory: one scratch of the data's length; two when the
 * contribution lies where the result goes and more than two higher values come, or when the result may lie anywhere.
 */
final class RunningReduction {
    private final DependencyTracker flow;
    private final Reduction reduction;
    private final BufferRange input;
    private final BufferRange out;
    private final boolean ordered;
    private final BufferRange[] spare = new BufferRange[2];
    private int higherLeft;
    private BufferRange value;

    /**
     * @param input   the contribution; left alone unless it is {@code out}
     * @param out     where the result is wanted; null for anywhere
     * @param higher  how many higher values will be folded in
     * @param ordered false when an operand may be swapped with another to save a copy
     */
    RunningReduction(final DependencyTracker flow, final Reduction reduction, final BufferRange input, final BufferRange out, final int higher,
        final boolean ordered) {
        this.flow = flow;
        this.reduction = reduction;
        this.input = input;
        this.out = out;
        this.higherLeft = higher;
        this.ordered = ordered;
        this.value = input;
    }

    /** Sends the running value. */
    void send(final int peer) {
        flow.send(value, peer);
    }

    /** {@code value = value (op) what peer sends}. */
    void higher(final int peer) {
        higherLeft--;
        final boolean lastInPlace = higherLeft == 0 && value.equals(out);
        final BufferRange received = higherLeft % 2 == 0 && isFree(out) ? out : otherSpare();
        flow.recv(received, peer);
        if (lastInPlace && !ordered) {
            flow.reduce(reduction, received, value);
        } else {
            flow.reduce(reduction, value, received);
            value = received;
        }
    }

    /** {@code value = what peer sends (op) value}. */
    void lower(final int peer) {
        if (value.equals(input) && !input.equals(out)) {
            moveTo(higherLeft % 2 == 0 && out != null ? out : otherSpare());
        }
        final BufferRange received = isFree(out) ? out : otherSpare();
        flow.recv(received, peer);
        flow.reduce(reduction, received, value);
    }

    /** Brings the result to where it is wanted, and tells where it lies. */
    BufferRange finish() {
        if (isFree(out)) {
            moveTo(out);
        }
        return value;
    }

    private void moveTo(final BufferRange place) {
        flow.copy(value, place);
        value = place;
    }

    private boolean isFree(final BufferRange place) {
        return place != null && !place.equals(value);
    }

    private BufferRange otherSpare() {
        final int i = spare[0] != null && spare[0] == value ? 1 : 0;
        if (spare[i] == null) {
            spare[i] = flow.scratch(input.bytes());
        }
        return spare[i];
    }
}
