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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that many updates of one module leave only its last version, and the one before for a rollback. Every tenth is proved, since a proof takes
 * many times as long as an update. Profile {@code soak} makes 1,000 updates and proves all.
 */
@Tag("nightly")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class UpdatesIT {
    private static final int UPDATES = Integer.getInteger("tutti.updates", 50);
    private static final int UPDATES_PER_JOB = 10;
    private static final int UPDATES_PER_PROOF = Integer.getInteger("tutti.updates.proof", 10);
    /** Number of updates after which everything that updates share is loaded and cached. */
    private static final int WARM_UP_UPDATES = 20;
    /** Growth allowed per update, in bytes; the classes of the module alone take many times as much. */
    private static final long MAX_BYTES_PER_UPDATE = 2 << 10;
    /**
     * Difference allowed between two measurements of the same state, in bytes: what the JVM and its libraries cache while they warm up changes by
     * some hundred KiB. Classes that remain are counted, and the updates of the soak are enough to see a few KiB of each.
     */
    private static final long NOISE = 1 << 20;
    /** Metaspace for method counters while a daemon warms up, in bytes; the classes of 30 updates would take twice as much. */
    private static final long METASPACE_NOISE = 2 << 20;

    @TempDir
    private static Path dir;

    @Test
    void shouldKeepOneClassLoaderAndFlatMemoryAfterManyUpdates() throws Exception {
        final ModuleBundles modules = new ModuleBundles(dir);
        try (ThreeNodeCluster cluster = new ThreeNodeCluster(dir)) {
            cluster.uninstallAdded();
            cluster.run("install", modules.ring("1.0.0"));
            final List<TuttiScript.Daemon> nodes = List.of(cluster.a, cluster.b, cluster.c);
            final List<List<Long>> heap = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            final List<List<Long>> metaspace = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            for (int i = 1; i <= UPDATES; i++) {
                final Path next = modules.ring("1.0." + i);
                if (i % UPDATES_PER_PROOF == 0) {
                    cluster.run("update", next);
                } else {
                    cluster.run("update", "--no-verify", next);
                }
                Files.delete(next);
                if (i % UPDATES_PER_JOB == 0) {
                    cluster.runShortJob();
                    if (i == WARM_UP_UPDATES || i == UPDATES) {
                        for (int n = 0; n < nodes.size(); n++) {
                            final TuttiScript.Daemon node = nodes.get(n);
                            await().atMost(Duration.ofSeconds(60)).untilAsserted(
                                () -> assertEquals(1, DaemonInspector.countClassLoaders(node, "tutti.coll.ring.RingModule"),
                                    "class loaders of module ring"));
                            heap.get(n).add(DaemonInspector.heap(node));
                            metaspace.get(n).add(DaemonInspector.metaspace(node));
                        }
                    }
                }
            }
            assertEquals(List.of("ring 1.0." + UPDATES + " on a,b,c"), cluster.addedModules());
            assertEquals(2, cluster.storedFiles("a").size(), cluster.storedFiles("a")::toString);
            heap.forEach(h -> assertFlat("heap", h, NOISE));
            metaspace.forEach(m -> assertFlat("metaspace", m, METASPACE_NOISE));
        }
    }

    private static void assertFlat(final String name, final List<Long> bytes, final long noise) {
        final long allowed = noise + (UPDATES - WARM_UP_UPDATES) * MAX_BYTES_PER_UPDATE;
        System.out.println("timing: " + name + " after " + WARM_UP_UPDATES + " and " + UPDATES + " updates: bytes=" + bytes);
        assertTrue(bytes.getLast() - bytes.getFirst() < allowed, () -> name + " grows: bytes=" + bytes + ", allowed=" + allowed);
    }
}
