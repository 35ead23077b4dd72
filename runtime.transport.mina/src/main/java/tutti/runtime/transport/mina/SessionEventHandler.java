package tutti.runtime.transport.mina;

import org.apache.mina.core.service.IoHandlerAdapter;
import org.apache.mina.core.session.IoSession;

/** Hands on what MINA has to say of a session: that it is gone, or that MINA itself failed. */
final class SessionEventHandler extends IoHandlerAdapter {

    @Override
    public void sessionClosed(final IoSession session) {
        ((LinkSession) session).link().gone();
    }

    @Override
    public void exceptionCaught(final IoSession session, final Throwable cause) {
        ((LinkSession) session).link().fail(cause);
    }
}
