package tutti.daemon.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tutti.daemon.channel.Recorder.Received;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.process.LogLines;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests of channels over real sockets, whose peers may send anything. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ControlChannelTest {
    @RegisterExtension
    private final LogLines log = new LogLines(ControlChannel.class);
    private final MinaTransport transport = new MinaTransport();
    private final BlockingQueue<ControlChannel> accepted = new ArrayBlockingQueue<>(16);
    private final Recorder server = new Recorder();
    private final Recorder client = new Recorder();
    private InetSocketAddress address;

    @BeforeEach
    void listen() throws IOException {
        address = transport.listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> {
            final ControlChannel channel = ControlChannel.open(c -> server).attach(link);
            accepted.add(channel);
            return channel;
        }).address();
    }

    @AfterEach
    void close() {
        transport.close();
    }

    private ControlChannel connect() throws IOException {
        return attach(ControlChannel.open(c -> client));
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
    void shouldCarryEveryKindOfFrameInOrderBothWays() throws Exception {
        final ControlChannel remote = connect();
        final ControlChannel local = accepted.take();
        remote.post(new Message.CancelRun());
        remote.postProgram(1023, new byte[] {1, 2, 3}, 2);
        remote.postOutputCredit(Integer.MAX_VALUE);
        assertEquals(new Message.CancelRun(), server.nextMessage(Message.CancelRun.class));
        final Received.Program program = server.next(Received.Program.class);
        assertEquals(1023, program.file());
        assertArrayEquals(new byte[] {1, 2}, program.bytes());
        assertEquals(new Received.OutputCredit(Integer.MAX_VALUE), server.next());
        local.postOutput(65_535, true, bytes("-hello\n"), 1, 6);
        local.postProgramCredit(1);
        local.post(new Message.Done(0, ""));
        final Received.Output printed = client.next(Received.Output.class);
        assertEquals(65_535, printed.rank());
        assertTrue(printed.error());
        assertArrayEquals(bytes("hello\n"), printed.bytes());
        assertEquals(new Received.ProgramCredit(1), client.next());
        assertEquals(new Message.Done(0, ""), client.nextMessage(Message.Done.class));
    }

    @ParameterizedTest
    @ValueSource(ints = {Protocol.CHUNK - 1, Protocol.CHUNK, Protocol.CHUNK + 1, 2 * Protocol.CHUNK, 2 * Protocol.CHUNK + 1, Protocol.MAX_MESSAGE})
    void shouldCarryMessagesOfAllLengths(final int length) throws Exception {
        final ControlChannel remote = connect();
        final int frame = MessageCodec.write(new Message.Done(0, "")).length;
        final Message.Done reply = new Message.Done(0, "x".repeat(length - frame));
        remote.post(reply);
        remote.post(new Message.CancelRun());
        assertEquals(reply, server.nextMessage(Message.Done.class));
        server.nextMessage(Message.CancelRun.class);
    }

    @Test
    void shouldRefuseToPostAMessageThatIsTooLongForThePeer() throws Exception {
        final ControlChannel remote = connect();
        final Message reply = new Message.Done(0, "x".repeat(Protocol.MAX_MESSAGE));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> remote.post(reply)).getMessage().startsWith("message too long: bytes="));
        remote.post(new Message.CancelRun());
        server.nextMessage(Message.CancelRun.class);
    }

    @Test
    void shouldKeepFramesAndMessagesWholeWhenManyThreadsPost() throws Exception {
        final int threads = 6;
        final int rounds = 40;
        final ControlChannel remote = connect();
        final CyclicBarrier start = new CyclicBarrier(threads);
        final List<FutureTask<Void>> tasks = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            final int me = t;
            final FutureTask<Void> task = new FutureTask<>(() -> {
                start.await();
                for (int i = 0; i < rounds; i++) {
                    remote.post(new Message.Done(me * rounds + i, ("" + (char) ('a' + me)).repeat(3 * Protocol.CHUNK)));
                    remote.postOutput(me, false, bytes((me + ":" + i + " ").repeat(200)), 0, 200 * (me + ":" + i + " ").length());
                }
                return null;
            });
            tasks.add(task);
            Thread.ofPlatform().daemon().start(task);
        }
        final int[] messages = new int[threads];
        final int[] outputs = new int[threads];
        for (int n = 0; n < 2 * threads * rounds; n++) {
            switch (server.next()) {
                case Received.ControlMessage(Message.Done reply) -> {
                    final int me = reply.text().charAt(0) - 'a';
                    assertEquals(me * rounds + messages[me]++, reply.status());
                    assertEquals(("" + (char) ('a' + me)).repeat(3 * Protocol.CHUNK), reply.text());
                }
                case Received.Output p -> assertEquals((p.rank() + ":" + outputs[p.rank()]++ + " ").repeat(200),
                    new String(p.bytes(), StandardCharsets.UTF_8));
                case Received other -> throw new AssertionError(other);
            }
        }
        for (final FutureTask<Void> task : tasks) {
            task.get(60, TimeUnit.SECONDS);
        }
        final int[] all = new int[threads];
        Arrays.fill(all, rounds);
        assertArrayEquals(all, messages);
        assertArrayEquals(all, outputs);
    }

    @Test
    void shouldSendWhatWasPostedBeforeTheLinkAndBeforeTheClose() throws Exception {
        final ControlChannel remote = ControlChannel.open(c -> client);
        assertEquals("a peer not yet linked", remote.peer());
        remote.post(new Message.CancelRun());
        attach(remote);
        for (int i = 0; i < 100; i++) {
            remote.post(new Message.Done(i, "x".repeat(Protocol.CHUNK)));
        }
        remote.close();
        remote.post(new Message.CancelRun());
        remote.close();
        server.nextMessage(Message.CancelRun.class);
        for (int i = 0; i < 100; i++) {
            assertEquals(i, server.nextMessage(Message.Done.class).status());
        }
        server.next(Received.Closed.class);
        assertEquals(new Received.Closed("closed"), client.next());
        remote.post(new Message.CancelRun());
        assertTrue(server.isEmpty() && client.isEmpty());
    }

    @Test
    void shouldNotifyOnceThatThePeerIsLost() throws Exception {
        try (RawPeer crashes = raw(); RawPeer ends = raw()) {
            crashes.reset();
            assertFalse(server.next(Received.Closed.class).reason().isBlank());
            ends.end();
            assertFalse(server.next(Received.Closed.class).reason().isBlank());
        }
        for (final ControlChannel channel : accepted) {
            channel.post(new Message.CancelRun());
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
        other.post(new Message.CancelRun());
        server.nextMessage(Message.CancelRun.class);
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
            assertFalse(server.next(Received.Closed.class).reason().isBlank());
            assertTrue(memory.getTotalThreadAllocatedBytes() - before < 16 << 20);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "02             | frame too short: type=2, bytes=1",
        "02000000       | frame too short: type=2, bytes=4",
        "03             | frame too short: type=3, bytes=1",
        "0300000000     | frame too short: type=3, bytes=5",
        "0402000000     | frame too short: type=4, bytes=5",
        "040200000000   | credit out of range: bytes=0, min=1",
        "0402ffffffff   | credit out of range: bytes=-1, min=1",
        "040380000000   | credit out of range: bytes=-2147483648, min=1",
        "040100000001   | unknown credit type: type=1",
        "04ff00000001   | unknown credit type: type=-1",
        "00             | unknown type of message: type=0, range=16..33",
        "05             | input was not expected on this link",
        "06             | frame too short: type=6, bytes=1",
        "0600000000     | a trace was not expected on this link",
        "07             | frame too short: type=7, bytes=1",
        "070102         | frame too short: type=7, bytes=3",
        "0701016d0361   | frame too short: type=7, bytes=6",
        "0701016d03612f62aa | a report was not expected on this link",
        "0701016d03612062aa | not a report: module=m, mediaType=a b, bytes=1",
        "0701012f03612f62   | not a report: module=/, mediaType=a/b, bytes=0",
        "08             | frame too short: type=8, bytes=1",
        "080000000003612e | frame too short: type=8, bytes=8",
        "080000000003612e625b5d | unexpected message: a.b",
        "08ffffffff03612e625b5d | number of a call out of range: id=-1",
        "09             | frame too short: type=9, bytes=1",
        "09000000016e756c6c | answer to no call: id=1",
        "0a000000017b7d | answer to no call: id=1",
        "0b00000001     | frame too short: type=11, bytes=5",
        "0c000000010000 | frame too short: type=12, bytes=7",
        "0c00000001ffffffff | credit out of range: bytes=-1, min=0",
        "0d             | unknown type of message: type=13, range=16..33",
        "22             | unknown type of message: type=34, range=16..33",
        "ff             | unknown type of message: type=-1, range=16..33",
        "10             | bad message from 127.0.0.1",
        "107b           | bad message from 127.0.0.1",
        "106e756c6c     | message is empty: type=Run"})
    void shouldCloseTheLinkWithTheReasonWhenAFrameIsBad(final String frame, final String reason) throws Exception {
        try (RawPeer peer = raw()) {
            peer.sendFrame(HexFormat.of().parseHex(frame));
            final String received = server.next(Received.Closed.class).reason();
            assertTrue(received.contains(reason), received);
            assertTrue(peer.isDropped());
            assertTrue(server.isEmpty());
        }
    }

    @Test
    void shouldCloseTheLinkWhenTheReceiverDoesNotExpectAFrame() throws Exception {
        final BlockingQueue<String> reasons = new ArrayBlockingQueue<>(8);
        final ChannelReceiver strict = new ChannelReceiver() {
            @Override
            public void message(final Message message) {
                throw new IllegalStateException("no message was expected");
            }

            @Override
            public void closed(final String reason) {
                reasons.add(reason);
            }
        };
        for (final String frame : List.of("0200000000aa", "030000000000aa", "0600000000aa", "0701016d03612f62aa",
            "040200000001", "040300000001", "107b7d")) {
            attach(ControlChannel.open(c -> strict));
            final ControlChannel local = accepted.take();
            final ByteBuffer in = ByteBuffer.wrap(HexFormat.of().parseHex(frame));
            switch (in.get()) {
                case FrameType.PROGRAM -> local.postProgram(0, new byte[1], 1);
                case FrameType.OUTPUT -> local.postOutput(0, false, new byte[1], 0, 1);
                case FrameType.TRACE -> local.postTrace(0, new byte[1]);
                case FrameType.REPORT -> local.postReport(new InterceptorReport.Piece("m", "a/b", true, new byte[1]));
                case FrameType.CREDIT -> {
                    if (in.get() == FrameType.PROGRAM) {
                        local.postProgramCredit(1);
                    } else {
                        local.postOutputCredit(1);
                    }
                }
                default -> local.post(new Message.CancelRun());
            }
            assertTrue(reasons.take().contains("expected"), frame);
            server.next(Received.Closed.class);
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
            assertTrue(server.next(Received.Closed.class).reason().startsWith("message too long: max=" + Protocol.MAX_MESSAGE));
        }
    }

    @Test
    void shouldCloseTheLinkWhosePeerLeavesMoreUnreadThanAllChannelsMayHold() throws Exception {
        final ControlChannel channel = ControlChannel.open(c -> client, new ControlChannel.Memory(1 << 20, "tutti.node.messages"));
        // while it has no link, nobody reads
        channel.post(new Message.Done(0, "x".repeat(3 << 20)));
        assertTrue(log.lines().getFirst().matches("links closed: links=1, last=a peer not yet linked, reason=too many bytes of messages that are not "
            + "complete or not read: bytes=\\d+, max=1048576, limit=tutti\\.node\\.messages"), log.lines()::toString);
        attach(channel);
        client.next(Received.Closed.class);
    }

    @Test
    void shouldDropAPeerThatReadsNothing() throws Exception {
        try (RawPeer peer = raw()) {
            final ControlChannel local = accepted.take();
            final Message.Done large = new Message.Done(0, "x".repeat(8 << 20));
            for (int i = 0; i < 8; i++) {
                local.post(large);
            }
            assertFalse(server.next(Received.Closed.class).reason().isBlank());
            assertTrue(peer.isDropped());
        }
    }
}
