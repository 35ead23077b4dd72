package tutti.coll.basic;

import org.jspecify.annotations.Nullable;
import tutti.coll.Algorithm;
import tutti.coll.Buffer;
import tutti.coll.BufferRange;
import tutti.coll.Call;
import tutti.coll.Plan;
import tutti.coll.patterns.DataTasks;

/**
 * Recursive doubling scan and exscan: in round k, ranks at distance 2^k exchange the reductions of their blocks of 2^k ranks.
 *
 * <p>Source: P. Sanders, J. L. Träff, Parallel prefix (scan) algorithms for MPI, EuroPVM/MPI 2006, doi:10.1007/11846802_15 (the hypercube
 * algorithm); omitting partial results that no rank needs is new in this module.
 * <p>Idea: a rank has the reduction of its whole block, which it sends, and that of the block up to itself. In round k two blocks are merged
 * into one. The ranks of the upper block combine the lower block's reduction with both of theirs, as the left operand. A reduction that a rank
 * would neither send nor use is omitted.
 * <pre>
 *   5 ranks, results    round 1:  0 ↔ 1,  2 ↔ 3             0, (0 1), 2, (2 3), 4
 *                       round 2:  0 ↔ 2,  1 ↔ 3             0, (0 1), ((0 1) 2), ((0 1) (2 3)), 4
 *                       round 3:  0 → 4                     (((0 1) (2 3)) 4)
 * </pre>
 * <p>Cost for p ranks, n bytes: ⌈log2 p⌉ (α + nβ) + at most 2⌈log2 p⌉ nγ, p = 2^k and other p alike; p⌈log2 p⌉ - p + 1 messages at most.
 * <p>Needs: nothing; any p; its brackets are canonical. The receive buffer of rank 0 is not touched by an exscan.
 * <p>Memory: 2n bytes.
 */
final class RecursiveDoublingScan implements Algorithm<Call.Scan> {
    static final String NAME = "recursive_doubling";

    private final boolean exclusive;

    /**
     * Creates the algorithm of scan or exscan.
     *
     * @param exclusive true for exscan
     */
    RecursiveDoublingScan(final boolean exclusive) {
        this.exclusive = exclusive;
    }

    @Override
    public void plan(final Call.Scan call, final Plan plan) {
        new Prefix(call, plan, exclusive).plan();
    }

    /** Writes the plan of one rank. */
    private static final class Prefix {
        private final Call.Scan call;
        private final DataTasks tasks;
        private final int rank;
        private final int size;
        private final BufferRange result;
        private BufferRange block;
        private @Nullable BufferRange slot;
        private boolean started;

        Prefix(final Call.Scan call, final Plan plan, final boolean exclusive) {
            this.call = call;
            this.tasks = new DataTasks(plan);
            this.rank = plan.rank();
            this.size = plan.size();
            this.result = Buffer.RECV.at(0, call.bytes());
            this.block = call.input();
            this.started = !exclusive;
        }

        void plan() {
            if (call.inPlace() && rank > 0 && needs(rank, 1)) {
                copyBlock();
            } else if (started && !call.inPlace()) {
                tasks.copy(block, result);
            }
            for (int distance = 1; distance < size; distance <<= 1) {
                if ((rank & distance) != 0) {
                    upper(distance);
                } else if (rank + distance < size) {
                    lower(distance);
                }
            }
        }

        /**
         * Returns whether a rank sends the reduction of its block, or that of a larger block that contains it.
         *
         * @param member the rank
         * @param ranks  the number of ranks in the block
         */
        private boolean needs(final int member, final int ranks) {
            // until the round in which the block is the lower one, this rank or its partners hold the reduction
            final int partner = Integer.lowestOneBit(~member & -ranks);
            return (member & ~(partner - ranks)) + partner < size;
        }

        private void lower(final int distance) {
            tasks.send(block, rank + distance);
            if (needs(rank, 2 * distance)) {
                final BufferRange received = slot();
                tasks.recv(received, rank + distance);
                tasks.reduce(call.reduction(), block, received);
                slot = block.equals(call.input()) ? null : block;
                block = received;
            }
        }

        private void upper(final int distance) {
            if (needs(rank - distance, 2 * distance)) {
                tasks.send(block, rank - distance);
            }
            final BufferRange received = started ? slot() : result;
            tasks.recv(received, rank - distance);
            if (needs(rank, 2 * distance)) {
                if (block.equals(call.input())) {
                    copyBlock();
                }
                tasks.reduce(call.reduction(), received, block);
            }
            if (started) {
                tasks.reduce(call.reduction(), received, result);
            }
            started = true;
        }

        private BufferRange slot() {
            if (slot == null) {
                slot = tasks.plan().scratch(call.bytes());
            }
            return slot;
        }

        private void copyBlock() {
            final BufferRange copy = tasks.plan().scratch(call.bytes());
            tasks.copy(block, copy);
            block = copy;
        }
    }
}
