package tutti.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tutti.daemon.launch.JobClient;
import tutti.daemon.launch.JobEnd;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.launch.RankPlacement;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Protocol;

/**
 * Console of one job: launches it, prints the output of its ranks, and reports how it ended. A signal cancels the job before the process ends, as
 * does output that cannot be printed. The command's thread shows the placement and the end; threads that it starts print the rest, and read input.
 */
final class JobConsole implements JobClient {
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
    private final CompletableFuture<String> id = new CompletableFuture<>();
    private final CompletableFuture<RankPlacement> placement = new CompletableFuture<>();
    private final CompletableFuture<InputStream> output = new CompletableFuture<>();
    /** Completed when the output is printed. */
    private final CompletableFuture<Void> read = new CompletableFuture<>();
    /** Pieces of standard input that rank 0 wants. */
    private final BlockingQueue<CompletableFuture<byte[]>> inputs = new LinkedBlockingQueue<>();
    /** Guarded by this. */
    private boolean isShown;
    /** Why printing failed; null if it did not. */
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    /** Held while output is printed, and at the end by the command's thread. */
    private final ReentrantLock printing = new ReentrantLock();
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
    int follow(final RunRequest request, final List<Path> files) throws IOException, InterruptedException {
        final Thread onSignal = new Thread(this::cancel, "tutti-signal");
        Runtime.getRuntime().addShutdownHook(onSignal);
        // the end of the process does not wait for these threads
        Thread.ofVirtual().name("tutti-output").start(this::printAll);
        final Thread input = Thread.ofPlatform().daemon().name("tutti-input").start(this::readInput);
        try {
            return status(request, client.run(request, files, this));
        } finally {
            input.interrupt();
            // output that had arrived when the link was lost is still printed
            printing.lock();
            try {
                writeTrace(request.program());
            } finally {
                ended.countDown();
                if (rankFiles != null) {
                    rankFiles.close();
                }
                out.flush();
                err.flush();
                printing.unlock();
                removeHook(onSignal);
            }
        }
    }

    private int status(final RunRequest request, final CompletableFuture<JobEnd> end) throws IOException, InterruptedException {
        try {
            client.await(CompletableFuture.anyOf(id, end));
            if (id.isDone()) {
                accepted.accept(id.join());
            }
            if (request.placed()) {
                client.awaitQuietly(CompletableFuture.anyOf(placement, end));
                guard(this::show);
            }
            final JobEnd done = client.awaitQuietly(end);
            if (failure.get() == null) {
                if (!done.text().isEmpty()) {
                    printNote(done.text().stripTrailing());
                }
                return done.status();
            }
        } catch (final CommandFailure e) {
            if (failure.get() == null) {
                throw e;
            }
        }
        return switch (failure.get()) {
            case final OutputClosedException closed -> ExitStatus.PIPE_CLOSED;
            case final IOException e -> throw e;
            case final RuntimeException e -> throw e;
            case final Exception e -> throw new IllegalStateException(e);
        };
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
        client.cancel();
        try {
            ended.await(6, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void accepted(final String job) {
        id.complete(job);
    }

    @Override
    public void placed(final RankPlacement ranks) {
        placement.complete(ranks);
    }

    @Override
    public CompletionStage<Void> output(final InputStream pieces) {
        output.complete(pieces);
        return read.minimalCompletionStage();
    }

    /** Prints the output of the job when it comes. */
    private void printAll() {
        final InputStream pieces = output.join();
        printing.lock();
        try (pieces) {
            boolean goesOn = ended.getCount() > 0;
            while (goesOn) {
                final OutputPiece piece = OutputPiece.read(pieces);
                goesOn = piece != null && guard(() -> print(piece));
            }
            read.complete(null);
        } catch (final IOException e) {
            // the end of the job says why, if the link is lost
            client.cancel();
            read.completeExceptionally(e);
        } finally {
            printing.unlock();
        }
    }

    @Override
    public CompletionStage<byte[]> input() {
        final CompletableFuture<byte[]> piece = new CompletableFuture<>();
        inputs.add(piece);
        return piece;
    }

    /** Reads standard input, each piece only when rank 0 reads it: a run in the background or in a shell loop consumes no input. */
    private void readInput() {
        try {
            while (true) {
                inputs.take().complete(read());
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static byte[] read() {
        final byte[] bytes = new byte[Protocol.CHUNK];
        try {
            return Arrays.copyOf(bytes, Math.max(0, System.in.read(bytes)));
        } catch (final IOException e) {
            return new byte[0];
        }
    }

    /** Step of printing. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    /** Runs a step, unless one has failed; cancels the job when it fails. Returns whether none has. */
    private boolean guard(final Step step) {
        try {
            if (failure.get() == null) {
                step.run();
            }
        } catch (final IOException | RuntimeException e) {
            failure.compareAndSet(null, e instanceof final UncheckedIOException unchecked ? unchecked.getCause() : e);
            client.cancel();
        }
        return failure.get() == null;
    }

    /** Shows the placement, if it has come and is not shown yet. Output that comes before the command's thread has shown it shows it first. */
    private synchronized void show() throws IOException {
        if (isShown || !placement.isDone()) {
            return;
        }
        isShown = true;
        if (rankFiles != null) {
            rankFiles.create(placement.join().nodeOfRank().size());
        }
        if (options.isMapDisplayed()) {
            err.write(map(placement.join()).getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Returns a line for each node with its ranks, consecutive ones as ranges. */
    static String map(final RankPlacement placed) {
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

    private void print(final OutputPiece piece) throws IOException {
        show();
        switch (piece.kind()) {
            case OUT -> print(piece.rank(), out, piece.bytes());
            case ERROR -> print(piece.rank(), err, piece.bytes());
            case TRACE -> {
                if (trace != null) {
                    trace.add(piece.rank(), piece.bytes());
                }
            }
            default -> {
                // for nodes
            }
        }
    }

    private void print(final int rank, final OutputStream to, final byte[] bytes) throws IOException {
        if (rankFiles != null) {
            rankFiles.write(rank, bytes);
            return;
        }
        if (options.isLabelled()) {
            final byte[] prefix = ("[" + rank + "] ").getBytes(StandardCharsets.US_ASCII);
            int start = 0;
            for (int i = 0; i < bytes.length; i++) {
                if (bytes[i] == '\n' || i == bytes.length - 1) {
                    to.write(prefix);
                    to.write(bytes, start, i + 1 - start);
                    start = i + 1;
                }
            }
        } else {
            to.write(bytes);
        }
        to.flush();
        if (to instanceof PrintStream standard && standard.checkError()) {
            throw new OutputClosedException();
        }
    }
}
