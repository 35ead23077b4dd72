package tutti.coll.recexch;

import tutti.coll.BufferRange;
import tutti.coll.Reduction;
import tutti.coll.patterns.DependencyTracker;
import tutti.coll.patterns.RecursiveExchange;

/**
 * Rounds of a recursive doubling reduction for one participating rank. All ranks end with the same value, computed in the same way.
 *
 * <p>So operands are never swapped, and the result of a round is located in the memory of the last operand: it moves there unless this rank has the
 * last operand. A value that moves out of the target can move back in the next move. So the number of remaining moves decides in which rounds the
 * target is used, and whether the final value is in it.
 */
final class DoublingRounds {
    private final DependencyTracker tracker;
    private final CanonicalMerge merge;
    private final RecursiveExchange exchange;
    private final int vrank;
    private final int offset;

    /** @param offset rank of virtual rank 0 in the communicator */
    DoublingRounds(final DependencyTracker tracker, final Reduction reduction, final RecursiveExchange exchange, final int vrank, final int offset) {
        this.tracker = tracker;
        this.merge = new CanonicalMerge(tracker, tracker.pool(), reduction, false);
        this.exchange = exchange;
        this.vrank = vrank;
        this.offset = offset;
    }

    /**
     * Combines the values of a pair of ranks.
     *
     * @param target where the value may be at the end of all rounds
     */
    BufferRange combinePair(final BufferRange value, final BufferRange target) {
        final int rank = exchange.rankAt(vrank);
        return merge.merge(value, new int[] {offset + exchange.pairPartner(rank), offset + rank}, 1, moves(0) % 2 == 0 ? target : null);
    }

    /**
     * Plans all rounds.
     *
     * @param target       where the value may be
     * @param endsInTarget whether the final value is to be in {@code target}, if possible, or elsewhere
     */
    BufferRange plan(final BufferRange value, final BufferRange target, final boolean endsInTarget) {
        BufferRange v = value;
        for (int round = 0; round < exchange.rounds(); round++) {
            final int[] group = exchange.ranksAt(exchange.group(vrank, round));
            final int own = exchange.digit(vrank, round);
            for (int i = 0; i < group.length; i++) {
                group[i] += offset;
            }
            for (int i = 1; i < group.length; i++) {
                tracker.send(v, group[(own + i) % group.length]);
            }
            v = merge.merge(v, group, own, moves(round + 1) % 2 == 0 == endsInTarget ? target : null);
        }
        return v;
    }

    private int moves(final int nextRound) {
        int moves = 0;
        for (int round = nextRound; round < exchange.rounds(); round++) {
            moves += exchange.digit(vrank, round) < exchange.radix(round) - 1 ? 1 : 0;
        }
        return moves;
    }
}
