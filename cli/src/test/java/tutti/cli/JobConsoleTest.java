package tutti.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tutti.daemon.channel.BytePipe;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Conversation;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.launch.JobClient;
import tutti.daemon.launch.JobEnd;
import tutti.daemon.launch.JobLauncher;
import tutti.daemon.launch.OutputPiece;
import tutti.daemon.launch.RankPlacement;
import tutti.daemon.launch.RunRequest;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of the console with a daemon over a real socket, which does what a test says. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class JobConsoleTest {
    @TempDir
    private Path dir;
    private final MinaTransport transport = new MinaTransport();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final AtomicReference<String> id = new AtomicReference<>();

    /** What the daemon does with a request. */
    @FunctionalInterface
    private interface Script {
        JobEnd run(Daemon daemon, InputStream files) throws Exception;
    }

    /** Daemon at the other end of a link. */
    private record Daemon(Script script, ControlChannel channel, CompletableFuture<Void> cancelled) implements JobLauncher {
        @Override
        public CompletionStage<JobEnd> run(final RunRequest request, final InputStream files) {
            return Conversation.result(() -> script.run(this, files));
        }

        @Override
        public void cancel() {
            cancelled.complete(null);
        }

        JobClient client() {
            return channel.conversation().peer(JobClient.class);
        }

        /** Sends output and waits until the client has read it. */
        void put(final OutputPiece... pieces) throws Exception {
            final BytePipe pipe = new BytePipe(Protocol.OUTPUT);
            final CompletionStage<Void> read = client().output(pipe);
            for (final OutputPiece piece : pieces) {
                pipe.put(piece.framed());
            }
            pipe.end();
            read.toCompletableFuture().get();
        }
    }

    @AfterEach
    void close() {
        transport.close();
    }

    private static OutputPiece out(final int rank, final String text) {
        return OutputPiece.printed(rank, false, text.getBytes(StandardCharsets.UTF_8));
    }

    private static RunRequest request(final boolean placed, final List<Path> files) throws IOException {
        return new RunRequest(3, RunRequest.Mapping.BLOCK, List.of(), "Main", List.of(),
            files.isEmpty() ? List.of() : List.of(ProgramFiles.describe(files.getFirst())), Map.of(), RuleTable.NONE, 0, "Main", "me", Map.of(),
            placed, false, null);
    }

    private int follow(final Script script, final OutputStream to, final List<Path> files, final String... options) throws Exception {
        final HostPort address = new HostPort("127.0.0.1", transport.listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> {
            final ControlChannel channel = ControlChannel.open();
            channel.conversation().serve(JobLauncher.class, new Daemon(script, channel, new CompletableFuture<>()));
            return channel.attach(link);
        }).address().getPort());
        final RankOptions ranks = CommandLine.populateCommand(new RankOptions(), options);
        try (Client client = Client.connect(new Contact(address, null))) {
            return new JobConsole(client, ranks, to, null, id::set).follow(request(ranks.needsPlacement(), files), files);
        }
    }

    @Test
    void shouldSendTheProgramAndPrintAllOutputBeforeTheJobEnds() throws Exception {
        final Path jar = Files.write(dir.resolve("a.jar"), new byte[3 * Protocol.CHUNK + 1]);
        final String lines = "a line of output\n".repeat(997);
        final AtomicReference<byte[]> received = new AtomicReference<>();
        final int status = follow((daemon, files) -> {
            daemon.client().accepted("a-1");
            received.set(files.readAllBytes());
            final OutputPiece[] pieces = new OutputPiece[101];
            Arrays.fill(pieces, out(2, lines));
            daemon.put(pieces);
            return new JobEnd(7, "");
        }, out, List.of(jar));
        assertEquals(7, status);
        assertEquals("a-1", id.get());
        assertArrayEquals(Files.readAllBytes(jar), received.get());
        assertEquals(lines.repeat(101), out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldPutTheRankBeforeEachLine() throws Exception {
        assertEquals(ExitStatus.OK, follow((daemon, files) -> {
            daemon.put(out(2, "a\nb"), out(0, "\n"));
            return new JobEnd(ExitStatus.OK, "");
        }, out, List.of(), "--label"));
        assertEquals("[2] a\n[2] b[0] \n", out.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "hello\n"})
    void shouldCreateTheFilesOfAllRanksBeforeTheirOutput(final String text) throws Exception {
        final Path prefix = dir.resolve("out");
        for (int rank = 0; rank < 3; rank++) {
            Files.writeString(Path.of(prefix + "." + rank), "of an earlier run");
        }
        assertEquals(ExitStatus.OK, follow((daemon, files) -> {
            daemon.client().accepted("a-1");
            daemon.client().placed(new RankPlacement(List.of("a"), List.of(0, 0, 0)));
            daemon.put(text.isEmpty() ? new OutputPiece[0] : new OutputPiece[] {out(1, text), out(1, text)});
            return new JobEnd(ExitStatus.OK, "");
        }, out, List.of(), "--output-filename", prefix.toString()));
        for (int rank = 0; rank < 3; rank++) {
            assertEquals(rank == 1 ? text.repeat(2) : "", Files.readString(Path.of(prefix + "." + rank)));
        }
        assertEquals(0, out.size());
    }

    @Test
    void shouldReadStandardInputOnlyWhenItIsWanted() throws Exception {
        final InputStream before = System.in;
        final ByteArrayInputStream in = new ByteArrayInputStream(new byte[Protocol.CHUNK + 5]);
        System.setIn(in);
        try {
            assertEquals(ExitStatus.OK, follow((daemon, files) -> {
                assertEquals(Protocol.CHUNK + 5, in.available());
                assertEquals(Protocol.CHUNK, daemon.client().input().toCompletableFuture().get().length);
                assertEquals(5, in.available());
                assertEquals(5, daemon.client().input().toCompletableFuture().get().length);
                assertEquals(0, daemon.client().input().toCompletableFuture().get().length);
                return new JobEnd(ExitStatus.OK, "");
            }, out, List.of()));
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void shouldCancelTheJobAndWaitForItsEndWhenItsOutputIsClosed() throws Exception {
        final AtomicBoolean hasEnded = new AtomicBoolean();
        assertEquals(ExitStatus.PIPE_CLOSED, follow((daemon, files) -> {
            daemon.client().accepted("a-1");
            daemon.put(out(0, "nobody reads this"), out(0, "nor this"));
            daemon.cancelled().get();
            hasEnded.set(true);
            return new JobEnd(ExitStatus.FAILED, "cancelled");
        }, new PrintStream(new FullDisk()), List.of()));
        assertTrue(hasEnded.get(), "it did not wait for the end of the job");
    }

    @Test
    void shouldCancelTheJobAndSayWhyWhenItsOutputCannotBeWritten() throws Exception {
        final AtomicBoolean hasEnded = new AtomicBoolean();
        assertEquals("disk full", assertThrows(IOException.class, () -> follow((daemon, files) -> {
            daemon.put(out(0, "no room"));
            daemon.cancelled().get();
            hasEnded.set(true);
            return new JobEnd(ExitStatus.FAILED, "cancelled");
        }, new FullDisk(), List.of())).getMessage());
        assertTrue(hasEnded.get(), "it did not wait for the end of the job");
    }

    @Test
    void shouldCancelTheJobWhenTheFilesOfItsRanksCannotBeCreated() throws Exception {
        final Path prefix = Files.writeString(dir.resolve("file"), "").resolve("out");
        assertThrows(IOException.class, () -> follow((daemon, files) -> {
            daemon.client().accepted("a-1");
            daemon.client().placed(new RankPlacement(List.of("a"), List.of(0, 0, 0)));
            daemon.cancelled().get();
            return new JobEnd(ExitStatus.FAILED, "cancelled");
        }, out, List.of(), "--output-filename", prefix.toString()));
    }

    @Test
    void shouldPrintWhatHasArrivedWhenTheDaemonIsLost() throws Exception {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch lost = new CountDownLatch(1);
        final OutputStream slow = new OutputStream() {
            @Override
            public void write(final int b) throws IOException {
                begun.countDown();
                try {
                    lost.await();
                } catch (final InterruptedException e) {
                    throw new IOException(e);
                }
                out.write(b);
            }
        };
        final CommandFailure failure = assertThrows(CommandFailure.class, () -> follow((daemon, files) -> {
            daemon.client().accepted("a-1");
            Thread.ofVirtual().start(() -> {
                try {
                    begun.await();
                    transport.close();
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                lost.countDown();
            });
            daemon.put(out(0, "last words"));
            return new JobEnd(ExitStatus.OK, "");
        }, slow, List.of()));
        assertEquals(ExitStatus.NO_CLUSTER, failure.status());
        assertTrue(failure.getMessage().matches("daemon at 127\\.0\\.0\\.1:[0-9]+ is gone: .+"), failure.getMessage());
        assertEquals("last words", out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldSayWhyAJobIsRefused() {
        final CommandFailure failure = assertThrows(CommandFailure.class, () -> follow((daemon, files) -> {
            throw new CallFailedException(ExitStatus.DENIED, "not for you");
        }, out, List.of()));
        assertEquals(ExitStatus.DENIED, failure.status());
        assertEquals("not for you", failure.getMessage());
    }

    /** Stream that takes nothing. */
    private static final class FullDisk extends OutputStream {
        @Override
        public void write(final int b) throws IOException {
            throw new IOException("disk full");
        }
    }
}
