package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that jobs leave no thread, class loader, process or file behind. */
@Tag("nightly")
@Timeout(value = 720, unit = TimeUnit.SECONDS)
class JobCleanupIT {
    private static final int JOBS = 50;
    /** Number of jobs after which everything that jobs share is loaded and cached. */
    private static final int WARM_UP_JOBS = 20;
    /** Number of jobs of a JVM, each with a value, after which it has loaded all classes. */
    private static final int FIRST_JOBS = 10;
    /** Heap growth allowed per job, in bytes: a fifth of the 100 KiB that a rank's class and its statics may occupy. */
    private static final long MAX_BYTES_PER_JOB = 20 << 10;
    /** Exit status of a process that was ended by signal 15. */
    private static final int TERMINATED = 128 + 15;

    @TempDir
    private static Path dir;

    @Test
    void shouldRetainNothingOfFiftyJobsAndKeepTheHeapFlat() throws Exception {
        final Path programs = Files.createDirectory(dir.resolve("programs"));
        TuttiScript.writeProgram(programs, "Sum", """
            int[] ones = {1};
            MPI.COMM_WORLD.allReduce(ones, 1, MPI.INT, MPI.SUM);
            if (ones[0] != size) {
                System.exit(9);
            }
            MPI.COMM_WORLD.barrier();
            if (rank == 0 || rank == size - 1) {
                System.gc();
                long live = 0;
                for (java.lang.management.MemoryPoolMXBean pool : java.lang.management.ManagementFactory.getMemoryPoolMXBeans()) {
                    if (pool.getType() == java.lang.management.MemoryType.HEAP && pool.getCollectionUsage() != null) {
                        live += pool.getCollectionUsage().getUsed();
                    }
                }
                System.out.println(ProcessHandle.current().pid() + " " + live);
            }""");
        TuttiScript.compile(programs, "Sum");
        try (TuttiScript.Daemon a = new TuttiScript.Daemon(dir, "--name", "a");
             TuttiScript.Daemon b = new TuttiScript.Daemon(dir, "--name", "b", "--join", a.address)) {
            final List<Long> heapOfA = new ArrayList<>();
            final List<Long> heapOfB = new ArrayList<>();
            // of the job JVMs, which serve one job after the other
            final Map<String, List<Long>> heaps = new HashMap<>();
            for (int i = 1; i <= JOBS; i++) {
                final String[] line = ThreeNodeCluster.commandLine(a, "run", "-n", "4", "--cp", programs.toString(), "Sum");
                // every tenth in a process of its own
                final TuttiScript.Result r = i % 10 == 0 ? TuttiScript.run(dir, line) : CommandInJvm.run(line);
                assertEquals(0, r.status(), r::toString);
                r.out().lines().map(l -> l.split(" ")).forEach(l -> heaps.computeIfAbsent(l[0], p -> new ArrayList<>()).add(Long.valueOf(l[1])));
                if (i % 10 == 0) {
                    heapOfA.add(DaemonInspector.heap(a.process.pid()));
                    heapOfB.add(DaemonInspector.heap(b.process.pid()));
                }
            }
            DaemonInspector.awaitJobsReleased(a);
            DaemonInspector.awaitJobsReleased(b);
            System.out.println("heap: nodes=" + heapOfA + ", " + heapOfB + ", job JVMs=" + heaps);
            assertFlat(heapOfA, a.process.pid());
            assertFlat(heapOfB, b.process.pid());
            assertTrue(heaps.values().stream().anyMatch(h -> h.size() >= WARM_UP_JOBS), heaps::toString);
            heaps.forEach(JobCleanupIT::assertFlat);
        }
    }

    /** Compares the least heaps of both halves of the jobs but the first ones: other ranks and the runtime have objects of their own meanwhile. */
    private static void assertFlat(final String pid, final List<Long> all) {
        final List<Long> heap = all.subList(Math.min(all.size(), FIRST_JOBS), all.size());
        final int half = heap.size() / 2;
        if (heap.size() >= WARM_UP_JOBS) {
            final long limit = Collections.min(heap.subList(0, half)) + half * MAX_BYTES_PER_JOB;
            assertTrue(Collections.min(heap.subList(half, heap.size())) < limit,
                () -> "heap of JVM " + pid + " grows: bytes=" + heap + ", max=" + MAX_BYTES_PER_JOB + " per job");
        }
    }

    /** Asserts that the heap does not grow, by a value after every ten jobs; objects of the last job may be released with a delay. */
    private static void assertFlat(final List<Long> heap, final long pid) throws Exception {
        final long limit = heap.get(WARM_UP_JOBS / 10 - 1) + (JOBS - WARM_UP_JOBS) * MAX_BYTES_PER_JOB;
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (heap.getLast() >= limit && System.nanoTime() < end) {
            heap.add(DaemonInspector.heap(pid));
        }
        assertTrue(heap.getLast() < limit, () -> "heap grows: bytes=" + heap + ", max=" + MAX_BYTES_PER_JOB + " per job");
    }

    @Test
    void shouldLeaveNoFileWhenARunOnAClusterAndThenItsDaemonAreTerminated() throws Exception {
        final Path temporary = Files.createDirectory(dir.resolve("cluster"));
        TuttiScript.writeProgram(dir, "Stays", """
            System.out.println("up");
            Thread.sleep(100_000);""");
        try (TuttiScript.Daemon d = new TuttiScript.Daemon(dir, environment(temporary), "--name", "d")) {
            final Process run = TuttiScript.start(dir, environment(temporary), "run", "--connect", d.address, "-n", "1", "Stays.java");
            assertEquals("up", run.inputReader(StandardCharsets.UTF_8).readLine());
            run.destroy();
            final TuttiScript.Result r = TuttiScript.finish(run, System.nanoTime());
            assertEquals(TERMINATED, r.status(), r::toString);
            // the daemon keeps its own folder
            assertEquals(List.of(), files(temporary).stream().filter(f -> f.startsWith("tutti-program")).toList());
            DaemonInspector.awaitJobsReleased(d);
        }
        assertEquals(List.of(), files(temporary));
    }

    @Test
    void shouldLeaveNoProcessAndNoFileWhenARunWithoutAClusterHasEnded() throws Exception {
        final Path temporary = Files.createDirectory(dir.resolve("ended"));
        TuttiScript.writeProgram(dir, "Pid", "System.out.println(ProcessHandle.current().pid());");
        final TuttiScript.Result r = TuttiScript.run(dir, environment(temporary), "run", "-n", "4", "Pid.java");
        assertEquals(0, r.status(), r::toString);
        final List<ProcessHandle> nodes = nodes(r.out().lines());
        assertEquals(List.of(), nodes.stream().filter(ProcessHandle::isAlive).toList());
        assertEquals(List.of(), files(temporary));
    }

    @Test
    void shouldLeaveNoProcessAndNoFileWhenARunWithoutAClusterIsTerminated() throws Exception {
        final Path temporary = Files.createDirectory(dir.resolve("terminated"));
        TuttiScript.writeProgram(dir, "Waits", """
            System.out.println(ProcessHandle.current().pid());
            Thread.sleep(100_000);""");
        final Process run = TuttiScript.start(dir, environment(temporary), "run", "-n", "4", "Waits.java");
        final BufferedReader out = run.inputReader(StandardCharsets.UTF_8);
        final List<String> lines = new ArrayList<>();
        while (lines.size() < 4) {
            lines.add(String.valueOf(out.readLine()));
        }
        assertCleanTermination(run, nodes(lines.stream()), temporary);
    }

    @Test
    void shouldLeaveNoProcessAndNoFileWhenARunIsTerminatedWhileItsNodesStart() throws Exception {
        final Path temporary = Files.createDirectory(dir.resolve("early"));
        TuttiScript.writeProgram(dir, "Never", "");
        final Process run = TuttiScript.start(dir, environment(temporary), "run", "-n", "4", "Never.java");
        // both nodes have created their folders and are starting their containers
        await().atMost(Duration.ofSeconds(60)).until(() -> files(temporary).stream().filter(f -> f.startsWith("tutti-n")).count() == 2);
        assertCleanTermination(run, run.descendants().toList(), temporary);
    }

    /** Returns an environment with a private folder for temporary files; the daemons of the run inherit it. */
    private static Map<String, String> environment(final Path temporary) {
        return Map.of("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + temporary);
    }

    private static List<ProcessHandle> nodes(final Stream<String> pids) {
        final List<Long> all = pids.distinct().map(Long::valueOf).toList();
        assertEquals(2, all.size(), all::toString);
        return all.stream().flatMap(pid -> ProcessHandle.of(pid).stream()).toList();
    }

    private static List<String> files(final Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(f -> f.getFileName().toString()).toList();
        }
    }

    private static void assertCleanTermination(final Process run, final List<ProcessHandle> nodes, final Path temporary) throws Exception {
        assertEquals(2, nodes.stream().filter(ProcessHandle::isAlive).count(), nodes::toString);
        run.destroy();
        final TuttiScript.Result r = TuttiScript.finish(run, System.nanoTime());
        assertEquals(TERMINATED, r.status(), r::toString);
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            assertEquals(List.of(), nodes.stream().filter(ProcessHandle::isAlive).toList());
            assertEquals(List.of(), files(temporary));
        });
    }
}
