package tutti.coll.basic;

import tutti.coll.Reduction;
import tutti.coll.Span;

/**
 * One rank's running value in a reduction: it starts as the rank's own contribution and takes in what peers send, on its lower or
 * its higher side.
 *
 * <p>A reduce task leaves its result where the higher operand was. So folding in a higher value moves the running value to where that was
 * received; the place is chosen such that after the last such fold the value lies where it is wanted. The contribution is not copied
 * unless a lower value must be folded into it while it lies in read-only memory. Memory: one scratch of the data's length; two when the
 * contribution lies where the result goes and more than two higher values come, or when the result may lie anywhere.
 */
final class Fold {
    private final Flow flow;
    private final Reduction reduction;
    private final Span input;
    private final Span out;
    private final boolean ordered;
    private final Span[] spare = new Span[2];
    private int higherLeft;
    private Span value;

    /**
     * @param input   the contribution; left alone unless it is {@code out}
     * @param out     where the result is wanted; null for anywhere
     * @param higher  how many higher values will be folded in
     * @param ordered false when an operand may be swapped with another to save a copy
     */
    Fold(final Flow flow, final Reduction reduction, final Span input, final Span out, final int higher, final boolean ordered) {
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
        final Span received = higherLeft % 2 == 0 && isFree(out) ? out : otherSpare();
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
        final Span received = isFree(out) ? out : otherSpare();
        flow.recv(received, peer);
        flow.reduce(reduction, received, value);
    }

    /** Brings the result to where it is wanted, and tells where it lies. */
    Span finish() {
        if (isFree(out)) {
            moveTo(out);
        }
        return value;
    }

    private void moveTo(final Span place) {
        flow.copy(value, place);
        value = place;
    }

    private boolean isFree(final Span place) {
        return place != null && !place.equals(value);
    }

    private Span otherSpare() {
        final int i = spare[0] != null && spare[0] == value ? 1 : 0;
        if (spare[i] == null) {
            spare[i] = flow.scratch(input.bytes());
        }
        return spare[i];
    }
}
