package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that many updates of one module leave only its last version, and the one before for a rollback. Profile {@code soak} makes 1,000 updates. */
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class UpdatesIT {
    private static final int UPDATES = Integer.getInteger("tutti.updates", 50);
    private static final int A_JOB_EVERY = 10;
    /** Number of updates after which everything that updates share is loaded and cached. */
    private static final int WARM = 20;
    /** Growth allowed per update, in bytes; the classes of the module alone take many times as much. */
    private static final long AN_UPDATE = 2 << 10;
    /** Difference allowed between two measurements of the same state, in bytes. */
    private static final long NOISE = 256 << 10;
    /** Metaspace for method counters while a daemon warms up, in bytes; the classes of 30 updates would take twice as much. */
    private static final long COUNTERS = 2 << 20;

    @TempDir
    private static Path dir;

    @Test
    void shouldHoldOneClassLoaderAndNoMoreMemoryAfterManyUpdates() throws Exception {
        final Modules modules = new Modules(dir);
        try (Trio cluster = new Trio(dir)) {
            cluster.onlyStarted();
            cluster.does("install", modules.ring("1.0.0"));
            final List<Cli.Daemon> nodes = List.of(cluster.a, cluster.b, cluster.c);
            final List<List<Long>> heap = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            final List<List<Long>> metaspace = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            for (int i = 1; i <= UPDATES; i++) {
                final Path next = modules.ring("1.0." + i);
                cluster.does("update", next);
                Files.delete(next);
                if (i % A_JOB_EVERY == 0) {
                    cluster.works();
                    if (i == WARM || i == UPDATES) {
                        for (int n = 0; n < nodes.size(); n++) {
                            final Cli.Daemon node = nodes.get(n);
                            await().atMost(Duration.ofSeconds(60)).untilAsserted(
                                () -> assertEquals(1, Inside.loaders(node, "tutti.coll.ring.RingModule"),
                                    "class loaders of module ring"));
                            heap.get(n).add(Inside.heap(node));
                            metaspace.get(n).add(Inside.metaspace(node));
                        }
                    }
                }
            }
            assertEquals(List.of("ring 1.0." + UPDATES + " on a,b,c"), cluster.held());
            assertEquals(2, cluster.kept("a").size(), cluster.kept("a")::toString);
            heap.forEach(h -> isFlat("heap", h, NOISE));
            metaspace.forEach(m -> isFlat("metaspace", m, COUNTERS));
        }
    }

    private static void isFlat(final String name, final List<Long> bytes, final long noise) {
        final long allowed = noise + (UPDATES - WARM) * AN_UPDATE;
        System.out.println("timing: " + name + " after " + WARM + " and " + UPDATES + " updates: bytes=" + bytes);
        assertTrue(bytes.getLast() - bytes.getFirst() < allowed, () -> name + " grows: bytes=" + bytes + ", allowed=" + allowed);
    }
}
