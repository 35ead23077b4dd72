package tutti.runtime.transport.mina;

import org.apache.mina.core.service.IoHandlerAdapter;
import org.apache.mina.core.session.IoSession;

/** Forwards MINA's events to the link of a session: the session was closed, or MINA failed. */
final class SessionEventHandler extends IoHandlerAdapter {

    @Override
    public void sessionClosed(final IoSession session) {
        ((LinkSession) session).link().sessionClosed();
    }

    @Override
    public void exceptionCaught(final IoSession session, final Throwable cause) {
        ((LinkSession) session).link().fail(cause);
    }
}
