package tutti.daemon.control;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.channel.Recorder;
import tutti.daemon.launch.JobClient;
import tutti.daemon.launch.JobEnd;
import tutti.daemon.launch.JobLauncher;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.launch.RankPlacement;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.node.HostPort;
import tutti.daemon.protocol.ClientHello;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.ClusterSecret;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.mina.MinaTransport;

/** Connection of a command to a daemon, for a test, which reads the output of its job. */
final class TestClient implements JobClient, AutoCloseable {
    private static final long LIMIT_SECONDS = 60;

    private final MinaTransport transport = new MinaTransport();
    private final Recorder recorder = new Recorder();
    private final ControlChannel channel = ControlChannel.open(c -> {
        c.conversation().serve(JobClient.class, this);
        return recorder;
    });
    private final BlockingQueue<String> accepted = new LinkedBlockingQueue<>();
    private final BlockingQueue<CompletableFuture<byte[]>> inputs = new LinkedBlockingQueue<>();
    private final CompletableFuture<InputStream> output = new CompletableFuture<>();
    private final CompletableFuture<Void> isRead = new CompletableFuture<>();
    private volatile CompletionStage<JobEnd> end = new CompletableFuture<>();

    TestClient(final HostPort address) throws IOException {
        this(address, Protocol.VERSION, TestNode.SECRET);
    }

    TestClient(final HostPort address, final int version, final ClusterSecret secret) throws IOException {
        try {
            channel.attach(secret.over(transport).connect(address.socketAddress(),
                new Hello(Protocol.CLIENT, MessageCodec.write(new ClientHello(version))), channel, Duration.ofSeconds(LIMIT_SECONDS)));
        } catch (final IOException e) {
            transport.close();
            throw e;
        }
    }

    static RunRequest run(final int ranks, final long timeoutMillis, final List<ProgramFile> files) {
        return new RunRequest(ranks, RunRequest.Mapping.BLOCK, List.of(), "Main", List.of("arg"), files, Map.of("k", "v"), null, timeoutMillis,
            "Main.java", "me@here", Map.of(), false, false, null);
    }

    /** Waits until the daemon closes the link. */
    String awaitClosed() throws InterruptedException {
        return recorder.awaitClosed();
    }

    /** Returns whether the link is open. */
    boolean isOpen() {
        return recorder.isEmpty();
    }

    ControlChannel channel() {
        return channel;
    }

    /** Returns the requests to the daemon. */
    ClusterRequests requests() {
        return channel.conversation().peer(ClusterRequests.class);
    }

    /** Returns the launcher of the daemon. */
    JobLauncher launcher() {
        return channel.conversation().peer(JobLauncher.class);
    }

    /** Waits for the answer to a request. */
    <T> T answer(final CompletionStage<T> request) throws Exception {
        return request.toCompletableFuture().get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** Waits for the refusal of a request. */
    CallFailedException refusal(final CompletionStage<?> request) {
        return assertInstanceOf(CallFailedException.class, assertThrows(ExecutionException.class, () -> answer(request)).getCause());
    }

    /** Requests a job whose files have these bytes; returns at once. */
    void request(final RunRequest run, final InputStream files) {
        end = launcher().run(run, files);
    }

    /** Launches a job and waits for its id. */
    String launch(final RunRequest run, final InputStream files) throws InterruptedException {
        request(run, files);
        final String job = accepted.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertNotNull(job, "job is not accepted");
        return job;
    }

    /** Launches a job without files and waits for its id. */
    String launch(final RunRequest run) throws InterruptedException {
        return launch(run, InputStream.nullInputStream());
    }

    /** Launches a program of one small file. */
    String launch(final int ranks, final Path file) throws IOException, InterruptedException {
        return launch(run(ranks, 0, List.of(ProgramFiles.describe(file))), ProgramFiles.stream(List.of(file)));
    }

    /** Ends the job. */
    void cancel() {
        launcher().cancel();
    }

    /** Waits for the next piece of output; null at its end. */
    OutputPiece nextOutput() throws Exception {
        final OutputPiece piece = OutputPiece.read(answer(output));
        if (piece == null) {
            isRead.complete(null);
        }
        return piece;
    }

    /** Waits for the end of the job; drops its output. */
    JobEnd done() throws Exception {
        while (!isRead.isDone()) {
            nextOutput();
        }
        return answer(end);
    }

    /** Waits for the refusal of the job. */
    CallFailedException refusedRun() {
        return refusal(end);
    }

    /** Waits for a request of standard input, which the test completes. */
    CompletableFuture<byte[]> nextInput() throws InterruptedException {
        final CompletableFuture<byte[]> wanted = inputs.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertNotNull(wanted, "no input is wanted");
        return wanted;
    }

    @Override
    public void accepted(final String job) {
        accepted.add(job);
    }

    @Override
    public void placed(final RankPlacement placement) {
        // tests do not ask for it
    }

    @Override
    public CompletionStage<Void> output(final InputStream pieces) {
        output.complete(pieces);
        return isRead;
    }

    @Override
    public CompletionStage<byte[]> input() {
        final CompletableFuture<byte[]> wanted = new CompletableFuture<>();
        inputs.add(wanted);
        return wanted;
    }

    /** Ends the connection like a killed process. */
    void disconnect() {
        transport.close();
    }

    @Override
    public void close() {
        transport.close();
    }
}
