package tutti.runtime.transport.ucx;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Socket of a link. After the handshake it carries nothing: the system of the peer's host ends it with the peer's process, and its keep-alive packets
 * tell when the host is gone, while a process that is stopped or busy keeps it open.
 *
 * <p><b>Threads.</b> Used by the thread of the sockets, except of {@link #close}, which any thread may call.
 */
final class PeerSocket implements SocketThread.Member {
    private static final Logger LOG = LoggerFactory.getLogger(PeerSocket.class);
    /** Seconds, seconds and number of packets: a host that is cut off is noticed after 10 s, as over TCP. */
    private static final Map<String, Integer> KEEP_ALIVE = Map.of("TCP_KEEPIDLE", 4, "TCP_KEEPINTERVAL", 2, "TCP_KEEPCOUNT", 3);

    private final SocketThread thread;
    private final SocketChannel channel;
    private final String peer;
    private final @Nullable UcxListener listener;
    private final long since = System.nanoTime();
    private @Nullable SelectionKey key;
    private byte[] in = new byte[Handshake.HEADER];
    private int bytes;
    private Handshake.@Nullable Header header;
    private @Nullable ByteBuffer out;
    private boolean closesThen;
    private volatile @Nullable UcxLink link;

    /** Creates the socket of a connection that has not sent its hello. */
    PeerSocket(final SocketThread thread, final SocketChannel channel, final String peer, final UcxListener listener) {
        this.thread = thread;
        this.channel = channel;
        this.peer = peer;
        this.listener = listener;
    }

    /** Creates the socket of a link whose peer has accepted it. */
    PeerSocket(final SocketThread thread, final SocketChannel channel, final UcxLink link) {
        this.thread = thread;
        this.channel = channel;
        this.peer = link.peer();
        this.listener = null;
        this.link = link;
    }

    /** Sets the options of a socket whose end is noticed. */
    @SuppressWarnings("unchecked") // the type of an option is asked for
    static void configure(final SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        for (SocketOption<?> option : channel.supportedOptions()) {
            Integer value = KEEP_ALIVE.get(option.name());
            if (value != null && option.type() == Integer.class) {
                channel.setOption((SocketOption<Integer>) option, value);
            }
        }
    }

    String peer() {
        return peer;
    }

    /** Returns how long the connection has existed. */
    long nanos() {
        return System.nanoTime() - since;
    }

    /** Sets the link that ends with the socket. */
    void setLink(final UcxLink of) {
        link = of;
    }

    @Override
    public void register(final Selector with) throws IOException {
        key = channel.register(with, SelectionKey.OP_READ, this);
    }

    @Override
    public void ready() {
        try {
            SelectionKey own = key;
            if (own != null && own.isWritable()) {
                write();
            }
            while (channel.isOpen()) {
                if (link != null) {
                    watch();
                    return;
                }
                int count = channel.read(ByteBuffer.wrap(in, bytes, in.length - bytes));
                if (count < 0) {
                    close();
                }
                if (count <= 0) {
                    return;
                }
                bytes += count;
                received();
            }
        } catch (IOException | CancelledKeyException e) {
            LOG.debug("connection dropped: peer={}, reason={}", peer, e.getMessage());
            close();
        }
    }

    /** Notices the end of the socket. */
    private void watch() throws IOException {
        int count = channel.read(ByteBuffer.allocate(1));
        if (count > 0) {
            throw new IOException("peer sends more than its hello or its answer");
        }
        if (count < 0) {
            close();
        }
    }

    private void received() throws IOException {
        UcxListener to = listener;
        if (to == null || closesThen) {
            throw new IOException("peer sends more than its hello");
        }
        Handshake.Header known = header;
        if (known == null) {
            Handshake.checkStart(in, bytes);
        }
        if (bytes < in.length) {
            return;
        }
        if (known != null) {
            to.hello(this, known, ByteBuffer.wrap(in));
            return;
        }
        known = Handshake.helloHeader(in);
        header = known;
        String misfit = to.misfit(known);
        if (misfit != null) {
            to.refuse(this, misfit);
            return;
        }
        in = new byte[known.octet() + known.first() + known.address()];
        bytes = 0;
    }

    /**
     * Sends an answer.
     *
     * @param closes whether the connection is closed then
     */
    void answer(final ByteBuffer answer, final boolean closes) throws IOException {
        out = answer;
        closesThen = closes;
        write();
    }

    private void write() throws IOException {
        ByteBuffer left = out;
        SelectionKey own = key;
        if (left == null || own == null) {
            return;
        }
        channel.write(left);
        if (left.hasRemaining()) {
            own.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            return;
        }
        out = null;
        own.interestOps(SelectionKey.OP_READ);
        if (closesThen) {
            close();
        }
    }

    @Override
    public void tick() {
        if (listener != null && link == null) {
            listener.checkTime(this);
        }
    }

    /** Closes the socket, and so tells the peer and the link. Idempotent. */
    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("socket cannot be closed: peer={}", peer, e);
        }
        thread.wake();
        if (listener != null) {
            listener.leave(this);
        }
        UcxLink of = link;
        if (of != null) {
            of.peerGone();
        }
    }
}
