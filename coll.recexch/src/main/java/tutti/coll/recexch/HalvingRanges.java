package tutti.coll.recexch;

import java.util.Arrays;
import java.util.stream.IntStream;
import tutti.coll.Blocks;
import tutti.coll.BufferRange;
import tutti.coll.patterns.EvenPartition;
import tutti.coll.patterns.RecursiveExchange;

/**
 * Ranges of the data that the active ranks hold during recursive halving. The data has one segment per virtual rank, and in each round a rank keeps
 * one part of its range, while the others of its group keep the other parts. In reverse, from the last round to the first, ranks gather what they
 * scattered.
 *
 * <p>Where the rounds of the exchange go from near to far, the groups of a round stand for neighbouring blocks of consecutive ranks, and a segment
 * ends at the virtual rank whose digits are those of the segment reversed. From far to near, segment s ends at virtual rank s.
 *
 * <p>Immutable; every method is a pure function.
 *
 * @param exchange the exchange
 * @param starts   offset of each segment in the data; after the last one, the length of the data
 */
record HalvingRanges(RecursiveExchange exchange, long... starts) {

    /** Returns the ranges of data in segments whose lengths differ by at most one element. */
    static HalvingRanges even(final RecursiveExchange exchange, final long bytes, final long elementBytes) {
        final EvenPartition partition = new EvenPartition(bytes, elementBytes, exchange.vrankCount());
        return new HalvingRanges(exchange, IntStream.rangeClosed(0, exchange.vrankCount()).mapToLong(partition::start).toArray());
    }

    /** Returns the ranges of blocks that are stored one after the other, where a segment is the blocks of the ranks of a virtual rank. */
    static HalvingRanges ofBlocks(final RecursiveExchange exchange, final Blocks blocks) {
        final long[] starts = new long[exchange.vrankCount() + 1];
        for (int rank = 0; rank < exchange.size(); rank++) {
            starts[exchange.vrankOf(rank) + 1] += blocks.bytes(rank);
        }
        Arrays.parallelPrefix(starts, Long::sum);
        return new HalvingRanges(exchange, starts);
    }

    /** Returns the range that a rank holds before a round, or after the last one, as a slice of all data. */
    BufferRange held(final BufferRange all, final int rank, final int round) {
        return within(all, 0, rank, round);
    }

    /** Returns the range that a rank keeps in a round, as a slice of what its group held before. */
    BufferRange kept(final BufferRange held, final int rank, final int round) {
        return within(held, round, rank, round + 1);
    }

    /** Returns the range that a rank holds before a round, as a slice of what it held before an earlier round. */
    BufferRange within(final BufferRange held, final int earlier, final int rank, final int round) {
        final int first = first(rank, round);
        return held.slice(starts[first] - starts[first(rank, earlier)], starts[first + width(round)] - starts[first]);
    }

    /** Returns the number of segments that a rank holds before a round. */
    private int width(final int round) {
        int width = 1;
        for (int r = round; r < exchange.rounds(); r++) {
            width *= exchange.radix(r);
        }
        return width;
    }

    /** Returns the first segment that a rank holds before a round. */
    private int first(final int rank, final int round) {
        int first = 0;
        for (int r = 0; r < round; r++) {
            first = first * exchange.radix(r) + exchange.digit(exchange.vrankOf(rank), r);
        }
        return first * width(round);
    }

    /** Returns the segment that a rank holds after the last round. */
    int segment(final int rank) {
        return first(rank, exchange.rounds());
    }

    /** Returns the rank that holds a segment after the last round. */
    int holder(final int segment) {
        int vrank = 0;
        int higher = segment;
        for (int r = exchange.rounds() - 1; r >= 0; r--) {
            vrank += higher % exchange.radix(r) * exchange.span(r);
            higher /= exchange.radix(r);
        }
        return exchange.rankAt(vrank);
    }

    /**
     * Returns the last round in which a rank and {@code root} keep different parts; -1 for the root itself. In that round the rank receives its part
     * of data that the root scatters. In reverse, it sends there what it gathered for the root.
     */
    int partingRound(final int rank, final int root) {
        int round = exchange.rounds() - 1;
        while (round >= 0 && keeper(rank, round, root) == rank) {
            round--;
        }
        return round;
    }

    /** Returns the rank that keeps the part of {@code root} in a round, out of the group of a rank. */
    int keeper(final int rank, final int round, final int root) {
        return exchange.rankAt(exchange.withDigit(exchange.vrankOf(rank), round, exchange.digit(exchange.vrankOf(root), round)));
    }
}
