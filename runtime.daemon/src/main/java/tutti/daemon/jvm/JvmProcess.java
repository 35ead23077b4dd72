package tutti.daemon.jvm;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.container.ContainerCommand;
import tutti.daemon.container.ContainerMain;
import tutti.daemon.container.PrintedLines;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.settings.JobJvmSettings;

/**
 * Process of a job JVM, with its limits. It ends with this JVM, which holds the other end of its descriptor 3. Safe for any thread.
 */
public final class JvmProcess {
    /** Name of the program of a job JVM. */
    public static final String PROGRAM = "tutti.jvm";
    /** The file from which the program reads its settings. It ends with this JVM. */
    public static final String LINK = "/dev/fd/3";
    private static final Logger LOG = LoggerFactory.getLogger(JvmProcess.class);
    /** Types of the services that a job JVM needs. */
    private static final List<String> SERVICES = List.of("tutti.runtime.transport.Transport", "tutti.runtime.process.owner.RankClasses",
        "tutti.runtime.job.JobHost", "tutti.coll.CollModule");
    /**
     * Sets limits of the process and begins a process group, as far as the system has the commands for it, then becomes the JVM. Its standard input
     * is empty, as that of processes which programs start with it; descriptor 3 is the link to this JVM. Arguments: open files, cores, and the
     * command line.
     */
    private static final String SCRIPT = """
        [ "$1" = 0 ] || ulimit -n "$1" || exit 125
        cores=$2
        shift 2
        [ -z "$cores" ] || ! command -v taskset >/dev/null || set -- taskset -c "$cores" "$@"
        ! command -v setsid >/dev/null || set -- setsid "$@"
        exec "$@" 3<&0 </dev/null
        """;
    private static final int OUT_OF_MEMORY = 3;
    private static final int NO_LIMITS = 125;
    private static final int SIGNAL = 128;
    private static final int KILL = 9;
    private static final int ABORT = 6;
    private static final String MEMORY_LINE = "Terminating due to java.lang.OutOfMemoryError: ";
    /** Lines of the launcher of a JVM that follow the reason. */
    private static final Set<String> VAGUE =
        Set.of("Error: Could not create the Java Virtual Machine.", "Error: A fatal exception has occurred. Program will exit.");
    private static final int TAIL = 40;
    private static final int BUFFER = 65_536;
    private static final long READ_MILLIS = 500;
    /** How long output may take to be passed on after the end. */
    private static final long DRAIN_MILLIS = 2_000;
    private static final long KILL_SECONDS = 5;
    /** Time between two looks whether the process is stopped. */
    private static final long LOOK_MILLIS = 1_000;

    private final Process process;
    private final Path folder;
    private final JobJvmSettings limits;
    /** Its last lines; guarded by itself. */
    private final Deque<String> tail = new ArrayDeque<>();
    /** Lines that the runtime in the JVM has sent; guarded by itself. */
    private final PrintedLines sent;
    private final CompletableFuture<Void> read;
    /** Receives what the process prints; null while that is logged. */
    private volatile @Nullable Output output;
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    /** Status with which what runs there has ended it; -1 when it has not. Written before {@link #ended} completes. */
    private volatile int exit = -1;

    private JvmProcess(final Process process, final Path folder, final JobJvmSettings limits) {
        this.process = process;
        this.folder = folder;
        this.limits = limits;
        this.sent = new PrintedLines(name(), this::keep);
        this.read = CompletableFuture.allOf(read(process.getInputStream(), false), read(process.getErrorStream(), true));
    }

    /** Receives what a process prints. */
    @FunctionalInterface
    public interface Output {
        /** Receives bytes of standard output or error. May block, which throttles the process. */
        void printed(boolean error, byte[] bytes) throws InterruptedException;
    }

    /**
     * Starts a process.
     *
     * @param number   number of the process among those of the node, which decides on the cores that it gets
     * @param settings given to it over its descriptor 3, with its folder
     * @param options  options of a program for its JVM
     * @param excluded tells by the location of a bundle that it is left out
     * @throws IOException when it cannot be started; the message says why
     */
    public static JvmProcess start(final BundleContext context, final int number, final JobJvmSettings limits, final JvmSettings settings,
        final List<String> options, final Predicate<String> excluded) throws IOException {
        final List<String> all = JvmOptions.of(ManagementFactory.getRuntimeMXBean().getInputArguments(), limits, options);
        final Path folder = Files.createDirectories(Path.of(settings.folder()));
        final List<String> line = new ArrayList<>(List.of("sh", "-c", SCRIPT, "sh", Integer.toString(limits.files()), cores(limits.cores(), number)));
        line.addAll(ContainerCommand.of(context, all, folder, PROGRAM, JvmProcess.class, SERVICES, excluded));
        final Process process = new ProcessBuilder(line).directory(workingFolder(folder).toFile()).start();
        final JvmProcess child = new JvmProcess(process, folder, limits);
        final CompletionStage<Process> exit = process.onExit();
        exit.thenAcceptAsync(p -> child.exited(), task -> Thread.ofVirtual().name("tutti-end-" + process.pid()).start(task));
        try {
            final OutputStream in = process.getOutputStream();
            in.write(MessageCodec.write(settings));
            in.write('\n');
            in.flush();
        } catch (final IOException e) {
            LOG.debug("process {} does not read its settings", process.pid(), e);
        }
        return child;
    }

    /**
     * Returns the folder in which the node was started. A program may have deleted it, and a JVM does not start in a folder that is gone: then it is
     * made again, and where that fails the JVM starts in its own folder.
     */
    private static Path workingFolder(final Path own) {
        try {
            return Files.createDirectories(Path.of("").toAbsolutePath());
        } catch (final IOException e) {
            // Cause: somebody has removed the folder in which the node was started. Remedy: start the node in a folder that stays.
            LOG.warn("working folder of the node is gone and cannot be made: the JVM of a job starts in {}: {}", own, e.toString());
            return own;
        }
    }

    /** Returns a list of that many of the cores that this process may use, for taskset; empty when they cannot be told. */
    private static String cores(final int count, final int number) throws IOException {
        final Path status = Path.of("/proc/self/status");
        if (count == 0 || !Files.isReadable(status)) {
            return "";
        }
        final List<Integer> all = Files.readAllLines(status).stream().filter(l -> l.startsWith("Cpus_allowed_list:"))
            .flatMap(l -> Stream.of(l.substring(l.indexOf(':') + 1).strip().split(","))).flatMap(JvmProcess::range).toList();
        return count >= all.size() ? ""
            : IntStream.range(0, count).map(i -> all.get((number * count + i) % all.size())).mapToObj(Integer::toString)
                .collect(Collectors.joining(","));
    }

    private static Stream<Integer> range(final String text) {
        final String[] ends = text.split("-");
        return IntStream.rangeClosed(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1])).boxed();
    }

    /** Reads one of its streams on another thread, until all processes that hold it have closed it. */
    private CompletableFuture<Void> read(final InputStream in, final boolean error) {
        final CompletableFuture<Void> end = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("tutti-printed-" + process.pid()).inheritInheritableThreadLocals(false).start(() -> {
            try {
                read(in, error, new PrintedLines(name(), this::keep));
            } catch (final IOException e) {
                LOG.debug("output of process {} cannot be read", process.pid(), e);
            } catch (final InterruptedException e) {
                LOG.debug("output of process {} is not passed on any more", process.pid(), e);
            } finally {
                end.complete(null);
            }
        });
        return end;
    }

    private void read(final InputStream in, final boolean error, final PrintedLines lines) throws IOException, InterruptedException {
        final byte[] buffer = new byte[BUFFER];
        int begun = 0;
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer, begun, BUFFER - begun)) {
            final Output to = output;
            lines.add(buffer, begun, n, to == null);
            final int end = begun + n;
            // whole lines, since those of other ranks may follow; the rest when nothing comes after it, or no more fits
            final int whole = in.available() == 0 || to == null ? end : afterLastLine(buffer, end);
            if (to != null) {
                to.printed(error, Arrays.copyOf(buffer, whole));
            }
            begun = end - whole;
            System.arraycopy(buffer, whole, buffer, 0, begun);
        }
        final Output to = output;
        lines.end(to == null);
        if (begun > 0 && to != null) {
            to.printed(error, Arrays.copyOf(buffer, begun));
        }
    }

    /** Returns the number of bytes up to the last end of a line; all where there is none and no more bytes fit. */
    private static int afterLastLine(final byte[] bytes, final int length) {
        int at = length;
        while (at > 0 && bytes[at - 1] != '\n') {
            at--;
        }
        return at == 0 && length == BUFFER ? length : at;
    }

    private String name() {
        return "job JVM " + process.pid();
    }

    /** Passes what the process prints from now on to a receiver instead of the log. */
    public void print(final Output to) {
        output = to;
    }

    /** Logs a line that the runtime in the JVM prints while the streams of the process are those of a rank. */
    public void log(final String line) {
        final byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (sent) {
            sent.add(bytes, 0, bytes.length, true);
        }
    }

    /** Keeps a line that the JVM has printed, beside its ranks. */
    private void keep(final String line) {
        synchronized (tail) {
            tail.add(line);
            if (tail.size() > TAIL) {
                tail.remove();
            }
        }
    }

    private void exited() {
        final int status = process.exitValue();
        // processes of its programs may keep its standard output open
        read.copy().completeOnTimeout(null, READ_MILLIS, TimeUnit.MILLISECONDS).join();
        endGroup();
        read.copy().completeOnTimeout(null, DRAIN_MILLIS, TimeUnit.MILLISECONDS).join();
        final String reason = reason(status);
        TempFolders.delete(folder);
        ended.complete(reason);
    }

    /** Ends the processes that programs have started. */
    private void endGroup() {
        try {
            new ProcessBuilder("sh", "-c", "kill -s KILL -- -" + process.pid()).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor(KILL_SECONDS, TimeUnit.SECONDS);
        } catch (final IOException e) {
            LOG.debug("processes of programs cannot be ended: group={}", process.pid(), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns why the process ended, from its status and its last lines. */
    private String reason(final int status) {
        final List<String> lines;
        synchronized (tail) {
            lines = List.copyOf(tail);
        }
        try {
            return Files.readString(folder.resolve(ContainerMain.REASON));
        } catch (final IOException e) {
            LOG.debug("process {} did not say why it ended", process.pid(), e);
        }
        final String memory = last(lines, MEMORY_LINE);
        if (status == OUT_OF_MEMORY && memory != null) {
            return "out of memory: " + memory.substring(MEMORY_LINE.length()) + (limits.heap() == null ? "" : ", heap=" + limits.heap())
                + "; start fewer ranks on the node, or raise " + NodeProperties.JOB_HEAP;
        }
        final int fatal = lines.stream().filter(l -> l.contains("fatal error has been detected")).mapToInt(lines::indexOf).findFirst().orElse(-1);
        if (fatal >= 0) {
            return "native crash: " + lines.stream().skip(fatal + 1L).map(l -> l.replaceFirst("^#\\s*", "")).filter(l -> !l.isBlank()).findFirst()
                .orElse("") + frame(lines) + "; look for native code in the program, and for uses of sun.misc.Unsafe";
        }
        if (status == SIGNAL + KILL) {
            return "killed by signal 9: by a user, or by the system because the host ran out of memory";
        }
        if (status > SIGNAL) {
            return "ended by signal " + (status - SIGNAL) + (status == SIGNAL + ABORT ? " (abort)" : "") + text(lines);
        }
        if (status == NO_LIMITS && limits.files() > 0) {
            return "the limit of open files cannot be set: " + NodeProperties.JOB_FILES + "=" + limits.files() + text(lines);
        }
        exit = status;
        return "it ended with status " + status
            + (text(lines).isEmpty() ? "; look for calls of exit by reflection, in a module, or in native code" : text(lines));
    }

    private static String frame(final List<String> lines) {
        final int at = lines.indexOf("# Problematic frame:");
        return at < 0 || at + 1 >= lines.size() ? "" : ", frame: " + lines.get(at + 1).replaceFirst("^#\\s*", "");
    }

    private static @Nullable String last(final List<String> lines, final String prefix) {
        return lines.reversed().stream().filter(l -> l.startsWith(prefix)).findFirst().orElse(null);
    }

    private String text(final List<String> lines) {
        if (output != null) {
            // these are lines of the program
            return "";
        }
        final String last = lines.reversed().stream().filter(l -> !l.isBlank() && !VAGUE.contains(l)).findFirst().orElse("");
        return last.isEmpty() ? "" : ": " + Protocol.shorten(last, PrintedLines.MAX_LINE);
    }

    /** Returns the process id. */
    public long pid() {
        return process.pid();
    }

    /** Returns whether the process has not ended. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns a stage that completes with the reason when the process has ended and its files are deleted. */
    public CompletionStage<String> ended() {
        return ended.minimalCompletionStage();
    }

    /** Returns the status with which a program or a module has ended the process that has ended; empty when it ended for another reason. */
    public OptionalInt exit() {
        return exit < 0 ? OptionalInt.empty() : OptionalInt.of(exit);
    }

    /**
     * Waits until three looks in a row, one a second, have found the process stopped by a signal, or until it has ended. Where there is no {@code
     * /proc}, it is never found stopped.
     *
     * @return whether the process is stopped
     */
    public boolean awaitStop() throws InterruptedException {
        final StoppedProcess looks = new StoppedProcess(process.pid());
        while (isAlive()) {
            if (looks.look()) {
                return true;
            }
            Thread.sleep(LOOK_MILLIS);
        }
        return false;
    }

    /** Kills the process. Idempotent; does not block. */
    public void end() {
        process.destroyForcibly();
    }
}
