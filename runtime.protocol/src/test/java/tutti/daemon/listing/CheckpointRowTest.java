package tutti.daemon.listing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests how the checkpoints of nodes are listed. */
class CheckpointRowTest {
    private static HeldCheckpoint held(final String node, final String series, final int number, final boolean complete, final long bytes,
        final String usedBy, final Integer... ranks) {
        return new HeldCheckpoint(node, series, number, series, 1, number, complete, 3, List.of(ranks), bytes, System.currentTimeMillis() - 61_000,
            List.of("a", "b"), usedBy);
    }

    @Test
    void shouldHaveALinePerCheckpointTheNewestOfASeriesFirst() {
        final List<CheckpointRow> rows =
            CheckpointRow.of(List.of(held("a", "s-2", 1, true, 1_000, null, 0, 1), held("a", "s-1", 1, true, 60, null, 0, 1, 2),
                held("b", "s-1", 1, false, 60, null, 0, 1, 2), held("b", "s-1", 2, false, 20, "j-7", 0)));
        assertEquals("""
            SERIES  NUMBER  STATE         RANKS  SIZE    AGE        COPIES  NODES
            s-1     2       not complete  3      20 B    1 min 1 s  0       b
            s-1     1       in use        3      60 B    1 min 1 s  2       a,b
            s-2     1       lacks 1 rank  3      1000 B  1 min 1 s  0       a
            """, ClusterListing.checkpoints(rows));
        assertEquals(List.of(1, 2), rows.getFirst().missing());
        assertFalse(rows.getFirst().isUsable());
        assertTrue(rows.get(1).isUsable());
        assertFalse(rows.get(2).isUsable());
    }
}
