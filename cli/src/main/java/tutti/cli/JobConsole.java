package tutti.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Protocol;

/** Console of one job: launches it, prints the output of its ranks, and reports how it ended. A signal cancels the job before the process ends. */
final class JobConsole {
    /** Thrown when standard output cannot be written, as when its reader has ended. */
    private static final class OutputClosedException extends IOException {
        private static final long serialVersionUID = 1L;

        OutputClosedException() {
            super("standard output is closed");
        }
    }

    private final Client client;
    private final RankOptions options;
    private final @Nullable RankFiles rankFiles;
    private final OutputStream out;
    private final @Nullable TraceFile trace;
    private final OutputStream err = System.err;
    private final Consumer<String> accepted;
    private final CountDownLatch ended = new CountDownLatch(1);

    /**
     * Creates a console.
     *
     * @param options what becomes of the ranks' output
     * @param out     destination of the ranks' standard output; null for that of this process
     * @param trace   file for traces; null for none
     * @param accepted receives the id of the job when it is accepted
     */
    JobConsole(final Client client, final RankOptions options, final @Nullable OutputStream out, final @Nullable TraceFile trace,
        final Consumer<String> accepted) {
        this.accepted = accepted;
        this.trace = trace;
        this.client = client;
        this.options = options;
        this.rankFiles = options.output() == null ? null : new RankFiles(options.output());
        this.out = out != null ? out : System.out;
    }

    /** Creates a console that tells nobody the id of the job. */
    JobConsole(final Client client, final RankOptions options, final @Nullable OutputStream out, final @Nullable TraceFile trace) {
        this(client, options, out, trace, job -> {
            // nobody asked
        });
    }

    /** Runs a job to its end; returns its exit status. */
    int follow(final Message.Run run, final List<Path> files) throws IOException, InterruptedException {
        final Thread onSignal = new Thread(this::cancel, "tutti-signal");
        Runtime.getRuntime().addShutdownHook(onSignal);
        try {
            client.post(run);
            Thread.ofVirtual().name("tutti-program").start(() -> send(files));
            return events();
        } catch (final OutputClosedException e) {
            return awaitCancelled();
        } finally {
            try {
                writeTrace(run.program());
            } finally {
                ended.countDown();
                if (rankFiles != null) {
                    rankFiles.close();
                }
                out.flush();
                err.flush();
                removeHook(onSignal);
            }
        }
    }

    /** Writes the trace. Called before {@link #ended} is counted down, which lets a signal end the process. */
    private void writeTrace(final String program) throws IOException {
        final String note = trace == null ? "" : trace.write(program);
        if (!note.isEmpty()) {
            printNote(note);
        }
    }

    private void printNote(final String text) throws IOException {
        err.write(("tutti: " + text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Removes a shutdown hook, unless it is running. */
    static void removeHook(final Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            // the JVM is shutting down: the hook is running
            return;
        }
    }

    private void cancel() {
        client.post(new Message.CancelRun());
        try {
            ended.await(6, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Cancels the job, whose output nobody reads any more, and waits until it has ended. */
    private int awaitCancelled() throws InterruptedException {
        client.post(new Message.CancelRun());
        while (true) {
            switch (client.next()) {
                case Client.Event.OutputReceived p -> client.consumed(p.bytes().length);
                case Client.Event.TraceReceived t -> client.consumed(t.bytes().length);
                case Client.Event.InputRequested a -> client.sendInput(new byte[0]);
                case Client.Event.Disconnected g -> {
                    return ExitStatus.PIPE_CLOSED;
                }
                case Client.Event.MessageReceived t -> {
                    if (t.message() instanceof Message.Done) {
                        return ExitStatus.PIPE_CLOSED;
                    }
                }
            }
        }
    }

    private void send(final List<Path> files) {
        try {
            client.program().send(files);
        } catch (final IOException e) {
            client.closed("program cannot be read: " + e.getMessage());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private int events() throws IOException, InterruptedException {
        boolean isFirst = true;
        while (true) {
            final Client.Event event = isFirst ? client.first() : client.next();
            isFirst = false;
            switch (event) {
                case Client.Event.OutputReceived p -> print(p);
                case Client.Event.TraceReceived t -> {
                    if (trace != null) {
                        trace.add(t.rank(), t.bytes());
                    }
                    client.consumed(t.bytes().length);
                }
                case Client.Event.InputRequested a -> Thread.ofPlatform().daemon().name("tutti-input").start(this::read);
                case Client.Event.Disconnected g -> throw new CommandFailure(ExitStatus.NO_CLUSTER, "daemon at " + client.address() + " is gone: "
                    + g.reason());
                case Client.Event.MessageReceived t -> {
                    if (t.message() instanceof Message.Accepted job) {
                        accepted.accept(job.job());
                    }
                    if (t.message() instanceof Message.Placed placed) {
                        placed(placed);
                    }
                    if (t.message() instanceof Message.Done done) {
                        if (!done.text().isEmpty()) {
                            printNote(done.text().stripTrailing());
                        }
                        return done.status();
                    }
                }
            }
        }
    }

    private void placed(final Message.Placed placed) throws IOException {
        if (rankFiles != null) {
            rankFiles.create(placed.nodeOfRank().size());
        }
        if (options.isMapDisplayed()) {
            err.write(map(placed).getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Returns a line for each node with its ranks, consecutive ones as ranges. */
    static String map(final Message.Placed placed) {
        final StringBuilder text = new StringBuilder();
        for (int node = 0; node < placed.nodes().size(); node++) {
            final List<String> ranges = new ArrayList<>();
            int count = 0;
            for (int rank = 0; rank < placed.nodeOfRank().size(); rank++) {
                if (placed.nodeOfRank().get(rank) == node) {
                    final int first = rank;
                    while (rank + 1 < placed.nodeOfRank().size() && placed.nodeOfRank().get(rank + 1) == node) {
                        rank++;
                    }
                    count += rank + 1 - first;
                    ranges.add(first == rank ? Integer.toString(first) : first + ".." + rank);
                }
            }
            text.append("node ").append(placed.nodes().get(node)).append(": ").append(count).append(count == 1 ? " rank: " : " ranks: ")
                .append(String.join(", ", ranges)).append('\n');
        }
        return text.toString();
    }

    /** Reads and sends one piece of standard input, only when rank 0 reads it: a run in the background or in a shell loop consumes no input. */
    private void read() {
        final byte[] bytes = new byte[Protocol.CHUNK];
        int n;
        try {
            n = System.in.read(bytes);
        } catch (final IOException e) {
            n = -1;
        }
        client.sendInput(Arrays.copyOf(bytes, Math.max(0, n)));
    }

    private void print(final Client.Event.OutputReceived p) throws IOException {
        if (rankFiles != null) {
            rankFiles.write(p.rank(), p.bytes());
            client.consumed(p.bytes().length);
            return;
        }
        final OutputStream to = p.error() ? err : out;
        if (options.isLabelled()) {
            final byte[] prefix = ("[" + p.rank() + "] ").getBytes(StandardCharsets.US_ASCII);
            int start = 0;
            for (int i = 0; i < p.bytes().length; i++) {
                if (p.bytes()[i] == '\n' || i == p.bytes().length - 1) {
                    to.write(prefix);
                    to.write(p.bytes(), start, i + 1 - start);
                    start = i + 1;
                }
            }
        } else {
            to.write(p.bytes());
        }
        to.flush();
        if (to instanceof PrintStream standard && standard.checkError()) {
            throw new OutputClosedException();
        }
        client.consumed(p.bytes().length);
    }
}
