package tutti.runtime.transport.mina;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.service.DefaultTransportMetadata;
import org.apache.mina.core.service.IoProcessor;
import org.apache.mina.core.service.IoService;
import org.apache.mina.core.service.TransportMetadata;
import org.apache.mina.core.session.IoSessionConfig;
import org.apache.mina.transport.socket.DefaultSocketSessionConfig;
import org.apache.mina.transport.socket.SocketSessionConfig;
import org.apache.mina.transport.socket.nio.NioSession;

/** MINA's view of a link: its channel, from registration to removal. Data bypasses it, see {@link LinkProcessor}. */
final class LinkSession extends NioSession {
    static final TransportMetadata METADATA =
        new DefaultTransportMetadata("tutti", "socket", false, true, InetSocketAddress.class, SocketSessionConfig.class, IoBuffer.class);

    private final MinaLink link;
    private boolean endsWithProcess;

    LinkSession(final IoProcessor<NioSession> processor, final IoService service, final SocketChannel channel, final MinaLink link) {
        super(processor, service, channel);
        this.link = link;
        config = new DefaultSocketSessionConfig();
    }

    MinaLink link() {
        return link;
    }

    /** Keeps the channel open when the session is removed. */
    void setEndsWithProcess() {
        endsWithProcess = true;
    }

    boolean endsWithProcess() {
        return endsWithProcess;
    }

    @Override
    public SocketChannel getChannel() {
        return (SocketChannel) channel;
    }

    @Override
    public TransportMetadata getTransportMetadata() {
        return METADATA;
    }

    @Override
    public IoSessionConfig getConfig() {
        return config;
    }

    @Override
    public SocketAddress getRemoteAddress() {
        return getChannel().socket().getRemoteSocketAddress();
    }

    @Override
    public SocketAddress getLocalAddress() {
        return getChannel().socket().getLocalSocketAddress();
    }

    @Override
    public SocketAddress getServiceAddress() {
        return getLocalAddress();
    }

    @Override
    public boolean isSecured() {
        return false;
    }
}
