package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.tools.attach.VirtualMachine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;

/** Inspects the JVM of a daemon, or a job JVM, from outside: threads, class loaders, memory and ports. */
final class DaemonInspector {
    private static final String JOB_THREAD = ".*(-rank\\d|tutti-[a-z]+-\\d+-|tutti-(prepare|order|send|output)).*";

    private DaemonInspector() {}

    /** Waits until no thread and no class loader of a job is left. */
    static void awaitJobsReleased(final TuttiScript.Daemon d) throws Exception {
        try {
            await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> {
                jcmd(d, "GC.run");
                assertEquals(List.of(), jcmd(d, "GC.class_histogram").lines().filter(DaemonInspector::isOfLoaders).toList());
                assertEquals(List.of(), jobThreads(d));
            });
        } catch (final ConditionTimeoutException e) {
            // for finding the reference that remains
            jcmd(d, "GC.heap_dump", Path.of("target", "held.hprof").toAbsolutePath().toString());
            throw e;
        }
    }

    /** Returns the number of class loaders of ranks after a full collection. */
    static long rankLoaders(final long pid) throws Exception {
        jcmd(pid, "GC.run");
        return jcmd(pid, "GC.class_histogram").lines().filter(DaemonInspector::isOfLoaders)
            .mapToLong(l -> Long.parseLong(l.strip().split("\\s+")[1])).sum();
    }

    private static boolean isOfLoaders(final String line) {
        return line.strip().endsWith(".RankLoader") || line.contains(".RankLoader ");
    }

    /** Returns the names of the threads of jobs. */
    static List<String> jobThreads(final TuttiScript.Daemon d) throws Exception {
        return jobThreads(d.process.pid());
    }

    /** As the other form, for any JVM. */
    static List<String> jobThreads(final long pid) throws Exception {
        return threads(pid).stream().map(n -> n.replaceFirst("#\\d+ \"(.*)\".*", "$1")).filter(n -> n.matches(JOB_THREAD)).sorted().toList();
    }

    /** Returns the number of open sockets; Linux only. */
    static long sockets(final long pid) throws IOException {
        return sockets(Path.of("/proc", Long.toString(pid))).size();
    }

    /** Returns the names of all threads, including virtual threads. */
    static List<String> threads(final TuttiScript.Daemon d) throws Exception {
        return threads(d.process.pid());
    }

    private static List<String> threads(final long pid) throws Exception {
        final Path file = Files.createTempFile("threads", ".txt");
        try {
            jcmd(pid, "Thread.dump_to_file", "-overwrite", file.toString());
            // #12 "name" virtual 2026-01-01T00:00:00Z
            return Files.readAllLines(file).stream().filter(l -> l.matches("#\\d+ \".*\".*")).toList();
        } finally {
            Files.delete(file);
        }
    }

    /** Returns the number of class loaders with a class of the given name after a full collection. */
    static long countClassLoaders(final TuttiScript.Daemon d, final String name) throws Exception {
        jcmd(d, "GC.run");
        return jcmd(d, "VM.class_hierarchy", name).lines().filter(l -> l.contains("--" + name + "/")).count();
    }

    /** Returns the metaspace in use, in bytes. */
    static long metaspace(final TuttiScript.Daemon d) throws Exception {
        final String info = jcmd(d, "VM.metaspace");
        return 1024 * Long.parseLong(info.lines().filter(l -> l.contains("Metaspace")).findFirst()
            .orElseThrow(() -> new IllegalStateException("no metaspace: " + info)).replaceAll(".*used (\\d+)K.*", "$1"));
    }

    /** Returns the size in bytes of the objects that survive a full collection. */
    static long heap(final TuttiScript.Daemon d) throws Exception {
        return heap(d.process.pid());
    }

    /** As the other form, for any JVM. */
    static long heap(final long pid) throws Exception {
        final String histogram = jcmd(pid, "GC.class_histogram");
        final String total = histogram.lines().filter(l -> l.startsWith("Total")).findFirst()
            .orElseThrow(() -> new IllegalStateException("no total: " + histogram));
        return Long.parseLong(total.strip().split("\\s+")[2]);
    }

    /** Returns the memory in KiB that Java code allocated outside the heap; needs {@code -XX:NativeMemoryTracking=summary} in the daemon. */
    static long nativeMemory(final TuttiScript.Daemon d) throws Exception {
        final String summary = jcmd(d, "VM.native_memory", "summary", "scale=KB");
        final String other = summary.lines().filter(l -> l.matches("-\\s+Other \\(.*")).findFirst().orElse("committed=0KB");
        return Long.parseLong(other.replaceAll(".*committed=(\\d+)KB.*", "$1"));
    }

    /** Returns whether a daemon or one of its JVMs listens on a TCP port; Linux only. */
    static boolean listens(final TuttiScript.Daemon d, final int port) throws IOException {
        for (final ProcessHandle process : Stream.concat(Stream.of(d.process.toHandle()), d.process.toHandle().descendants()).toList()) {
            try {
                if (listeningPorts(process.pid()).contains(port)) {
                    return true;
                }
            } catch (final NoSuchFileException e) {
                // it has ended meanwhile
            }
        }
        return false;
    }

    /** Returns the TCP ports on which a process listens; Linux only. */
    static List<Integer> listeningPorts(final long pid) throws IOException {
        final Path proc = Path.of("/proc", Long.toString(pid));
        final List<String> sockets = sockets(proc);
        final List<Integer> ports = new ArrayList<>();
        for (final String table : List.of("tcp", "tcp6")) {
            for (final String line : Files.readAllLines(proc.resolve("net").resolve(table))) {
                // number, local address:port, remote address:port, state (0A: listening), ..., inode
                final String[] columns = line.strip().split("\\s+");
                if (columns[3].equals("0A") && sockets.contains("socket:[" + columns[9] + "]")) {
                    ports.add(Integer.parseInt(columns[1].substring(columns[1].indexOf(':') + 1), 16));
                }
            }
        }
        return ports;
    }

    private static List<String> sockets(final Path proc) throws IOException {
        final List<String> sockets = new ArrayList<>();
        try (Stream<Path> open = Files.list(proc.resolve("fd"))) {
            for (final Path p : open.toList()) {
                try {
                    // socket:[12345]
                    final String target = Files.readSymbolicLink(p).toString();
                    if (target.startsWith("socket:")) {
                        sockets.add(target);
                    }
                } catch (final NoSuchFileException e) {
                    // it was closed meanwhile
                }
            }
        }
        return sockets;
    }

    /**
     * Runs a command of {@code jcmd}, but from this JVM, not in one of its own. The method is that of {@code jcmd}, in a package that the options of
     * the tests export. Fails as an assertion does when the JVM has ended.
     */
    private static String jcmd(final TuttiScript.Daemon daemon, final String... command) throws Exception {
        return jcmd(daemon.process.pid(), command);
    }

    private static String jcmd(final long pid, final String... command) throws Exception {
        final VirtualMachine jvm;
        try {
            jvm = VirtualMachine.attach(Long.toString(pid));
        } catch (final IOException e) {
            throw new AssertionError("JVM " + pid + " cannot be reached", e);
        }
        try (InputStream out = (InputStream) Class.forName("sun.tools.attach.HotSpotVirtualMachine").getMethod("executeJCmd", String.class)
            .invoke(jvm, String.join(" ", command))) {
            // not readAllBytes: the stream of JDK 25 reads to the start of an array alone
            final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            out.transferTo(bytes);
            return bytes.toString(StandardCharsets.UTF_8);
        } finally {
            jvm.detach();
        }
    }
}
