package tutti.coll.basic;

import org.jspecify.annotations.Nullable;
import tutti.coll.Blocks;
import tutti.coll.BufferRange;
import tutti.coll.Plan;
import tutti.coll.Reduction;
import tutti.coll.patterns.CanonicalBrackets;
import tutti.coll.patterns.CyclicRanks;

/**
 * One rank's part of a reduction in which each rank combines one block. The rank sends all other blocks to their ranks, and receives the
 * contributions to its own block, each into a slot. Combines with canonical brackets, adjacent slots first. For the planning thread.
 */
final class BlockReduction {
    private final Plan plan;
    private final Reduction reduction;
    private final Blocks blocks;
    private final BufferRange input;
    private final BufferRange[] slots;

    BlockReduction(final Plan plan, final Reduction reduction, final Blocks blocks, final BufferRange input) {
        this.plan = plan;
        this.reduction = reduction;
        this.blocks = blocks;
        this.input = input;
        this.slots = new BufferRange[plan.size()];
    }

    /**
     * Plans the exchange of blocks, for more than one rank.
     *
     * @param out       where the caller wants the result
     * @param outIsFree whether {@code out} may be written at once, so that the result is combined there
     * @return the slot that {@link #combine} leaves the result in; null if the block is empty
     */
    @Nullable
    BufferRange gather(final BufferRange out, final boolean outIsFree) {
        final int rank = plan.rank();
        final int size = plan.size();
        final long bytes = blocks.bytes(rank);
        for (int i = 0; bytes > 0 && i < size; i++) {
            // the block of an even rank is at first a lower operand, which is only read
            final boolean read = i == rank && i % 2 == 0 && i + 1 < size;
            slots[i] = read ? block(rank) : i == size - 1 && outIsFree ? out : plan.scratch(bytes);
        }
        if (bytes > 0 && !slots[rank].equals(block(rank))) {
            plan.copy(block(rank), slots[rank]);
        }
        for (int i = 1; i < size; i++) {
            final int to = CyclicRanks.up(rank, i, size);
            final int from = CyclicRanks.down(rank, i, size);
            if (blocks.bytes(to) > 0) {
                plan.send(block(to), to);
            }
            if (bytes > 0) {
                plan.recv(slots[from], from);
            }
        }
        return bytes == 0 ? null : slots[size - 1];
    }

    /** Plans the combination of a block that is not empty. */
    void combine() {
        combine(0, plan.size() - 1);
    }

    private void combine(final int first, final int last) {
        if (first < last) {
            final int next = first + CanonicalBrackets.lower(last - first + 1);
            combine(first, next - 1);
            combine(next, last);
            plan.reduce(reduction, slots[next - 1], slots[last]);
        }
    }

    /** Returns the range of a block in the contribution. */
    BufferRange block(final int i) {
        return input.slice(blocks.offset(i), blocks.bytes(i));
    }
}
