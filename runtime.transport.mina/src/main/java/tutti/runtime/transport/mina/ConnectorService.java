package tutti.runtime.transport.mina;

import java.util.concurrent.Executor;
import org.apache.mina.core.service.AbstractIoService;
import org.apache.mina.core.service.TransportMetadata;
import org.apache.mina.core.session.IoSessionConfig;
import org.apache.mina.transport.socket.DefaultSocketSessionConfig;

/**
 * The MINA service of the links that this side made.
 *
 * <p>The connection and its handshake are made on the thread that asks for it and waits for it anyway (see {@link Connector}), so there is no
 * connector with a selector and a thread of its own.
 */
final class ConnectorService extends AbstractIoService {

    ConnectorService(final Executor executor) {
        super(new DefaultSocketSessionConfig(), executor);
        setHandler(new SessionEventHandler());
    }

    /** Gives a session to its processor. */
    void start(final LinkSession session) {
        initSession(session, null, null);
        session.getProcessor().add(session);
    }

    @Override
    protected void dispose0() {
        // nothing is open here: the sessions belong to their processor
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
