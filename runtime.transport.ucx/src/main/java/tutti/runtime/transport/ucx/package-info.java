/**
 * Transport over UCX, for fabrics with remote direct memory access. The system's libucp is called by the foreign function interface; nothing here is
 * exported.
 *
 * <pre>{@code
 * UcxTransport -> Connector (connects, handshake) ----------+
 *              -> UcxListener -> Handshake -> LinkAcceptor  +-> UcxLink -> Worker (libucp), FramesIn, FramesOut, Accesses
 * SocketThread: accepts, reads hellos, and waits for the end of the sockets of open links (PeerSocket)
 * UcxThread:    serves the links that no other thread polls
 * UcxLink.bulk -> UcxBulk -> Access -> Accesses, where Devices have remote memory access
 * Worker, UcxBulk -> UcxContext -> Ucp (the functions of libucp)
 * }</pre>
 */
@NullMarked
package tutti.runtime.transport.ucx;

import org.jspecify.annotations.NullMarked;
