package tutti.coll.patterns;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import tutti.coll.Blocks;
import tutti.coll.Buffer;

class EvenPartitionTest {
    @Test
    void shouldCutIntoBlocksOfWholeElementsThatDifferByOneAtMost() {
        final EvenPartition partition = new EvenPartition(44, 4, 4);
        assertEquals(Buffer.RECV.at(0, 12), partition.of(Buffer.RECV.at(0, 44), 0));
        assertEquals(Buffer.RECV.at(24, 12), partition.of(Buffer.RECV.at(0, 44), 2));
        assertEquals(Buffer.RECV.at(36, 8), partition.of(Buffer.RECV.at(0, 44), 3));
        assertEquals(0, new EvenPartition(8, 4, 3).bytes(2));
    }

    @Test
    void shouldLayTheBlocksOneAfterTheOther() {
        assertEquals(Blocks.packed(12, 12, 12, 8), new EvenPartition(44, 4, 4).layout());
        assertEquals(44, new EvenPartition(44, 4, 4).start(4));
    }
}
