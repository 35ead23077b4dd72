package tutti.runtime.transport.mina;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A network to a listener, which drops packets: a connection of which it has dropped one stands still in this direction, as TCP does. */
final class LossyNetwork implements AutoCloseable {
    private static final int LONG = 1_000;

    private final InetSocketAddress to;
    private final Drop drop;
    private final ServerSocket server = new ServerSocket(0, 50, Pair.loopback(0).getAddress());
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();

    /** What is dropped. */
    enum Drop {
        /** Long packets to the listener. */
        LONG_TO,
        /** Long packets from the listener. */
        LONG_FROM,
        /** Of the first connection, what comes after the first long packet to the listener; both ways. */
        FIRST,
        /** All packets to and from the listener that come after the first long one. */
        ALL
    }

    LossyNetwork(final InetSocketAddress to, final Drop drop) throws IOException {
        this.to = to;
        this.drop = drop;
        start(this::accept);
    }

    private static void start(final Runnable code) {
        Thread.ofPlatform().daemon().name("lossy-network").start(code);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    private void accept() {
        try {
            while (true) {
                final Socket from = server.accept();
                final Connection connection = new Connection(connections.getAndIncrement(), from, new Socket(to.getAddress(), to.getPort()));
                sockets.addAll(List.of(connection.near, connection.far));
                start(() -> connection.pass(connection.near, connection.far, true));
                start(() -> connection.pass(connection.far, connection.near, false));
            }
        } catch (final IOException e) {
            // closed
        }
    }

    private boolean hasStopped;

    private synchronized boolean isDropped(final int connection, final int bytes, final boolean isTo) {
        hasStopped |= bytes > LONG && isTo;
        return switch (drop) {
            case LONG_TO -> bytes > LONG && isTo;
            case LONG_FROM -> bytes > LONG && !isTo;
            case FIRST -> hasStopped && connection == 0;
            case ALL -> hasStopped;
        };
    }

    private final class Connection {
        private final int index;
        private final Socket near;
        private final Socket far;

        Connection(final int index, final Socket near, final Socket far) {
            this.index = index;
            this.near = near;
            this.far = far;
        }

        void pass(final Socket from, final Socket to, final boolean isTo) {
            final byte[] packet = new byte[64 << 10];
            try {
                final InputStream in = from.getInputStream();
                final OutputStream out = to.getOutputStream();
                boolean isDropping = false;
                for (int bytes = in.read(packet); bytes >= 0; bytes = in.read(packet)) {
                    isDropping |= isDropped(index, bytes, isTo);
                    if (!isDropping) {
                        out.write(packet, 0, bytes);
                    }
                }
                to.shutdownOutput();
            } catch (final IOException e) {
                // the connection is closed
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (final Socket s : sockets) {
            s.close();
        }
    }
}
