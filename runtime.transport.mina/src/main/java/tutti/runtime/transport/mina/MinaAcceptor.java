package tutti.runtime.transport.mina;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLContext;
import org.apache.mina.core.service.IoProcessor;
import org.apache.mina.transport.socket.nio.NioSession;
import org.apache.mina.transport.socket.nio.NioSocketAcceptor;
import org.jspecify.annotations.Nullable;
import tutti.runtime.transport.LinkAcceptor;

/** MINA's acceptor of one listener, with a thread of its own that only accepts connections. */
final class MinaAcceptor extends NioSocketAcceptor {
    private static final int BACKLOG = 1_024;

    private final TransportSettings settings;
    private final @Nullable SSLContext tls;
    private final IoThreadFactory threads;
    private final HandshakeLimit limit;
    private final HandshakeServer handshakeServer;
    private @Nullable Thread namedThread;

    MinaAcceptor(final LinkProcessor processor, final IoThreadFactory threads, final TransportSettings settings, final LinkAcceptor acceptor,
        final @Nullable SSLContext tls) {
        super(threads, processor);
        this.settings = settings;
        this.tls = tls;
        this.threads = threads;
        this.limit = new HandshakeLimit(settings.maxHandshakes(), Math.min(250, settings.handshakeMillis()));
        this.handshakeServer = new HandshakeServer(acceptor, limit, settings.handshakeMillis());
        setHandler(new SessionEventHandler());
        setReuseAddress(true);
        setBacklog(BACKLOG);
        setCloseOnDeactivation(false);
    }

    /** Binds and starts to accept. */
    void open(final InetSocketAddress address) throws IOException {
        try {
            if (address.isUnresolved()) {
                throw new IOException("unknown host");
            }
            bind(address);
        } catch (IOException | RuntimeException e) {
            close();
            Throwable root = e;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            BindException failure = new BindException("cannot listen: address=" + WireFormat.hostAndPort(address) + ", reason=" + root.getMessage());
            failure.initCause(e);
            throw failure;
        }
    }

    /** Stops accepting and ends the thread. */
    void close() {
        limit.close();
        dispose();
        threads.join(1_000);
    }

    int unfinishedHandshakes() {
        return limit.unfinished();
    }

    @Override
    protected int select() throws Exception {
        if (namedThread != Thread.currentThread()) {
            namedThread = Thread.currentThread();
            threads.restoreName();
        }
        return super.select();
    }

    @Override
    protected @Nullable NioSession accept(final IoProcessor<NioSession> processor, final ServerSocketChannel server) throws Exception {
        SocketChannel channel = server.accept();
        if (channel == null) {
            return null;
        }
        boolean admitted = false;
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            String peer = WireFormat.hostAndPort((InetSocketAddress) channel.getRemoteAddress());
            MinaLink link = MinaLink.accepted(processor, this, channel, peer, settings, handshakeServer,
                tls == null ? null : TlsChannel.accepting(channel, tls));
            admitted = limit.enter(link);
            return admitted ? link.session() : null;
        } catch (IOException e) {
            return null; // the connection was closed before it was accepted
        } finally {
            if (!admitted) {
                channel.close();
            }
        }
    }
}
