package tutti.runtime.transport.shm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkRecorder;
import tutti.runtime.transport.Listener;

/** A process that connects or listens, and lives until it is killed. */
final class PeerProcess implements AutoCloseable {
    static final int FRAMES = 100;
    static final int EXPOSED = 100_000;

    private final Process process;
    private final BufferedReader lines;

    private PeerProcess(final String... arguments) throws IOException {
        final String[] command = {Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), PeerProcess.class.getName()};
        final String[] all = Arrays.copyOf(command, command.length + arguments.length);
        System.arraycopy(arguments, 0, all, command.length, arguments.length);
        process = new ProcessBuilder(all).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts a process that connects and sends frames. */
    static PeerProcess connect(final Path folder, final int port) throws IOException {
        return new PeerProcess(folder.toString(), Integer.toString(port));
    }

    /** Starts a process that listens, returns each frame and sends a key. */
    static PeerProcess listen(final Path folder) throws IOException {
        return new PeerProcess(folder.toString());
    }

    static byte[] frame(final int number) {
        final byte[] frame = new byte[1 + 37 * number];
        Arrays.fill(frame, (byte) number);
        return frame;
    }

    String awaitLine(final String begin) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith(begin)) {
                return line;
            }
        }
        throw new IOException("the process has ended");
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        lines.close();
    }

    public static void main(final String[] arguments) throws Exception {
        final ShmTransport transport = new ShmTransport(ShmSettings.of(Path.of(arguments[0])));
        if (arguments.length > 1) {
            final InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1]));
            final Link link = transport.connect(address, new Hello("test", new byte[0]), new LinkRecorder(), Duration.ofSeconds(60));
            for (int i = 0; i < FRAMES; i++) {
                if (!link.trySend(frame(i), frame(i).length, null, 0, 0)) {
                    throw new IllegalStateException("full");
                }
            }
            System.out.println("sent");
        } else {
            final MemorySegment exposed = Arena.global().allocate(EXPOSED).fill((byte) 7);
            final LinkRecorder echo = new LinkRecorder() {
                @Override
                protected void received(final Link from, final MemorySegment memory, final long offset, final int bytes) {
                    from.trySend(new byte[0], 0, memory, offset, bytes);
                    final byte[] key = from.bulk() == null ? new byte[1] : from.bulk().expose(exposed).key();
                    from.trySend(key, key.length, null, 0, 0);
                }
            };
            final Listener listener = transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (link, hello) -> echo);
            System.out.println("port " + listener.address().getPort());
        }
        new CountDownLatch(1).await(); // until it is killed
    }
}
