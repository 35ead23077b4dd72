package tutti.coll.basic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class LinearAlltoallTest {
    @Test
    void shouldPairEveryRankWithEveryOtherOnce() {
        for (int size = 1; size <= 17; size++) {
            for (int rank = 0; rank < size; rank++) {
                final BitSet met = new BitSet();
                for (int round = 0; round < size; round++) {
                    final int peer = LinearAlltoall.partner(rank, round, size);
                    assertEquals(rank, LinearAlltoall.partner(peer, round, size));
                    met.set(peer);
                }
                assertEquals(size, met.cardinality());
            }
        }
    }
}
