package tutti.daemon.membership;

import org.osgi.annotation.versioning.ConsumerType;
import tutti.daemon.node.NodeInfo;

/** Creates the membership of nodes. Published as a service by a bundle that implements it. Safe for any thread. */
@ConsumerType
@FunctionalInterface
public interface MembershipProvider {

    /**
     * Creates the membership of a node that is alone. It begins to look for others if the settings say how to discover them; otherwise it waits until
     * it joins another node, or another node joins it.
     *
     * @param self     the node
     * @param settings discovery and time limits
     * @param packets  sends packets to other nodes
     * @param listener receives each new view
     * @throws IllegalArgumentException when the settings are not usable; the message says why
     */
    Membership open(NodeInfo self, MembershipSettings settings, PacketSender packets, MembershipListener listener);
}
