package tutti.coll.recexch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PowerOfTwoBlocksTest {
    private static final int MAX_RANKS = 140;

    @Test
    void shouldCutIntoPowersOfTwoFromTheLargestOn() {
        assertEquals(new PowerOfTwoBlocks(0, 8, 2, 0), PowerOfTwoBlocks.of(7, 11));
        assertEquals(new PowerOfTwoBlocks(8, 2, 1, 8), PowerOfTwoBlocks.of(8, 11));
        assertEquals(new PowerOfTwoBlocks(10, 1, 0, 2), PowerOfTwoBlocks.of(10, 11));
        for (int ranks = 1; ranks < MAX_RANKS; ranks++) {
            int prior = 0;
            for (int first = 0; first < ranks;) {
                final PowerOfTwoBlocks block = PowerOfTwoBlocks.of(first, ranks);
                assertEquals(Integer.highestOneBit(ranks - first), block.size());
                for (int rank = first; rank < first + block.size(); rank++) {
                    assertEquals(block, PowerOfTwoBlocks.of(rank, ranks));
                }
                assertEquals(first, block.first());
                assertEquals(prior, block.prior());
                prior = block.size();
                first += block.size();
                assertEquals(first == ranks, block.next() == 0);
                assertTrue(first == ranks || block.next() == PowerOfTwoBlocks.of(first, ranks).size());
            }
        }
    }

    @Test
    void shouldSpreadToEveryRankOfABlockOnce() {
        for (int ranks = 1; ranks < MAX_RANKS; ranks++) {
            for (int rank = 0; rank < ranks; rank++) {
                final PowerOfTwoBlocks block = PowerOfTwoBlocks.of(rank, ranks);
                if (block.next() > 0) {
                    final int sender = block.senderOfNextBlock(rank) >= 0 ? block.senderOfNextBlock(rank) : block.senderInBlock(rank);
                    assertEquals(List.of(sender), sources(block, rank));
                }
            }
        }
    }

    /** Returns the ranks that send the value of the later blocks to a rank. */
    private static List<Integer> sources(final PowerOfTwoBlocks block, final int rank) {
        final List<Integer> sources = new ArrayList<>();
        for (int other = block.first() + block.size(); other < block.first() + block.size() + block.next(); other++) {
            if (other - block.size() == rank) {
                sources.add(other);
            }
        }
        for (int other = block.first(); other < block.first() + block.size(); other++) {
            for (int distance = block.next(); distance < block.size(); distance <<= 1) {
                if (block.receiverInBlock(other, distance) == rank) {
                    sources.add(other);
                }
            }
        }
        return sources;
    }
}
