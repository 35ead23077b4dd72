package tutti.runtime.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Creates links between nodes. Published as a service with the property {@link #SCHEME}, by which jobs choose it: {@code -p transport=SCHEME,...}.
 *
 * <p><b>Use.</b> The daemon may call all methods on any thread, several at once. For each job that names the transport, each node listens on port 0
 * as long as the job runs. Of two nodes for which it is the first that both have and that links them, the one with the lower index connects to the
 * address that the listener of the other returned; nodes of connected jobs do the same. A transport may come and go while the daemon runs: when the
 * service is unregistered, the jobs that use it are ended; the transport then closes its listeners and links.
 *
 * <p><b>Guarantees.</b> A link delivers frames whole, once and in order, or reports that it is closed. Every length that a peer states is
 * checked against the link's limit before memory is allocated for it. A peer that does not finish its handshake in time, or uses another
 * protocol, is dropped without notice to the acceptor. The link of a peer that falls silent and whose host does not answer (an unplugged cable, for
 * example) is reported closed; that of one that is busy or stopped is not. Memory per link is bounded: see {@link Link#trySend}.
 */
@ConsumerType
public interface Transport {
    /**
     * Service property: the scheme, for example {@code tcp}. String; required. Of two transports with the same scheme in a container the first is
     * used; {@code tcp} is always the daemon's own one.
     */
    String SCHEME = "transport.scheme";

    /**
     * Listens for links.
     *
     * @param address  address to bind; port 0 selects any free port. What host and port mean is up to the transport
     * @param acceptor decides on each hello
     * @throws IOException when the address cannot be bound; the message names it
     */
    Listener listen(InetSocketAddress address, LinkAcceptor acceptor) throws IOException;

    /**
     * Opens a link and waits until the peer has accepted it. When its host has answered, the wait goes on as long as the connection is open, since a
     * peer that is busy or stopped answers late. It ends when the thread is interrupted.
     *
     * @param address  address of a listener on that or another node
     * @param hello   sender and purpose of the link
     * @param handler receives the frames
     * @param limit   time in which the host must answer
     * @throws RefusedException when the peer refused the hello, with its reason
     * @throws IOException      when nothing answers at the address in time, or not a Tutti daemon; the message names the address
     */
    Link connect(InetSocketAddress address, Hello hello, LinkHandler handler, Duration limit) throws IOException;

    /**
     * Returns where the peers of this process must be for this transport to reach them: two processes can be linked when both return the same text.
     * Empty, the default, when peers may be anywhere. A transport over the memory of a host returns what identifies this memory.
     *
     * @throws IOException when the transport cannot be used in this process; the message says why and what to do
     */
    default String reach() throws IOException {
        return "";
    }

    /**
     * Returns whether links never leave the host, where the system keeps other users from them. Such links need no TLS: a cluster that demands it
     * for links uses them as they are.
     */
    default boolean isWithinHost() {
        return false;
    }

    /**
     * Removes from the host what processes of this user have left that used the transport and were killed. Called when a process of a job has ended.
     * May take as long as a look at each file.
     */
    default void removeRemains() {
        // by default killed processes leave nothing
    }

    /**
     * Returns this transport with TLS 1.3: each link that it opens or accepts is encrypted, and both sides show a certificate that the other trusts.
     * A peer without TLS reaches the acceptor, which finds no {@link Link#peerCertificate} and refuses it.
     *
     * @param context own certificate, and whose certificates are trusted
     * @throws UnsupportedOperationException when the transport has no TLS
     */
    default Transport secured(final SSLContext context) {
        throw new UnsupportedOperationException("this transport has no TLS: class=" + getClass().getName());
    }
}
