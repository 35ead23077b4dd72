/**
 * Transport over TCP with Apache MINA. Nothing here is exported, and no MINA type leaves the bundle.
 *
 * <pre>{@code
 * MinaTransport -> Connector (connects, handshake) -> ConnectorService --+
 *               -> MinaAcceptor -> HandshakeServer -> HandshakeLimit     +-> LinkSession -> LinkProcessor (I/O thread)
 * LinkProcessor -> MinaLink (one connection) -> FrameReader -> LinkHandler
 *                                            -> OutboundBuffer -> channel
 *                                            -> LinkTimeouts, LinkSilence -> PacketLook: is the peer lost that says nothing?
 * }</pre>
 */
@NullMarked
package tutti.runtime.transport.mina;

import org.jspecify.annotations.NullMarked;
