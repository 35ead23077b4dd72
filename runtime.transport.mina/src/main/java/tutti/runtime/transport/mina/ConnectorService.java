package tutti.runtime.transport.mina;

import java.util.concurrent.Executor;
import org.apache.mina.core.service.AbstractIoService;
import org.apache.mina.core.service.TransportMetadata;
import org.apache.mina.core.session.IoSessionConfig;
import org.apache.mina.transport.socket.DefaultSocketSessionConfig;

/**
 * MINA service of the links that this side connected.
 *
 * <p>Connection and handshake run on the calling thread, which waits for them anyway (see {@link Connector}), so there is no connector with a
 * selector and a thread of its own.
 */
final class ConnectorService extends AbstractIoService {

    ConnectorService(final Executor executor) {
        super(new DefaultSocketSessionConfig(), executor);
        setHandler(new SessionEventHandler());
    }

    /** Passes a session to its processor. */
    void start(final LinkSession session) {
        initSession(session, null, null);
        session.getProcessor().add(session);
    }

    @Override
    protected void dispose0() {
        // nothing to release: the sessions belong to their processor
    }

    @Override
    public TransportMetadata getTransportMetadata() {
        return LinkSession.METADATA;
    }

    @Override
    public IoSessionConfig getSessionConfig() {
        return sessionConfig;
    }
}
