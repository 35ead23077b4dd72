package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests peers that violate the protocol, on either side of a connection. */
@Tag("nightly")
@Timeout(value = 480, unit = TimeUnit.SECONDS)
class ProtocolViolationIT {
    private static final int SILENT_CONNECTIONS = 200;
    private static final int TWO_GIBIBYTES_LESS_ONE = Integer.MAX_VALUE;
    private static final int NEGATIVE_LENGTH = 1 << 31;
    private static final long MAX_HEAP_BYTES = 256 << 10;
    private static final long MAX_DIRECT_KIBIBYTES = 256;

    /** Version of the control protocol. */
    private static final int VERSION = 17;
    /** Type of a frame with a call. */
    private static final byte CALL = 2;
    /** A call without a result, whose arguments are no JSON. */
    private static final byte[] NOTICE = ByteBuffer.allocate(26).put(CALL).putInt(0).put((byte) 18)
        .put("JobLauncher.cancel@@".getBytes(StandardCharsets.US_ASCII)).array();

    @TempDir
    private static Path dir;
    private static TuttiScript.Daemon daemon;

    @BeforeAll
    static void start() throws Exception {
        daemon = new TuttiScript.Daemon(dir, Map.of("TUTTI_DAEMON_OPTS", "-XX:NativeMemoryTracking=summary -Dtutti.tcp.hello=5000"), "--name", "a",
            // strangers get further
            "--insecure");
        TuttiScript.writeProgram(dir, "Hello", "System.out.println(\"rank \" + rank + \" of \" + size);");
        TuttiScript.compile(dir, "Hello");
        assertRunsJobs();
        // loads all classes that a connection needs
        for (final Arguments a : invalidPeers().toList()) {
            sendUntilClosed((byte[]) a.get()[1]);
        }
    }

    @AfterAll
    static void stop() {
        daemon.close();
    }

    private static TuttiScript.Result run(final String address) throws Exception {
        return CommandInJvm.run("run", "--connect", address, "-n", "2", "--cp", dir.toString(), "Hello");
    }

    private static void assertRunsJobs() throws Exception {
        final TuttiScript.Result r = run(daemon.address);
        assertEquals(0, r.status(), r::toString);
        assertEquals(List.of("rank 0 of 2", "rank 1 of 2"), r.out().lines().sorted().toList());
        assertEquals("", r.complaints());
    }

    /** Returns the first bytes of a connection in the protocol: magic, version, purpose, payload. */
    private static ByteBuffer hello(final String purpose, final int payloadLength, final String payload) {
        final byte[] name = purpose.getBytes(StandardCharsets.US_ASCII);
        final byte[] rest = payload.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(64 + name.length + rest.length).order(ByteOrder.LITTLE_ENDIAN)
            .put(new byte[] {(byte) 0x8A, 'T', 'u', 't'}).putShort((short) 1).put((byte) name.length).put((byte) 0).putInt(payloadLength)
            .put(name).put(rest);
    }

    private static byte[] written(final ByteBuffer bytes) {
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    /** Returns a hello that the daemon accepts, and the first bytes of a frame. */
    private static byte[] client(final int frameLength, final byte... frame) {
        final String json = "{\"protocol\":" + VERSION + "}";
        return written(hello("client", json.length(), json).putInt(frameLength).put(frame));
    }

    static Stream<Arguments> invalidPeers() {
        final byte[] garbage = new byte[64 << 10];
        new Random(1).nextBytes(garbage);
        return Stream.of(Arguments.of("garbage", garbage),
            Arguments.of("an HTTP request", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII)),
            Arguments.of("a hello of 2 GiB", written(hello("client", TWO_GIBIBYTES_LESS_ONE, "{"))),
            Arguments.of("a hello of a negative length", written(hello("client", NEGATIVE_LENGTH, "{"))),
            Arguments.of("a hello that is no JSON", written(hello("client", 4, "@@@@"))),
            Arguments.of("a hello without a version", written(hello("client", 2, "{}"))),
            Arguments.of("a node without a name", written(hello("node", 14, "{\"protocol\":1}"))),
            Arguments.of("an unknown purpose", written(hello("nonsense", 2, "{}"))),
            Arguments.of("a message of 2 GiB", client(TWO_GIBIBYTES_LESS_ONE, CALL)),
            Arguments.of("a message of a negative length", client(NEGATIVE_LENGTH, CALL)),
            Arguments.of("a message of no known type", client(3, (byte) 99, (byte) '{', (byte) '}')),
            Arguments.of("a message that is no JSON", client(NOTICE.length, NOTICE)));
    }

    private static Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), daemon.port());
    }

    /** Sends bytes and waits until the daemon closes the connection; ignores its answer. */
    private static void sendUntilClosed(final byte[] bytes) throws IOException {
        try (Socket s = connect()) {
            s.setSoTimeout(60_000);
            try {
                s.getOutputStream().write(bytes);
            } catch (final SocketTimeoutException e) {
                throw e;
            } catch (final IOException e) {
                // closed while bytes were being sent
                return;
            }
            assertDropped(s);
        }
    }

    private static void assertDropped(final Socket s) throws IOException {
        try {
            s.getInputStream().readAllBytes();
        } catch (final SocketTimeoutException e) {
            throw new AssertionError("connection is not dropped: limit=" + s.getSoTimeout() + " ms", e);
        } catch (final IOException e) {
            // a reset also drops the connection
            return;
        }
    }

    /** An action of invalid peers. */
    private interface PeerAction {
        void run() throws Exception;
    }

    private static void assertCostsNothing(final PeerAction action) throws Exception {
        // the first job loads and caches what all jobs share
        assertRunsJobs();
        final long heap = DaemonInspector.heap(daemon);
        final long direct = DaemonInspector.nativeMemory(daemon);
        action.run();
        assertRunsJobs();
        // connections that were closed a moment ago may still be on their way out
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            final long moreHeap = DaemonInspector.heap(daemon) - heap;
            final long moreDirect = DaemonInspector.nativeMemory(daemon) - direct;
            assertTrue(moreHeap < MAX_HEAP_BYTES, () -> "heap grows: bytes=" + moreHeap + ", max=" + MAX_HEAP_BYTES);
            assertTrue(moreDirect < MAX_DIRECT_KIBIBYTES, () -> "memory outside the heap grows: KiB=" + moreDirect + ", max=" + MAX_DIRECT_KIBIBYTES);
        });
    }

    @Test
    void shouldAcceptTheHelloAfterWhichInvalidFramesAreSent() throws IOException {
        try (Socket s = connect()) {
            s.setSoTimeout(60_000);
            s.getOutputStream().write(Arrays.copyOf(client(0), client(0).length - Integer.BYTES));
            final byte[] answer = s.getInputStream().readNBytes(12);
            assertEquals(0, answer[6], "version of the control protocol: is it still " + VERSION + "?");
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("invalidPeers")
    void shouldDropAnInvalidPeerAtOnce(final String name, final byte[] bytes) throws Exception {
        sendUntilClosed(bytes);
    }

    @Test
    void shouldRetainNothingOfManyInvalidPeers() throws Exception {
        assertCostsNothing(() -> {
            for (int i = 0; i < 20; i++) {
                for (final Arguments a : invalidPeers().toList()) {
                    sendUntilClosed((byte[]) a.get()[1]);
                }
            }
        });
    }

    @Test
    void shouldRunJobsDuringTwoHundredSilentConnectionsAndDropThem() throws Exception {
        assertCostsNothing(() -> {
            final List<Socket> silent = new ArrayList<>();
            try {
                final Socket half = connect();
                silent.add(half);
                half.getOutputStream().write(written(hello("client", 14, "{\"pro")));
                for (int i = 0; i < SILENT_CONNECTIONS; i++) {
                    silent.add(connect());
                }
                assertRunsJobs();
                for (final Socket s : silent) {
                    s.setSoTimeout(60_000);
                    assertDropped(s);
                }
            } finally {
                for (final Socket s : silent) {
                    s.close();
                }
            }
        });
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldListenOnTheAnnouncedPortAndOnOneForItsJvms() throws Exception {
        final List<Integer> ports = DaemonInspector.listeningPorts(daemon.process.pid());
        assertTrue(ports.contains(daemon.port()), ports::toString);
        assertEquals(2, ports.size(), ports::toString);
    }

    @Test
    void shouldWaitForASilentServerUntilItClosesTheConnectionAndReportItInOneLine() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            final CommandInJvm.Running waits = CommandInJvm.start("run", "--connect", "127.0.0.1:" + silent.getLocalPort(), "-n", "2", "--cp",
                dir.toString(), "Hello");
            try (Socket accepted = silent.accept()) {
                assertEquals(0x8A, accepted.getInputStream().read());
            }
            assertOneLine(waits.end(), "127.0.0.1:" + silent.getLocalPort());
        }
    }

    @Test
    void shouldReportAServerWithAnotherProtocolInOneLine() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().name("other").start(() -> answer(other));
            final TuttiScript.Result r = run("127.0.0.1:" + other.getLocalPort());
            assertOneLine(r, "127.0.0.1:" + other.getLocalPort());
        }
    }

    private static void answer(final ServerSocket server) {
        try (Socket s = server.accept()) {
            s.getOutputStream().write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldReportAPortInUseInOneLine() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            final TuttiScript.Result r = TuttiScript.run(dir, "daemon", "--name", "d", "--listen", "127.0.0.1:" + other.getLocalPort());
            assertOneLine(r, "cannot listen: address=127.0.0.1:" + other.getLocalPort());
        }
    }

    private static void assertOneLine(final TuttiScript.Result r, final String part) {
        assertEquals(3, r.status(), r::toString);
        assertEquals(1, r.err().lines().count(), r::toString);
        assertTrue(r.err().startsWith("tutti: ") && r.err().contains(part), r::toString);
        assertEquals("", r.out(), r::toString);
    }
}
