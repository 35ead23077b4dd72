package tutti.coll.ring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tutti.coll.Buffer;

class PendingReadsTest {
    private final PendingReads readers = new PendingReads();

    @BeforeEach
    void readFourPieces() {
        for (int i = 0; i < 4; i++) {
            readers.add(Buffer.RECV.at(10 * i, 10), i);
        }
    }

    @Test
    void shouldNameThoseWhoReadAPartOfTheTarget() {
        assertArrayEquals(new int[] {0, 1}, readers.of(Buffer.RECV.at(5, 10)));
        assertArrayEquals(new int[] {1, 2}, readers.of(Buffer.RECV.at(15, 15)));
        assertArrayEquals(new int[] {3}, readers.of(Buffer.RECV.at(30, 10)));
    }

    @Test
    void shouldNotNameThoseWhoReadBesideIt() {
        assertArrayEquals(new int[] {1}, readers.of(Buffer.RECV.at(10, 10)));
    }
}
