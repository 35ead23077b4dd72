package tutti.coll.ring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tutti.coll.Call;
import tutti.coll.tck.RecordingPlan;

class RingOrderTest {
    @Test
    void shouldOrderByNode() {
        final RingOrder route = RingOrder.byNode(7, rank -> rank % 3);
        assertArrayEquals(new int[] {0, 3, 6, 1, 4, 2, 5}, IntStream.range(0, 7).map(route::rank).toArray());
    }

    @Test
    void shouldOrderByRankWhereNodesHoldConsecutiveRanks() {
        assertSame(RingOrder.BY_RANK, RingOrder.byNode(7, rank -> rank / 3));
    }

    @Test
    void shouldReturnTheNeighboursOnTheRoute() {
        final Ring last = ringOf(5, RingOrder.byNode(7, rank -> rank % 3));
        assertArrayEquals(new int[] {2, 0, 5, 1}, new int[] {last.left(), last.right(), last.back(7), last.back(3)});
        final Ring plain = ringOf(5, RingOrder.BY_RANK);
        assertArrayEquals(new int[] {4, 6, 5, 2}, new int[] {plain.left(), plain.right(), plain.back(7), plain.back(3)});
    }

    private static Ring ringOf(final int rank, final RingOrder route) {
        return route.from(new RecordingPlan(rank, 7, new Call.Barrier()));
    }
}
