package tutti.daemon.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tutti.daemon.checkpoints.JobCheckpoints;
import tutti.daemon.checkpoints.Restart;
import tutti.daemon.listing.HeldCheckpoint;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.part.ScriptedHost;
import tutti.daemon.protocol.Reply;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.checkpoint.store.StoredRank;

/** Tests of the checkpoints of two daemons: over links that need the cluster's secret, and the questions about them. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NodeCheckpointsTest {
    private static final String SERIES = "a-1-00ff";
    private static final List<String> NODES = List.of("a", "b");

    @TempDir
    private Path dir;
    private TestNode a;
    private TestNode b;

    @BeforeEach
    void start() throws Exception {
        a = new TestNode("a", Files.createDirectories(dir.resolve("a")), new ScriptedHost());
        b = new TestNode("b", Files.createDirectories(dir.resolve("b")), new ScriptedHost());
        b.join(a);
    }

    @AfterEach
    void stop() {
        b.close();
        a.close();
    }

    private static SavedRank state(final int rank) {
        final long[] data = new long[500_000];
        Arrays.setAll(data, i -> i * 31L + rank);
        return new SavedRank(rank, 2, 7, List.of(new SavedRank.Item("x", MemorySegment.ofArray(data))));
    }

    private static void save(final JobCheckpoints onA, final JobCheckpoints onB) throws IOException {
        onA.write(1, state(0));
        onB.write(1, state(1));
        onA.complete(1);
        onB.complete(1);
        onA.removeOlder(1);
        onB.removeOlder(1);
    }

    private static List<HeldCheckpoint> listed(final TestNode node) {
        return node.checkpoints().list();
    }

    @Test
    void shouldListWhatAllNodesHoldAndContinueOnTheOther() throws Exception {
        try (JobCheckpoints onA = a.keptCheckpoints().open(SERIES, SERIES, NODES, 0, List.of(0), null);
             JobCheckpoints onB = b.keptCheckpoints().open(SERIES, SERIES, NODES, 1, List.of(1), null)) {
            save(onA, onB);
            final List<HeldCheckpoint> all = listed(b);
            assertEquals(List.of("a", "b"), all.stream().map(HeldCheckpoint::node).sorted().toList());
            assertEquals(List.of(List.of(0, 1), List.of(0, 1)), all.stream().map(HeldCheckpoint::held).toList());
            assertEquals(List.of(8_000_000L, 8_000_000L), all.stream().map(HeldCheckpoint::bytes).toList());
        }
        final Restart from = b.checkpoints().restart(SERIES);
        assertEquals(1, from.number());
        assertEquals(List.of("a", "b"), from.holders(0));
        try (JobCheckpoints again = b.keptCheckpoints().open(SERIES, "b-1-1", List.of("b"), 0, List.of(0, 1), from)) {
            for (int r = 0; r < 2; r++) {
                final StoredRank stored = again.restored(r);
                final long[] data = new long[500_000];
                stored.read("x", MemorySegment.ofArray(data));
                assertEquals(-1, MemorySegment.ofArray(data).mismatch(state(r).items().getFirst().data()));
            }
        }
        assertThrows(IOException.class, () -> a.checkpoints().restart(SERIES + "/3"));
        assertThrows(IOException.class, () -> a.checkpoints().restart("nothing"));
    }

    @Test
    void shouldRemoveASeriesFromAllNodesUnlessAJobUsesIt() throws Exception {
        try (JobCheckpoints onA = a.keptCheckpoints().open(SERIES, SERIES, NODES, 0, List.of(0), null);
             JobCheckpoints onB = b.keptCheckpoints().open(SERIES, SERIES, NODES, 1, List.of(1), null)) {
            save(onA, onB);
            final Reply refused = b.checkpoints().remove(SERIES);
            assertEquals(ExitStatus.FAILED, refused.status());
            assertTrue(refused.text().startsWith("checkpoints are in use: series=" + SERIES + ", job=" + SERIES), refused::text);
            assertEquals(2, listed(a).size());
        }
        // at once: the links of the ended job may not be closed yet
        assertEquals(new Reply(ExitStatus.OK, ""), a.checkpoints().removeEverywhere(SERIES));
        assertEquals(List.of(), listed(b));
        final Reply none = a.checkpoints().remove(SERIES);
        assertEquals(new Reply(ExitStatus.FAILED, "no such series of checkpoints: series=" + SERIES + "; list them with: tutti checkpoints"),
            none);
    }

    @Test
    void shouldKeepTheOldCheckpointWhenThePartnerDiesMeanwhile() throws Exception {
        try (JobCheckpoints onA = a.keptCheckpoints().open(SERIES, SERIES, NODES, 0, List.of(0), null);
             JobCheckpoints onB = b.keptCheckpoints().open(SERIES, SERIES, NODES, 1, List.of(1), null)) {
            save(onA, onB);
            b.closeLinks();
            try {
                // without a copy if the node is excluded by now
                onA.write(2, state(0));
            } catch (final IOException e) {
                assertTrue(e.getMessage().contains("node b"), e::getMessage);
            }
            onA.discard(2);
        }
        assertEquals(1, a.checkpoints().restart(SERIES).number());
    }
}
