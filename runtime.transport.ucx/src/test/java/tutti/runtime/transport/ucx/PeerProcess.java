package tutti.runtime.transport.ucx;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkRecorder;

/** A JVM that listens, and answers each frame with the key of some memory, until it is killed. UCX emulates the access to it. */
final class PeerProcess implements AutoCloseable {
    /** Length of the memory. */
    static final int BYTES = 4 << 20;

    private final Process process;
    private final InetSocketAddress address;

    private PeerProcess(final Process process) throws IOException {
        this.process = process;
        final String port = process.inputReader(StandardCharsets.UTF_8).readLine();
        if (port == null) {
            throw new IOException("peer has ended: status=" + process.onExit().join().exitValue());
        }
        this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    }

    static PeerProcess start() throws IOException {
        return new PeerProcess(new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
            PeerProcess.class.getName())).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    InetSocketAddress address() {
        return address;
    }

    /** Stops the process, and waits until none of its threads runs. */
    void stop() throws IOException, InterruptedException {
        signal("STOP");
        await().atMost(Duration.ofSeconds(60)).until(this::isStopped);
    }

    private boolean isStopped() throws IOException {
        try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
            for (final Path thread : threads.toList()) {
                final String state = Files.readString(thread.resolve("stat"));
                if (state.charAt(state.lastIndexOf(')') + 2) != 'T') {
                    return false;
                }
            }
        }
        return true;
    }

    /** Lets the process go on. */
    void goOn() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(final String name) throws IOException, InterruptedException {
        final int status = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start().waitFor();
        if (status != 0) {
            throw new IOException("kill failed: status=" + status);
        }
    }

    /** Kills the process, and waits for its end. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }

    /** Runs the peer. */
    public static void main(final String[] arguments) throws IOException, InterruptedException {
        final UcxTransport transport = new UcxTransport(true);
        final MemorySegment memory = Arena.global().allocate(BYTES, 64);
        final LinkRecorder handler = new LinkRecorder() {
            @Override
            protected void received(final Link from, final MemorySegment frame, final long offset, final int bytes) {
                final byte[] key = from.bulk().expose(memory).key();
                if (!from.trySend(key, key.length, null, 0, 0)) {
                    throw new UncheckedIOException(new IOException("link is full"));
                }
            }
        };
        System.out
            .println(transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (link, hello) -> handler).address().getPort());
        System.out.flush();
        Thread.currentThread().join();
    }
}
