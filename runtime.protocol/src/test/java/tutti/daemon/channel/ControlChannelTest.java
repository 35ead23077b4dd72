package tutti.daemon.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.process.LogLines;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of channels over real sockets, whose peers may send anything. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ControlChannelTest {
    /** Bytes of a note beside its text. */
    private static final int QUOTES = 4;

    @RegisterExtension
    private final LogLines log = new LogLines(ControlChannel.class);
    private final MinaTransport transport = new MinaTransport();
    private final BlockingQueue<ControlChannel> accepted = new ArrayBlockingQueue<>(16);
    private final Recorder server = new Recorder();
    private final Recorder client = new Recorder();
    private final BlockingQueue<String> serverNotes = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> clientNotes = new LinkedBlockingQueue<>();
    private InetSocketAddress address;

    /** Notes that both ends take. */
    interface Notes {
        void note(String text);

        CompletionStage<String> copy(InputStream text);

        CompletionStage<String> leave(InputStream text);
    }

    /** Keeps notes. */
    private record Notebook(BlockingQueue<String> notes) implements Notes {
        @Override
        public void note(final String text) {
            if (text.equals("refused")) {
                throw new IllegalStateException("no note was expected");
            }
            notes.add(text);
        }

        @Override
        public CompletionStage<String> copy(final InputStream text) {
            return Conversation.result(() -> new String(text.readAllBytes(), StandardCharsets.UTF_8));
        }

        @Override
        public CompletionStage<String> leave(final InputStream text) {
            return new CompletableFuture<>();
        }
    }

    @BeforeEach
    void listen() throws IOException {
        address = transport.listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> {
            final ControlChannel channel = ControlChannel.open(c -> serve(c, serverNotes, server)).attach(link);
            accepted.add(channel);
            return channel;
        }).address();
    }

    @AfterEach
    void close() {
        transport.close();
    }

    private ControlChannel connect() throws IOException {
        return attach(ControlChannel.open(c -> serve(c, clientNotes, client)));
    }

    private static Recorder serve(final ControlChannel channel, final BlockingQueue<String> notes, final Recorder listener) {
        channel.conversation().serve(Notes.class, new Notebook(notes));
        return listener;
    }

    private static Notes notes(final ControlChannel channel) {
        return channel.conversation().peer(Notes.class);
    }

    private static String next(final BlockingQueue<String> notes) throws InterruptedException {
        final String note = notes.poll(60, TimeUnit.SECONDS);
        assertNotNull(note, "nothing was received");
        return note;
    }

    private ControlChannel attach(final ControlChannel channel) throws IOException {
        return channel.attach(transport.connect(address, new Hello("test", new byte[0]), channel, Duration.ofSeconds(60)));
    }

    private RawPeer raw() throws IOException {
        return new RawPeer(address).greet();
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shouldCarryNoticesInOrderBothWays() throws Exception {
        final Notes remote = notes(connect());
        final Notes local = notes(accepted.take());
        for (int i = 0; i < 100; i++) {
            remote.note("to the server " + i);
            local.note("to the client " + i);
        }
        for (int i = 0; i < 100; i++) {
            assertEquals("to the server " + i, next(serverNotes));
            assertEquals("to the client " + i, next(clientNotes));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Protocol.CHUNK - 1, Protocol.CHUNK, Protocol.CHUNK + 1, 2 * Protocol.CHUNK, 2 * Protocol.CHUNK + 1, Protocol.MAX_MESSAGE})
    void shouldCarryMessagesOfAllLengths(final int length) throws Exception {
        final Notes remote = notes(connect());
        final String text = "x".repeat(length - QUOTES);
        remote.note(text);
        remote.note("after it");
        assertEquals(text, next(serverNotes));
        assertEquals("after it", next(serverNotes));
    }

    @Test
    void shouldRefuseToPostAMessageThatIsTooLongForThePeer() throws Exception {
        final Notes remote = notes(connect());
        final String text = "x".repeat(Protocol.MAX_MESSAGE - QUOTES + 1);
        assertEquals("message too long: bytes=" + (Protocol.MAX_MESSAGE + 1) + ", max=" + Protocol.MAX_MESSAGE,
            assertThrows(IllegalArgumentException.class, () -> remote.note(text)).getMessage());
        remote.note("short");
        assertEquals("short", next(serverNotes));
    }

    @Test
    void shouldKeepMessagesAndStreamsWholeWhenManyThreadsPost() throws Exception {
        final int threads = 6;
        final int rounds = 40;
        final Notes remote = notes(connect());
        final CyclicBarrier start = new CyclicBarrier(threads);
        final List<FutureTask<String>> tasks = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            final int me = t;
            final FutureTask<String> task = new FutureTask<>(() -> {
                start.await();
                final CompletionStage<String> copy = remote.copy(new ByteArrayInputStream(bytes((me + " ").repeat(100_003))));
                for (int i = 0; i < rounds; i++) {
                    remote.note(me + ":" + i + " " + ("" + (char) ('a' + me)).repeat(3 * Protocol.CHUNK));
                }
                return copy.toCompletableFuture().get(60, TimeUnit.SECONDS);
            });
            tasks.add(task);
            Thread.ofPlatform().daemon().start(task);
        }
        final int[] noted = new int[threads];
        for (int n = 0; n < threads * rounds; n++) {
            final String note = next(serverNotes);
            final int me = note.charAt(0) - '0';
            assertEquals(me + ":" + noted[me]++ + " " + ("" + (char) ('a' + me)).repeat(3 * Protocol.CHUNK), note);
        }
        for (int t = 0; t < threads; t++) {
            assertEquals((t + " ").repeat(100_003), tasks.get(t).get(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldSendWhatWasPostedBeforeTheLinkAndBeforeTheClose() throws Exception {
        final ControlChannel remote = ControlChannel.open(c -> client);
        final Notes notes = notes(remote);
        assertEquals("a peer not yet linked", remote.peer());
        notes.note("first");
        attach(remote);
        for (int i = 0; i < 100; i++) {
            notes.note(i + "x".repeat(Protocol.CHUNK));
        }
        remote.close();
        notes.note("too late");
        remote.close();
        assertEquals("first", next(serverNotes));
        for (int i = 0; i < 100; i++) {
            assertEquals(i + "x".repeat(Protocol.CHUNK), next(serverNotes));
        }
        server.awaitClosed();
        assertEquals("closed", client.awaitClosed());
        notes.note("too late");
        assertTrue(server.isEmpty() && client.isEmpty() && serverNotes.isEmpty());
    }

    @Test
    void shouldNotifyOnceThatThePeerIsLost() throws Exception {
        try (RawPeer crashes = raw(); RawPeer ends = raw()) {
            crashes.reset();
            assertFalse(server.awaitClosed().isBlank());
            ends.end();
            assertFalse(server.awaitClosed().isBlank());
        }
        for (final ControlChannel channel : accepted) {
            notes(channel).note("too late");
            channel.close();
        }
        assertTrue(server.isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "SSH-2.0-OpenSSH_9\r\n", "\u0000\u0001\u0002\u0003\u0000\u0000\u0000"})
    void shouldDropPeersThatUseAnotherProtocolAndServeTheOthers(final String garbage) throws Exception {
        final ControlChannel other = connect();
        try (RawPeer peer = new RawPeer(address)) {
            peer.send(bytes(garbage));
            assertTrue(peer.isDropped());
        }
        notes(other).note("served");
        assertEquals("served", next(serverNotes));
        assertEquals(1, accepted.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, Integer.MIN_VALUE, -1, 1 << 20})
    void shouldDropPeersThatAnnounceAHugeFrameWithoutSettingMemoryAside(final int length) throws Exception {
        try (RawPeer peer = raw()) {
            final ThreadMXBean memory = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            final long before = memory.getTotalThreadAllocatedBytes();
            peer.sendLength(length);
            peer.send(new byte[64]);
            assertTrue(peer.isDropped());
            assertFalse(server.awaitClosed().isBlank());
            assertTrue(memory.getTotalThreadAllocatedBytes() - before < 16 << 20);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "02 | frame too short: type=2, bytes=1",
        "0200000000 | frame too short: type=2, bytes=5",
        "020000000003612e | frame too short: type=2, bytes=8",
        "020000000003612e625b5d | unexpected message: a.b",
        "02000000000a4e6f7465732e636f70795b5d | unexpected message: Notes.copy",
        "02ffffffff03612e625b5d | number of a call out of range: id=-1",
        "02000000000a4e6f7465732e6e6f7465 | bad message from 127.0.0.1",
        "02000000000a4e6f7465732e6e6f74655b | bad message from 127.0.0.1",
        "02000000000a4e6f7465732e6e6f74657b7d | not an array of values",
        "02000000000a4e6f7465732e6e6f74655b5d | not an array of values",
        "02000000000a4e6f7465732e6e6f74655b6e756c6c5d | not an array of values",
        "02000000000a4e6f7465732e6e6f74655b2272656675736564225d | no note was expected",
        "03 | frame too short: type=3, bytes=1",
        "03000000016e756c6c | answer to no call: id=1",
        "04 | frame too short: type=4, bytes=1",
        "04000000017b7d | answer to no call: id=1",
        "05 | frame too short: type=5, bytes=1",
        "0500000001 | frame too short: type=5, bytes=5",
        "06 | frame too short: type=6, bytes=1",
        "06000000010000 | frame too short: type=6, bytes=7",
        "0600000001ffffffff | credit out of range: bytes=-1, min=0",
        "00 | unknown type of frame: type=0",
        "07 | unknown type of frame: type=7",
        "10 | unknown type of frame: type=16",
        "ff | unknown type of frame: type=-1"})
    void shouldCloseTheLinkWithTheReasonWhenAFrameIsBad(final String frame, final String reason) throws Exception {
        try (RawPeer peer = raw()) {
            peer.sendFrame(HexFormat.of().parseHex(frame));
            final String received = server.awaitClosed();
            assertTrue(received.contains(reason), received);
            assertTrue(peer.isDropped());
            assertTrue(server.isEmpty() && serverNotes.isEmpty());
        }
    }

    @ParameterizedTest
    @CsvSource({"00aa, 'bytes of a stream without credit: bytes=1, credit=0'", "00, 'bytes of a stream without credit: bytes=0, credit=0'",
        "03, 'unknown kind of bytes of a stream: kind=3, peer=127.0.0.1'"})
    void shouldCloseTheLinkOfAPeerThatSendsBytesOfAStreamWhichNobodyReads(final String piece, final String reason) throws Exception {
        try (RawPeer peer = raw()) {
            peer.sendFrame(HexFormat.of().parseHex("02000000010b4e6f7465732e6c656176655b5d"));
            peer.sendFrame(HexFormat.of().parseHex("0500000001" + piece));
            final String received = server.awaitClosed();
            assertTrue(received.startsWith(reason), received);
            assertTrue(peer.isDropped());
        }
    }

    @Test
    void shouldCloseTheLinkOfAPeerThatUsesTheNumberOfACallTwice() throws Exception {
        try (RawPeer peer = raw()) {
            peer.sendFrame(HexFormat.of().parseHex("02000000010b4e6f7465732e6c656176655b5d"));
            peer.sendFrame(HexFormat.of().parseHex("02000000010b4e6f7465732e6c656176655b5d"));
            final String received = server.awaitClosed();
            assertTrue(received.startsWith("number of a call used twice: id=-1, peer=127.0.0.1"), received);
        }
    }

    @Test
    void shouldIgnoreBytesAndCreditOfStreamsThatHaveEnded() throws Exception {
        try (RawPeer peer = raw()) {
            for (final String frame : List.of("050000000100aa", "0500000001ff", "0600000001000000ff", "060000000100000000")) {
                peer.sendFrame(HexFormat.of().parseHex(frame));
            }
            peer.sendFrame(HexFormat.of().parseHex("02000000000a4e6f7465732e6e6f74655b2261225d"));
            assertEquals("a", next(serverNotes));
        }
    }

    @Test
    void shouldCloseTheLinkWhenThePiecesOfAMessageNeverEnd() throws Exception {
        final byte[] part = new byte[32 << 10];
        Arrays.fill(part, (byte) ' ');
        part[0] = FrameType.PART;
        try (RawPeer peer = raw()) {
            final IOException e = assertThrows(IOException.class, () -> {
                for (int sent = 0; sent < 2 * Protocol.MAX_MESSAGE; sent += part.length) {
                    peer.sendFrame(part);
                }
                // the last pieces may be in the network's buffers
                if (peer.isDropped()) {
                    throw new IOException("dropped");
                }
            });
            assertFalse(e.getMessage().isBlank());
            assertTrue(server.awaitClosed().startsWith("message too long: max=" + Protocol.MAX_MESSAGE));
        }
    }

    @Test
    void shouldCloseTheLinkWhosePeerLeavesMoreUnreadThanAllChannelsMayHold() throws Exception {
        final ControlChannel channel = ControlChannel.open(c -> client, new ControlChannel.Memory(1 << 20, "tutti.node.messages"));
        // while it has no link, nobody reads
        notes(channel).note("x".repeat(3 << 20));
        assertTrue(log.lines().getFirst().matches("links closed: links=1, last=a peer not yet linked, reason=too many bytes of messages that are not "
            + "complete or not read: bytes=\\d+, max=1048576, limit=tutti\\.node\\.messages"), log.lines()::toString);
        attach(channel);
        client.awaitClosed();
    }

    @Test
    void shouldDropAPeerThatReadsNothing() throws Exception {
        try (RawPeer peer = raw()) {
            final Notes local = notes(accepted.take());
            for (int i = 0; i < 8; i++) {
                local.note("x".repeat(8 << 20));
            }
            assertFalse(server.awaitClosed().isBlank());
            assertTrue(peer.isDropped());
        }
    }
}
