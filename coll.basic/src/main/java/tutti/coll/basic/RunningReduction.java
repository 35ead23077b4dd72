package tutti.coll.basic;

import org.jspecify.annotations.Nullable;
import tutti.coll.BufferRange;
import tutti.coll.Reduction;
import tutti.coll.patterns.DataTasks;

/**
 * The partial result of one rank in a reduction. It starts as the rank's own contribution, and is combined with values that peers send, as the
 * lower or the higher operand.
 *
 * <p>A reduce task leaves its result in the range of the higher operand. Combining with a higher value therefore moves the partial result to the
 * range where that value was received. The ranges alternate such that the final result is located where the caller wants it. The contribution
 * is copied only if it is in read-only memory when it must be combined with a lower value.
 *
 * <p>Memory: one scratch range of the data's length. Two if the contribution is located where the result is wanted and more than two higher
 * values are received, or if the result may be located anywhere.
 */
final class RunningReduction {
    private final DataTasks tasks;
    private final Reduction reduction;
    private final BufferRange input;
    private final @Nullable BufferRange out;
    private final boolean ordered;
    private final @Nullable BufferRange[] spare = new BufferRange[2];
    private int higherLeft;
    private BufferRange value;

    /**
     * @param input   the contribution; not changed unless it is {@code out}
     * @param out     where the result is wanted; null for anywhere
     * @param higher  the number of higher values that will be combined
     * @param ordered false if operands may be swapped to save a copy
     */
    RunningReduction(final DataTasks tasks, final Reduction reduction, final BufferRange input, final @Nullable BufferRange out,
        final int higher, final boolean ordered) {
        this.tasks = tasks;
        this.reduction = reduction;
        this.input = input;
        this.out = out;
        this.higherLeft = higher;
        this.ordered = ordered;
        this.value = input;
    }

    /** Sends the partial result to a peer. */
    void send(final int peer) {
        tasks.send(value, peer);
    }

    /** Receives a value from a peer and combines it as the higher operand: {@code value = value (op) received}. */
    void higher(final int peer) {
        higherLeft--;
        final boolean lastInPlace = higherLeft == 0 && value.equals(out);
        final BufferRange received = higherLeft % 2 == 0 ? outOrSpare() : otherSpare();
        tasks.recv(received, peer);
        if (lastInPlace && !ordered) {
            tasks.reduce(reduction, received, value);
        } else {
            tasks.reduce(reduction, value, received);
            value = received;
        }
    }

    /** Receives a value from a peer and combines it as the lower operand: {@code value = received (op) value}. */
    void lower(final int peer) {
        if (value.equals(input) && !input.equals(out)) {
            moveTo(higherLeft % 2 == 0 && out != null ? out : otherSpare());
        }
        final BufferRange received = outOrSpare();
        tasks.recv(received, peer);
        tasks.reduce(reduction, received, value);
    }

    /** Copies the result to where it is wanted, if it is not there, and returns its range. */
    BufferRange finish() {
        if (out != null && !out.equals(value)) {
            moveTo(out);
        }
        return value;
    }

    private void moveTo(final BufferRange target) {
        tasks.copy(value, target);
        value = target;
    }

    private BufferRange outOrSpare() {
        return out != null && !out.equals(value) ? out : otherSpare();
    }

    private BufferRange otherSpare() {
        final int i = spare[0] != null && spare[0] == value ? 1 : 0;
        BufferRange other = spare[i];
        if (other == null) {
            other = tasks.plan().scratch(input.bytes());
            spare[i] = other;
        }
        return other;
    }
}
