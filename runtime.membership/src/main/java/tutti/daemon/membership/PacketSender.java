package tutti.daemon.membership;

import java.net.InetSocketAddress;
import org.osgi.annotation.versioning.ConsumerType;

/** Sends packets to other nodes; a packet may be lost, and arrives at most once. Safe for any thread. */
@ConsumerType
@FunctionalInterface
public interface PacketSender {

    /** Sends a packet to the node that listens on an address. Does not block. */
    void send(InetSocketAddress to, byte[] packet);
}
