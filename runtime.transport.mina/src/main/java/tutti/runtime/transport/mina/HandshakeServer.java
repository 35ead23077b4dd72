package tutti.runtime.transport.mina;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusalPeriod;
import tutti.runtime.transport.RefusedException;

/** Server side of the handshake: accepts, refuses or drops the connections of a listener. Called on the I/O thread. */
final class HandshakeServer {
    private static final Logger LOG = LoggerFactory.getLogger(HandshakeServer.class);
    /** Why a listener without TLS refuses a peer that uses it. */
    private static final String NO_TLS = "this node has no certificate, its peer has one: give both certificates of one authority, or neither";

    private final LinkAcceptor acceptor;
    private final HandshakeLimit limit;
    private final long helloMillis;
    private final RefusalPeriod late = RefusalPeriod.ofOneReason();
    private final RefusalPeriod refused = RefusalPeriod.ofManyReasons();

    HandshakeServer(final LinkAcceptor acceptor, final HandshakeLimit limit, final long helloMillis) {
        this.acceptor = acceptor;
        this.limit = limit;
        this.helloMillis = helloMillis;
    }

    /** Handles received bytes, which are not frames yet. */
    void received(final MinaLink link, final FrameReader reader) {
        Hello hello;
        try {
            if (TlsChannel.isTls(reader.memory(), reader.start(), reader.available())) {
                leave(link);
                link.refuse(NO_TLS);
                return;
            }
            int bytes = HandshakeCodec.helloLength(reader.memory(), reader.start(), reader.available());
            if (reader.available() < bytes) {
                return;
            }
            hello = HandshakeCodec.readHello(reader.memory(), reader.start());
            reader.consume(bytes);
        } catch (ProtocolException.Version e) {
            leave(link);
            link.refuse(String.valueOf(e.getMessage()));
            return;
        } catch (ProtocolException e) {
            LOG.debug("connection dropped: peer={}, reason={}", link.peer(), e.getMessage());
            link.drop();
            return;
        }
        if (leave(link)) {
            decide(link, hello);
        }
    }

    /** Drops a link that has not sent its hello in time. */
    void late(final MinaLink link) {
        long connections = late.count();
        if (connections > 0) {
            // Cause: something connects and says nothing: a port scan, or a load balancer's check. Remedy: keep it away, or ignore it.
            LOG.warn("connections dropped that sent no hello in time: connections={}, last={}, millis={}, limit={}", connections, link.peer(),
                helloMillis, TransportSettings.HELLO);
        }
        link.drop();
    }

    /** Removes a link whose TLS has failed, and logs why. */
    void refused(final MinaLink link, final String reason) {
        leave(link);
        long connections = refused.count();
        if (connections > 0) {
            // Cause: the TLS of a peer failed: it has no certificate, or one of another authority. Remedy: give it one of this cluster.
            LOG.warn("connection refused: peer={}, reason={}{}", link.peer(), reason, connections == 1 ? "" : ", connections=" + connections);
        }
    }

    /** Removes a link whose handshake is complete or whose connection is closed; returns whether it was still in the handshake. */
    boolean leave(final MinaLink link) {
        return limit.leave(link);
    }

    private void decide(final MinaLink link, final Hello hello) {
        if (hello.purpose().equals(PacketLook.PURPOSE)) {
            link.accept(PacketLook.ANSWERS);
            return;
        }
        LinkHandler handler;
        try {
            handler = acceptor.accept(link, hello);
            if (handler == null) {
                throw new IllegalStateException("the acceptor returned no handler: purpose=" + hello.purpose());
            }
        } catch (RefusedException e) {
            link.refuse(String.valueOf(e.getMessage()));
            return;
        } catch (Throwable e) { // no failure may end the thread that serves the other links
            if (refused.count() > 0) {
                // Cause: an internal error, whose stack follows. Remedy: report it.
                LOG.warn("acceptor failed: peer={}, purpose={}", link.peer(), hello.purpose(), e);
            }
            link.refuse("the acceptor failed: " + e);
            return;
        }
        link.accept(handler);
    }
}
