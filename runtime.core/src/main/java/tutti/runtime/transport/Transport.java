package tutti.runtime.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Makes links between nodes. Published as a service with the property {@link #SCHEME}.
 *
 * <p><b>Promises.</b> A link carries frames whole, once and in order, or reports itself closed. Every length that a peer states is
 * checked against the link's cap before memory is set aside for it. A peer that does not finish its handshake in time, or speaks another
 * protocol, is dropped without a word to the acceptor. A peer that falls silent (a pulled cable) is found by heartbeats and its link is
 * reported closed. Memory per link is bounded: see {@link Link#trySend}.
 */
@ConsumerType
public interface Transport {
    /** Service property: the scheme, {@code tcp} for one. String; required. */
    String SCHEME = "transport.scheme";

    /**
     * Listens for links.
     *
     * @param address where; port 0 takes any free port
     * @param acceptor decides on each hello
     * @throws IOException when the address cannot be bound; the message names it
     */
    Listener listen(InetSocketAddress address, LinkAcceptor acceptor) throws IOException;

    /**
     * Makes a link and waits until the peer has welcomed it.
     *
     * @param hello   who asks, and what for
     * @param handler gets the frames
     * @param limit   how long the whole may take
     * @throws RefusedException when the peer refused the hello, with its reason
     * @throws IOException      when nothing answers there in time, or something that is no Tutti daemon; the message names the address
     */
    Link connect(InetSocketAddress address, Hello hello, LinkHandler handler, Duration limit) throws IOException;
}
