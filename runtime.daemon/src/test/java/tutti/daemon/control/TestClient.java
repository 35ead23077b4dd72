package tutti.daemon.control;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.ProgramSender;
import tutti.daemon.channel.Recorder;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.node.HostPort;
import tutti.daemon.protocol.ClientHello;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.ClusterSecret;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.mina.MinaTransport;

/** Connection of a command to a daemon; records received events for the test. Returns credit only when the test does. */
final class TestClient implements AutoCloseable {
    private final MinaTransport transport = new MinaTransport();
    private final Recorder recorder = new Recorder();
    private final ControlChannel channel = ControlChannel.open(c -> recorder);

    TestClient(final HostPort address) throws IOException {
        this(address, Protocol.VERSION, TestNode.SECRET);
    }

    TestClient(final HostPort address, final int version, final ClusterSecret secret) throws IOException {
        try {
            channel.attach(secret.over(transport).connect(address.socketAddress(),
                new Hello(Protocol.CLIENT, MessageCodec.write(new ClientHello(version))),
                channel,
                Duration.ofSeconds(60)));
        } catch (final IOException e) {
            transport.close();
            throw e;
        }
    }

    static Message.Run run(final int ranks, final long timeoutMillis, final List<ProgramFile> files) {
        return new Message.Run(ranks, Message.Mapping.BLOCK, List.of(), "Main", List.of("arg"), files, Map.of("k", "v"), null, timeoutMillis,
            "Main.java",
            "me@here", Map.of(), false, false, null);
    }

    Recorder recorder() {
        return recorder;
    }

    ControlChannel channel() {
        return channel;
    }

    /** Returns the requests to the daemon. */
    ClusterRequests requests() {
        return channel.conversation().peer(ClusterRequests.class);
    }

    /** Waits for the answer to a request. */
    <T> T answer(final CompletionStage<T> request) throws Exception {
        return request.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    /** Waits for the refusal of a request. */
    CallFailedException refusal(final CompletionStage<?> request) {
        return assertInstanceOf(CallFailedException.class, assertThrows(ExecutionException.class, () -> answer(request)).getCause());
    }

    /** Launches a job and waits for its id. */
    String launch(final Message.Run run) throws InterruptedException {
        channel.post(run);
        return recorder.nextMessage(Message.Accepted.class).job();
    }

    /** Launches a program of one small file. */
    String launch(final int ranks, final Path file) throws IOException, InterruptedException {
        final String job = launch(run(ranks, 0, List.of(ProgramSender.describe(file))));
        new ProgramSender(channel).send(List.of(file));
        return job;
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
