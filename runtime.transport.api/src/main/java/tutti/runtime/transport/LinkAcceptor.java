package tutti.runtime.transport;

import org.osgi.annotation.versioning.ConsumerType;

/** Decides on incoming links. Called on a thread of the transport; must not block. */
@ConsumerType
@FunctionalInterface
public interface LinkAcceptor {

    /**
     * Accepts or refuses a link. No frame is delivered before this method returns; the handler may send from then on.
     *
     * @return the handler that receives the link's frames
     * @throws RefusedException with the reason for the peer
     */
    LinkHandler accept(Link link, Hello hello) throws RefusedException;
}
