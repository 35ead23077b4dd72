package tutti.coll.ring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tutti.coll.Buffer;

class PendingReadsTest {
    private final PendingReads reads = new PendingReads();

    @BeforeEach
    void readFourRanges() {
        for (int i = 0; i < 4; i++) {
            reads.add(Buffer.RECV.at(10 * i, 10), i);
        }
    }

    @Test
    void shouldReturnTheReadsThatOverlapTheTarget() {
        assertArrayEquals(new int[] {0, 1}, reads.overlapping(Buffer.RECV.at(5, 10)));
        assertArrayEquals(new int[] {1, 2}, reads.overlapping(Buffer.RECV.at(15, 15)));
        assertArrayEquals(new int[] {3}, reads.overlapping(Buffer.RECV.at(30, 10)));
    }

    @Test
    void shouldNotReturnAdjacentReads() {
        assertArrayEquals(new int[] {1}, reads.overlapping(Buffer.RECV.at(10, 10)));
    }
}
