package tutti.daemon.job;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.channel.Recorder;
import tutti.daemon.control.TestNode;
import tutti.daemon.launch.JobClient;
import tutti.daemon.launch.JobEnd;
import tutti.daemon.launch.JobLauncher;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.node.HostPort;
import tutti.daemon.protocol.ClientHello;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.mina.MinaTransport;

/** Connection of a command that runs a job on a daemon; records what it receives of it. */
final class LaunchClient implements AutoCloseable {
    private final MinaTransport transport = new MinaTransport();
    private final RecordingClient client = new RecordingClient();
    private final Recorder closed = new Recorder();
    private final ControlChannel channel = ControlChannel.open(c -> {
        c.conversation().serve(JobClient.class, client);
        return closed;
    });
    private CompletableFuture<JobEnd> end = new CompletableFuture<>();

    LaunchClient(final HostPort address) throws IOException {
        this(address, Protocol.VERSION);
    }

    LaunchClient(final HostPort address, final int version) throws IOException {
        try {
            channel.attach(TestNode.SECRET.over(transport).connect(address.socketAddress(),
                new Hello(Protocol.CLIENT, MessageCodec.write(new ClientHello(version))), channel, Duration.ofSeconds(60)));
        } catch (final IOException e) {
            transport.close();
            throw e;
        }
    }

    /** Returns a request with a time limit in milliseconds; 0 for none. */
    static RunRequest request(final int ranks, final long timeoutMillis, final ProgramFile... files) {
        return request(ranks, timeoutMillis, Map.of("k", "v"), false, files);
    }

    /** Returns a request with parameters of the job. */
    static RunRequest request(final int ranks, final long timeoutMillis, final Map<String, String> parameters, final boolean placed,
        final ProgramFile... files) {
        return new RunRequest(ranks, RunRequest.Mapping.BLOCK, List.of(), "Main", List.of("arg"), List.of(files), parameters, null, timeoutMillis,
            "Main.java", "me@here", Map.of(), placed, false, null);
    }

    /** Launches a job without files and waits for its id. */
    String launch(final RunRequest request) throws InterruptedException {
        return launch(request, InputStream.nullInputStream());
    }

    /** Launches a job and waits for its id. */
    String launch(final RunRequest request, final InputStream files) throws InterruptedException {
        end = launcher().run(request, files).toCompletableFuture();
        return client.awaitAccepted();
    }

    /** Launches a program of one file. */
    String launch(final int ranks, final Path file) throws IOException, InterruptedException {
        return launch(request(ranks, 0, ProgramFiles.describe(file)), ProgramFiles.stream(List.of(file)));
    }

    /** Waits for the end of the job that was launched. */
    JobEnd end() throws Exception {
        return end.get(60, TimeUnit.SECONDS);
    }

    /** Waits for the refusal of a call. */
    static CallFailedException refusal(final CompletionStage<?> call) {
        return assertInstanceOf(CallFailedException.class,
            assertThrows(ExecutionException.class, () -> call.toCompletableFuture().get(60, TimeUnit.SECONDS)).getCause());
    }

    /** Returns what the command receives. */
    RecordingClient client() {
        return client;
    }

    JobLauncher launcher() {
        return peer(JobLauncher.class);
    }

    /** Returns an interface of the daemon, or one that it does not serve. */
    <T> T peer(final Class<T> type) {
        return channel.conversation().peer(type);
    }

    /** Waits until the daemon has closed the link. */
    String awaitClosed() throws InterruptedException {
        return closed.awaitClosed();
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
