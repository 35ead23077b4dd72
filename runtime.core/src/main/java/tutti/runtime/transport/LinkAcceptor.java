package tutti.runtime.transport;

import org.osgi.annotation.versioning.ConsumerType;

/** Decides on incoming links. Called on a thread of the transport; must not block. */
@ConsumerType
@FunctionalInterface
public interface LinkAcceptor {

    /**
     * Takes a link or refuses it. No frame is delivered before this returns; the handler may send from then on.
     *
     * @return the handler that gets the link's frames
     * @throws RefusedException with the reason for the peer
     */
    LinkHandler accept(Link link, Hello hello) throws RefusedException;
}
