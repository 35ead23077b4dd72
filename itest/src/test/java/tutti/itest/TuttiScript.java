package tutti.itest;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** Runs the {@code tutti} script in a process of its own, as a user does. */
final class TuttiScript {
    /**
     * The result of a command.
     *
     * @param status exit status
     * @param out    standard output
     * @param err    standard error
     * @param millis duration in milliseconds
     */
    record Result(int status, String out, String err, long millis) {
        private static final Pattern WAIT = Pattern.compile("tutti: .*: [0-9]+ s\\R");

        /** Returns standard error without the lines that say what the command waited for: on a busy machine there may be some. */
        String complaints() {
            return WAIT.matcher(err).replaceAll("");
        }

        @Override
        public String toString() {
            return "status " + status + " after " + millis + " ms\n--- out\n" + out + "\n--- err\n" + err;
        }
    }

    /**
     * JVM options of the daemons of tests, and of the nodes of a run without a cluster: they end before optimized code pays off, and several share
     * the cores. Each daemon has one job JVM ready.
     */
    static final Map<String, String> SHORT_LIVED = Map.of("TUTTI_DAEMON_OPTS",
        "-XX:TieredStopAtLevel=1 -Dtutti.cores=1 -Dtutti.machine.cores=1 -Dtutti.node.warmup=false -Dtutti.node.jvms=1");
    /** Environment of daemons and nodes that run with the JVM options of a user. */
    static final Map<String, String> AS_SHIPPED = Map.of("TUTTI_DAEMON_OPTS", "");

    private TuttiScript() {}

    static Process start(final Path folder, final Map<String, String> environment, final String... args) throws IOException {
        final List<String> line = new ArrayList<>(List.of(ProjectPaths.DIR.resolve("tutti").toString()));
        line.addAll(List.of(args));
        final ProcessBuilder builder = new ProcessBuilder(line).directory(folder.toFile());
        builder.environment().putAll(SHORT_LIVED);
        builder.environment().putAll(environment);
        return builder.start();
    }

    static Result run(final Path folder, final String... args) throws Exception {
        return run(folder, Map.of(), args);
    }

    static Result run(final Path folder, final Map<String, String> environment, final String... args) throws Exception {
        return finish(start(folder, environment, args), System.nanoTime());
    }

    /** Runs a command whose processes have at most that address space each, in KiB. */
    static Result limited(final Path folder, final int addressSpace, final Map<String, String> environment, final String... args)
        throws Exception {
        final List<String> line = new ArrayList<>(List.of("sh", "-c", "ulimit -v " + addressSpace + "; exec \"$@\"", "sh",
            ProjectPaths.DIR.resolve("tutti").toString()));
        line.addAll(List.of(args));
        final ProcessBuilder builder = new ProcessBuilder(line).directory(folder.toFile());
        builder.environment().putAll(environment);
        return finish(builder.start(), System.nanoTime());
    }

    /** Waits until the process ends; one that takes longer than 450 s is killed: before the limit of a test class interrupts the wait. */
    static Result finish(final Process process, final long since) throws Exception {
        return finish(process, since, 450);
    }

    /** Waits until the process ends; a process that takes longer than the limit is killed. */
    static Result finish(final Process process, final long since, final int limitSeconds) throws Exception {
        final Future<String> out = drain(process.inputReader(StandardCharsets.UTF_8));
        final Future<String> err = drain(process.errorReader(StandardCharsets.UTF_8));
        if (!process.waitFor(limitSeconds, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
        final int status = process.waitFor();
        return new Result(status, out.get(60, TimeUnit.SECONDS), err.get(60, TimeUnit.SECONDS), (System.nanoTime() - since) / 1_000_000);
    }

    /** Reads to the end on a separate thread, so that the writer never waits for space in the pipe. */
    private static Future<String> drain(final BufferedReader reader) {
        final FutureTask<String> text = new FutureTask<>(() -> text(reader));
        Thread.ofPlatform().daemon().name("drain").start(text);
        return text;
    }

    private static String text(final BufferedReader reader) {
        final StringBuilder text = new StringBuilder();
        try {
            for (int c = reader.read(); c >= 0; c = reader.read()) {
                text.append((char) c);
            }
        } catch (final IOException e) {
            text.append("(").append(e.getMessage()).append(")");
        }
        return text.toString();
    }

    /** Writes a program whose {@code main} has the given body, between Init and Finalize unless it throws. */
    static void writeProgram(final Path folder, final String name, final String body) throws IOException {
        Files.writeString(folder.resolve(name + ".java"), "import mpi.*;\npublic class " + name
            + " {\n  public static void main(String[] args) throws Exception {\n    MPI.Init(args);\n    int rank = MPI.COMM_WORLD.getRank();\n"
            + "    int size = MPI.COMM_WORLD.getSize();\n" + body + "\n    MPI.Finalize();\n  }\n}\n");
    }

    /** Compiles a program written with {@link #writeProgram} next to its source, so that it starts without compilation with {@code --cp}. */
    static void compile(final Path folder, final String name) throws IOException {
        final String path = ProjectPaths.bundles().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        if (ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-cp", path, "-d", folder.toString(),
            folder.resolve(name + ".java").toString()) != 0) {
            throw new IllegalStateException("does not compile: " + name);
        }
    }

    /** A daemon process in the foreground, with its address. */
    static final class Daemon implements AutoCloseable {
        final Process process;
        /** Standard error, complete when the daemon has ended. */
        final Future<String> err;
        final String address;

        Daemon(final Path folder, final String... args) throws Exception {
            this(folder, Map.of(), args);
        }

        Daemon(final Path folder, final Map<String, String> environment, final String... args) throws Exception {
            this(start(folder, environment, Stream.concat(Stream.of("daemon"), Stream.of(args)).toArray(String[]::new)));
        }

        /** Waits until a daemon that was started in another way is ready. */
        Daemon(final Process started) throws Exception {
            this(started, null);
        }

        /** Waits until a daemon that was started in another way is ready, which commands reach at an address; null for that which it says. */
        Daemon(final Process started, final String reached) throws Exception {
            process = started;
            err = drain(process.errorReader(StandardCharsets.UTF_8));
            final String ready = process.inputReader(StandardCharsets.UTF_8).readLine();
            if (ready == null) {
                throw new IllegalStateException("daemon does not start: " + err.get(60, TimeUnit.SECONDS));
            }
            drain(process.inputReader(StandardCharsets.UTF_8));
            address = reached == null ? ready.substring(ready.lastIndexOf(' ') + 1) : reached;
        }

        /** Returns the port on which the daemon listens. */
        int port() {
            return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        }

        /** Kills the daemon, and waits until the JVMs that it has started have ended: until then they write into its folder. */
        void kill() throws Exception {
            final List<ProcessHandle> all = Stream.concat(Stream.of(process.toHandle()), process.toHandle().descendants()).toList();
            process.toHandle().destroyForcibly();
            for (final ProcessHandle one : all) {
                one.onExit().get(60, TimeUnit.SECONDS);
            }
        }

        @Override
        public void close() {
            // process.destroy() would close streams that are still being read
            process.toHandle().destroy();
            try {
                if (!process.waitFor(60, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (final InterruptedException e) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }
}
