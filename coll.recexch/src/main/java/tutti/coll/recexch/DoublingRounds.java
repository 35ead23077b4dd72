package tutti.coll.recexch;

import tutti.coll.BufferRange;
import tutti.coll.Reduction;

/**
 * Plans the rounds of a recursive doubling reduction for one rank that takes part: all end with the same value, made in the same way.
 *
 * <p>So operands are never swapped, and a value moves to the memory of what comes unless it is the last operand. From home it is home again
 * after two moves: so it can be told when to go home to end there, or not.
 */
final class DoublingRounds {
    private final DependencyTracker flow;
    private final CanonicalMerge merge;
    private final RecursiveExchange exchange;
    private final int place;
    private final int offset;

    /** @param offset rank before the first of those that take part */
    DoublingRounds(final DependencyTracker flow, final Reduction reduction, final RecursiveExchange exchange, final int place, final int offset) {
        this.flow = flow;
        this.merge = new CanonicalMerge(flow, new ScratchPool(flow), reduction, false);
        this.exchange = exchange;
        this.place = place;
        this.offset = offset;
    }

    /**
     * Takes in what the other of a pair has.
     *
     * @param home where the value may go, at the end of all rounds
     */
    BufferRange takeIn(final BufferRange value, final BufferRange home) {
        final int rank = exchange.rankAt(place);
        return merge.merge(value, new int[] {offset + exchange.other(rank), offset + rank}, 1, moves(0) % 2 == 0 ? home : null);
    }

    /**
     * Plans all rounds.
     *
     * @param home     where the value may go
     * @param endsHome whether it is to be there in the end, if it can be, or elsewhere
     */
    BufferRange plan(final BufferRange value, final BufferRange home, final boolean endsHome) {
        BufferRange v = value;
        for (int round = 0; round < exchange.rounds(); round++) {
            final int[] met = exchange.ranksAt(exchange.met(place, round));
            final int own = exchange.digit(place, round);
            for (int i = 0; i < met.length; i++) {
                met[i] += offset;
            }
            for (int i = 1; i < met.length; i++) {
                flow.send(v, met[(own + i) % met.length]);
            }
            v = merge.merge(v, met, own, moves(round + 1) % 2 == 0 == endsHome ? home : null);
        }
        return v;
    }

    private int moves(final int nextRound) {
        int moves = 0;
        for (int round = nextRound; round < exchange.rounds(); round++) {
            moves += exchange.digit(place, round) < exchange.radix(round) - 1 ? 1 : 0;
        }
        return moves;
    }
}
