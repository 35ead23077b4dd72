package tutti.runtime.transport.mina;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;

/**
 * Measures the round-trip time of a message between two JVMs on loopback, over a link and over a plain blocking
 * channel in the same run. Not a test; run its main method. Arguments: {@code spin} or {@code park}, how the two ranks wait.
 */
final class RoundTrip {
    private static final int[] SIZES = {8, 64 << 10, 1 << 20};
    private static final int BLOCKS = 3;
    private static final int FRAME = Integer.getInteger("frame", WireFormat.MAX_FRAME);
    private static final byte[] HEADER = new byte[8];

    private RoundTrip() {
    }

    public static void main(final String[] args) throws Exception {
        boolean spin = args.length == 0 || !args[0].equals("park");
        if (args.length > 1) {
            serve(spin);
            return;
        }
        Process peer = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED",
            "-cp", System.getProperty("java.class.path"), RoundTrip.class.getName(), spin ? "spin" : "park", "serve")
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(peer.getInputStream(), StandardCharsets.UTF_8))) {
            int linkPort = Integer.parseInt(out.readLine());
            int rawPort = Integer.parseInt(out.readLine());
            try (MinaTransport transport = new MinaTransport()) {
                Rank rank = new Rank(spin);
                rank.link = transport.connect(loopback(linkPort), new Hello("bench", new byte[0]), rank, Duration.ofSeconds(60));
                try (SocketChannel raw = SocketChannel.open(loopback(rawPort))) {
                    raw.setOption(StandardSocketOptions.TCP_NODELAY, true);
                    for (int size : SIZES) {
                        report(size, rank, raw);
                    }
                }
                rank.link.close();
            }
        } finally {
            peer.destroy();
            peer.waitFor();
        }
    }

    private static void report(final int size, final Rank rank, final SocketChannel raw) throws IOException {
        rank.await(size);
        ByteBuffer buffer = ByteBuffer.allocateDirect(size);
        int rounds = rounds(size);
        for (int block = 0; block < BLOCKS; block++) {
            long[] link = new long[rounds];
            for (int i = 0; i < rounds; i++) {
                long from = System.nanoTime();
                rank.send(size);
                rank.await(size);
                link[i] = System.nanoTime() - from;
            }
            long[] plain = new long[rounds];
            ByteBuffer length = ByteBuffer.allocateDirect(4).putInt(0, size);
            for (int i = 0; i < rounds; i++) {
                long from = System.nanoTime();
                writeAll(raw, length.clear());
                writeAll(raw, buffer.clear());
                readAll(raw, buffer.clear());
                plain[i] = System.nanoTime() - from;
            }
            Arrays.sort(link);
            Arrays.sort(plain);
            int middle = rounds / 2;
            int late = rounds * 9 / 10;
            System.out.printf("%8d B: link %8.1f us (p90 %8.1f), plain channel %8.1f us (p90 %8.1f), ratio %.2f%n", size, link[middle] / 1e3,
                link[late] / 1e3, plain[middle] / 1e3, plain[late] / 1e3, (double) link[middle] / plain[middle]);
        }
    }

    private static int rounds(final int size) {
        return size > 100_000 ? 1_000 : size > 1_000 ? 5_000 : 20_000;
    }

    private static void serve(final boolean spin) throws Exception {
        try (MinaTransport transport = new MinaTransport(); ServerSocketChannel server = ServerSocketChannel.open().bind(loopback(0))) {
            Rank rank = new Rank(spin);
            Listener listener = transport.listen(loopback(0), (link, hello) -> {
                rank.link = link;
                return rank;
            });
            System.out.println(listener.address().getPort());
            System.out.println(((InetSocketAddress) server.getLocalAddress()).getPort());
            SocketChannel raw = server.accept();
            raw.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Thread.ofPlatform().daemon().start(() -> echo(raw));
            for (int size : SIZES) {
                rank.send(size);
                for (int i = 1; i <= BLOCKS * rounds(size); i++) {
                    rank.await(size);
                    rank.send(size);
                    if (i % rounds(size) == 0) {
                        rank.idleUntilMore();
                    }
                }
            }
            TimeUnit.SECONDS.sleep(20);
        }
    }

    private static void echo(final SocketChannel raw) {
        ByteBuffer length = ByteBuffer.allocateDirect(4);
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
        try {
            while (true) {
                readAll(raw, length.clear());
                buffer.clear().limit(length.getInt(0));
                readAll(raw, buffer);
                writeAll(raw, buffer.flip());
            }
        } catch (IOException e) {
            System.err.println("plain channel ended: " + e.getMessage());
        }
    }

    private static void writeAll(final SocketChannel channel, final ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private static void readAll(final SocketChannel channel, final ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new IOException("end of stream");
            }
        }
    }

    private static InetSocketAddress loopback(final int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** One of the two ranks: its thread sends and waits, the I/O thread copies received frames into the rank's memory. */

    private static final class Rank implements LinkHandler {
        private final MemorySegment out = Arena.ofAuto().allocate(1 << 20);
        private final MemorySegment in = Arena.ofAuto().allocate(1 << 20);
        private final boolean spin;
        private volatile Link link;
        private volatile long arrived;
        private volatile boolean writable;
        private volatile Thread parked;
        private long consumed;
        private int at;

        Rank(final boolean spin) {
            this.spin = spin;
        }

        void send(final int bytes) {
            for (int offset = 0; offset < bytes; offset += FRAME) {
                int length = Math.min(FRAME, bytes - offset);
                while (!link.trySend(HEADER, HEADER.length, out, offset, length)) {
                    while (!writable) {
                        Thread.onSpinWait();
                    }
                    writable = false;
                }
            }
        }

        void await(final int bytes) {
            consumed += bytes;
            if (spin) {
                while (arrived < consumed) {
                    Thread.onSpinWait();
                }
            } else {
                parked = Thread.currentThread();
                while (arrived < consumed) {
                    LockSupport.park(this);
                }
                parked = null;
            }
        }

        void idleUntilMore() {
            long from = System.nanoTime();
            while (arrived == consumed && System.nanoTime() - from < 5_000_000_000L) {
                LockSupport.parkNanos(100_000);
            }
        }

        @Override
        public void frame(final Link from, final MemorySegment memory, final long offset, final int bytes) {
            int length = bytes - HEADER.length;
            if (at + length > in.byteSize()) {
                at = 0;
            }
            MemorySegment.copy(memory, offset + HEADER.length, in, at, length);
            at += length;
            long total = arrived + length;
            arrived = total;
            Thread waiting = parked;
            if (waiting != null) {
                LockSupport.unpark(waiting);
            }
        }

        @Override
        public void writable(final Link to) {
            writable = true;
        }

        @Override
        public void closed(final Link gone, final Throwable cause) {
            if (cause != null) {
                System.err.println(cause.getMessage());
            }
        }
    }
}
