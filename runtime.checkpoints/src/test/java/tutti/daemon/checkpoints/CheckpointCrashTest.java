package tutti.daemon.checkpoints;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.listing.HeldCheckpoint;

/**
 * Tests that a job can be continued whenever a node crashes while a checkpoint is made: before each change of its disk in turn, and with the disk of
 * any one node lost afterwards.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class CheckpointCrashTest {
    private static final String SERIES = "a-1-77aa";
    private static final List<String> NODES = List.of("a", "b", "c");

    @TempDir(factory = Memory.class)
    private Path dir;

    /** Folders in memory where there is a place for them: the tests make thousands of files, whose order matters and not their disk. */
    static final class Memory implements TempDirFactory {
        private static final Path SHARED = Path.of("/dev/shm");

        @Override
        public Path createTempDirectory(final AnnotatedElementContext element, final ExtensionContext context) throws IOException {
            return Files.isWritable(SHARED) ? Files.createTempDirectory(SHARED, "tutti-crash") : Files.createTempDirectory("tutti-crash");
        }
    }

    /** Result of a job's second checkpoint: whether the node crashed, whether it was written, and which nodes call it complete. */
    private record Crash(boolean crashed, boolean written, Set<String> complete) {}

    /** Makes two checkpoints; during the second one a node crashes before one of its changes of files. */
    private static Crash crash(final Path folder, final String node, final int before) throws IOException {
        final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
        final Set<String> complete = new HashSet<>();
        boolean isWritten = true;
        try (CheckpointCluster c = new CheckpointCluster(folder, name -> () -> {
            if (name.equals(node) && left.getAndDecrement() <= 0) {
                throw new IOException("the node has crashed");
            }
        }, NODES.toArray(String[]::new)); CheckpointCluster.Job job = c.new Job(SERIES, SERIES, NODES, 1, null)) {
            job.save(1, 100);
            left.set(before);
            for (int r = 0; r < 3; r++) {
                try {
                    job.part(r).write(2, CheckpointCluster.state(r, 3, 200));
                } catch (final IOException e) {
                    isWritten = false;
                }
            }
            if (isWritten) {
                for (int r = 0; r < 3; r++) {
                    try {
                        job.part(r).complete(2);
                        complete.add(NODES.get(r));
                    } catch (final IOException e) {
                        assertTrue(left.get() < 0, e::toString);
                    }
                }
                if (complete.size() == 3) {
                    for (int r = 0; r < 3; r++) {
                        job.part(r).removeOlder(2);
                    }
                }
            }
            return new Crash(left.get() < 0, isWritten, complete);
        }
    }

    private static void copy(final Path from, final Path to, final String without) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (final Path p : all.toList()) {
                final Path relative = from.relativize(p);
                if (!relative.startsWith(without)) {
                    Files.copy(p, to.resolve(relative.toString()));
                }
            }
        }
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(strings = {"a", "b", "c"})
    void shouldContinueWheneverANodeCrashes(final String node) throws Exception {
        int steps = 0;
        final List<Long> points = new ArrayList<>();
        boolean isAfterAll = false;
        while (!isAfterAll) {
            final Path folder = Files.createDirectory(dir.resolve("crash-" + steps));
            final Crash crash = crash(folder, node, steps);
            isAfterAll = !crash.crashed();
            for (final String lost : List.of("none", "a", "b", "c")) {
                points.add(continued(folder, lost, crash, "crash of node " + node + " before step " + steps + ", lost: " + lost));
            }
            TempFolders.delete(folder);
            steps++;
        }
        // both outcomes are met, and nothing in between
        assertEquals(Set.of(100L, 200L), Set.copyOf(points));
        assertEquals(200L, points.getLast());
        assertTrue(steps > 15, "steps: " + steps);
    }

    /** Continues a job on the nodes that are left; returns the point from which it went on. */
    private long continued(final Path crashed, final String lost, final Crash crash, final String what) throws IOException {
        final Path folder = dir.resolve("continued");
        copy(crashed, folder, lost);
        final String[] names = NODES.stream().filter(n -> !n.equals(lost)).toArray(String[]::new);
        try (CheckpointCluster c = new CheckpointCluster(folder, names)) {
            final Restart from = c.restart(SERIES, 0);
            final long point = from.number() * 100L;
            if (crash.complete().size() == 3) {
                assertEquals(2, from.number(), what);
            } else if (!crash.written()) {
                assertEquals(1, from.number(), what);
            }
            // all on the first node, which has some of the ranks and fetches the others
            try (CheckpointCluster.Job again = c.new Job(SERIES, "x-1", List.of(names[0]), 3, from)) {
                for (int r = 0; r < 3; r++) {
                    JobCheckpointsTest.assertState(again.part(r), r, 3, point);
                }
            } catch (final IOException e) {
                throw new AssertionError(what, e);
            }
            if (lost.equals("none")) {
                saveAgain(c, names, point, what);
            }
            return point;
        } finally {
            TempFolders.delete(folder);
        }
    }

    /** Saves a checkpoint after what a crash left, which is removed then. */
    private static void saveAgain(final CheckpointCluster c, final String[] names, final long point, final String what) throws IOException {
        try (CheckpointCluster.Job last = c.new Job(SERIES, "x-2", List.of(names[0]), 3, c.restart(SERIES, 0))) {
            JobCheckpointsTest.assertState(last.part(0), 0, 3, point);
            last.save(3, 300);
        }
        final List<HeldCheckpoint> usable = c.held().stream().filter(h -> List.of(names[0], names[1]).contains(h.node())).toList();
        assertEquals(List.of(3, 3), usable.stream().map(HeldCheckpoint::number).toList(), what);
    }

    @Tag("nightly")
    @ParameterizedTest
    @ValueSource(strings = {"a", "b"})
    void shouldGoOnAfterOneChangeOfADiskThatFailed(final String node) throws Exception {
        boolean isAfterAll = false;
        int steps = 0;
        while (!isAfterAll) {
            final Path folder = Files.createDirectory(dir.resolve("failed-" + steps));
            final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
            try (CheckpointCluster c = new CheckpointCluster(folder, name -> () -> {
                if (name.equals(node) && left.getAndDecrement() == 0) {
                    throw new IOException("No space left on device");
                }
            }, "a", "b", "c")) {
                try (CheckpointCluster.Job job = c.new Job(SERIES, SERIES, List.of("a", "b", "c"), 1, null)) {
                    job.save(1, 100);
                    left.set(steps);
                    final int saved = save(job, 2, 200);
                    isAfterAll = left.get() > 0;
                    assertTrue(saved == 3 || !isAfterAll);
                    left.set(Integer.MAX_VALUE);
                    // complete where it could be
                    assertEquals(saved > 0 ? 2 : 1, c.restart(SERIES, 0).number());
                    assertEquals(3, save(job, 3, 300), "step: " + steps);
                }
                c.lose(node);
                final Restart from = c.restart(SERIES, 0);
                assertEquals(3, from.number());
                try (CheckpointCluster.Job again = c.new Job(SERIES, "x-1", List.of("c"), 3, from)) {
                    JobCheckpointsTest.assertState(again.part(0), 1, 3, 300);
                }
            }
            TempFolders.delete(folder);
            steps++;
        }
        assertTrue(steps > 15, "steps: " + steps);
    }

    /** Saves a checkpoint as the ranks of a job do, all of which learn when one fails to write; returns on how many nodes it is complete. */
    private static int save(final CheckpointCluster.Job job, final int number, final long point) {
        boolean isWritten = true;
        for (int r = 0; r < job.size(); r++) {
            try {
                job.part(r).write(number, CheckpointCluster.state(r, job.size(), point));
            } catch (final IOException e) {
                isWritten = false;
                assertTrue(e.getMessage().contains("No space left on device"), e::toString);
            }
        }
        int complete = 0;
        for (int r = 0; r < job.size(); r++) {
            if (!isWritten) {
                job.part(r).discard(number);
            } else {
                try {
                    job.part(r).complete(number);
                    complete++;
                } catch (final IOException e) {
                    assertTrue(e.getMessage().contains("No space left on device"), e::toString);
                }
            }
        }
        for (int r = 0; r < job.size() && complete == job.size(); r++) {
            job.part(r).removeOlder(number);
        }
        return complete;
    }
}
