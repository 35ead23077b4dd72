/**
 * Transport {@code uds}: an example of a transport, over Unix domain sockets. A transport's bundle exports no package.
 *
 * <pre>{@code
 *   UdsTransport: connect -> Handshake -> UdsLink
 *                 listen  -> UdsListener -> UdsLink -> Handshake -> LinkAcceptor
 *   IoLoop: one thread, which calls UdsListener and UdsLink when their channels are ready
 *   UdsLink.trySend: on any thread
 * }</pre>
 */
package com.example.transport.uds;
