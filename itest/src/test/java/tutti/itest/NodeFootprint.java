package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Resources that a node holds while it runs no job; a test compares them before and after. The node keeps one job JVM ready, and at most one more for
 * the next job of an owner.
 *
 * @param descriptors number of open descriptors
 * @param threads     names of its threads, with # for numbers and incarnations
 * @param threadCount number of them; those that are kept, such as one per child process that has ended, do not count
 * @param heap        bytes of objects that survive a full collection
 */
record NodeFootprint(long descriptors, Set<String> threads, long threadCount, long heap) {
    /** Heap that may be in use afterwards beside that before, in bytes: caches, compiled code that is not needed any more. */
    static final long SPARE_HEAP = 8 << 20;
    private static final int SPARE_DESCRIPTORS = 8;
    private static final int MAX_CHILDREN = 2;
    private static final String JVMS = "/work/jvms";
    private static final String PART = "/part-";
    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** Threads that the JDK, Felix and the runtime start when they are needed first, and keep for a while or for ever. */
    private static final Set<String> KEPT = Set.of("process reaper", "ForkJoinPool-#-worker-#", "ForkJoinPool.commonPool-worker-#",
        "Attach Listener", "Common-Cleaner", "InnocuousThread-#", "Keep-Alive-Timer", "VirtualThread-unblocker", "VirtualThread-unparker",
        "FileWatchService", "Cleaner-#", "Read-Poller", "Write-Poller", "MasterPoller", "C# CompilerThread#", "FelixResolver-#");

    /** Returns what a node holds when no job is left on it. */
    static NodeFootprint of(final TuttiScript.Daemon node) throws Exception {
        DaemonInspector.awaitJobsReleased(node);
        return measured(node);
    }

    private static NodeFootprint measured(final TuttiScript.Daemon node) throws Exception {
        final List<String> all = DaemonInspector.threads(node);
        final List<String> own = all.stream().map(NodeFootprint::withoutNumbers).filter(t -> !KEPT.contains(t)).toList();
        return new NodeFootprint(descriptorsOf(node), new TreeSet<>(own), own.size(), DaemonInspector.heap(node));
    }

    /** Returns the name of a thread with # for numbers and for the incarnation of its node. */
    private static String withoutNumbers(final String thread) {
        return thread.replaceFirst("#\\d+ \"(.*)\".*", "$1").replaceFirst("i=[0-9a-f]+", "i=#").replaceAll("\\d+", "#");
    }

    /** Returns what each of some nodes holds, in their order. */
    static List<NodeFootprint> of(final List<TuttiScript.Daemon> nodes) throws Exception {
        final List<NodeFootprint> all = new ArrayList<>();
        for (final TuttiScript.Daemon node : nodes) {
            all.add(of(node));
        }
        return all;
    }

    private static long descriptorsOf(final TuttiScript.Daemon node) throws Exception {
        try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(node.process.pid()), "fd"))) {
            return open.count();
        }
    }

    /** Returns the files and folders below some folders; of job JVMs, which come and go, those of parts of jobs alone. */
    static List<Path> files(final Path... folders) {
        final List<Path> all = new ArrayList<>();
        for (final Path folder : folders) {
            try {
                LiveFolders.below(folder).stream().filter(f -> !f.toString().contains(JVMS) || f.toString().contains(PART)).forEach(all::add);
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return all;
    }

    /** Waits until a node holds no more than this; returns what it holds. */
    NodeFootprint assertAsBefore(final TuttiScript.Daemon node) throws Exception {
        return assertAsBefore(node, SPARE_HEAP);
    }

    /** As the other form, with that many more bytes of heap at most. */
    NodeFootprint assertAsBefore(final TuttiScript.Daemon node, final long spareHeap) throws Exception {
        // first those that a collection, which the inspection causes, would close
        await().atMost(LIMIT).untilAsserted(() -> {
            final long now = descriptorsOf(node);
            assertTrue(now <= descriptors + SPARE_DESCRIPTORS, () -> "descriptors before: " + descriptors + ", now: " + now);
            final long children = node.process.toHandle().descendants().count();
            assertTrue(children <= MAX_CHILDREN, () -> "child processes: " + children);
        });
        DaemonInspector.awaitJobsReleased(node);
        final NodeFootprint[] now = new NodeFootprint[1];
        await().atMost(LIMIT).untilAsserted(() -> {
            now[0] = measured(node);
            final Set<String> left = new TreeSet<>(now[0].threads);
            left.removeAll(threads);
            assertEquals(Set.of(), left, "threads");
            assertTrue(now[0].threadCount <= threadCount + SPARE_DESCRIPTORS,
                () -> "threads before: " + threadCount + ", now: " + now[0].threadCount);
            assertTrue(now[0].heap < heap + spareHeap, () -> "heap before: " + heap + ", now: " + now[0].heap);
        });
        return now[0];
    }

    @Override
    public String toString() {
        return descriptors + " descriptors, " + threadCount + " threads, " + (heap >> 10) + " KiB heap";
    }
}
