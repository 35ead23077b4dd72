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

/** What many updates of one module leave behind: its last version, and the one before for a rollback. Profile {@code soak} makes 1,000. */
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class UpdatesIT {
    private static final int UPDATES = Integer.getInteger("tutti.updates", 50);
    private static final int A_JOB_EVERY = 10;
    /** From here on all is loaded and cached that updates share. */
    private static final int WARM = 20;
    /** Bytes that an update may leave; the classes of the module alone take many times as many. */
    private static final long AN_UPDATE = 2 << 10;
    /** Bytes by which two looks at the same state may differ. */
    private static final long NOISE = 256 << 10;
    /** Bytes of metaspace that counters of methods take while a daemon warms up; the classes of 30 updates would take twice as many. */
    private static final long COUNTERS = 2 << 20;

    @TempDir
    private static Path dir;

    @Test
    void shouldHoldOneClassLoaderAndNoMoreMemoryAfterManyUpdates() throws Exception {
        final Modules modules = new Modules(dir);
        try (Trio trio = new Trio(dir)) {
            trio.onlyStarted();
            trio.does("install", modules.ring("1.0.0"));
            final List<Cli.Daemon> nodes = List.of(trio.a, trio.b, trio.c);
            final List<List<Long>> heap = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            final List<List<Long>> metaspace = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            for (int i = 1; i <= UPDATES; i++) {
                final Path next = modules.ring("1.0." + i);
                trio.does("update", next);
                Files.delete(next);
                if (i % A_JOB_EVERY == 0) {
                    trio.works();
                    if (i == WARM || i == UPDATES) {
                        for (int n = 0; n < nodes.size(); n++) {
                            final Cli.Daemon node = nodes.get(n);
                            await().atMost(Duration.ofSeconds(60)).untilAsserted(
                                () -> assertEquals(1, Inside.loaders(node, "tutti.coll.ring.RingModule"), "class loaders of module ring"));
                            heap.get(n).add(Inside.heap(node));
                            metaspace.get(n).add(Inside.metaspace(node));
                        }
                    }
                }
            }
            assertEquals(List.of("ring 1.0." + UPDATES + " on a,b,c"), trio.held());
            assertEquals(2, trio.kept("a").size(), trio.kept("a")::toString);
            heap.forEach(h -> isFlat("heap", h, NOISE));
            metaspace.forEach(m -> isFlat("metaspace", m, COUNTERS));
        }
    }

    private static void isFlat(final String what, final List<Long> bytes, final long noise) {
        final long allowed = noise + (UPDATES - WARM) * AN_UPDATE;
        System.out.println("timing: " + what + " after " + WARM + " and " + UPDATES + " updates: bytes=" + bytes);
        assertTrue(bytes.getLast() - bytes.getFirst() < allowed, () -> what + " grows: bytes=" + bytes + ", allowed=" + allowed);
    }
}
