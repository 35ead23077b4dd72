package tutti.daemon.membership.jgroups;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.PhysicalAddress;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.NoBundler;
import org.jgroups.protocols.TP;
import org.jgroups.stack.IpAddress;
import tutti.daemon.membership.PacketSender;

/**
 * Transport of a JGroups stack over the links between daemons: it opens no socket. It also reports lost links as suspicions, as FD_SOCK2 does with
 * connections of its own.
 */
final class PacketTransport extends TP {
    /** Above those that JGroups uses itself. */
    private static final short ID = 1_500;

    static {
        ClassConfigurator.addProtocol(ID, PacketTransport.class);
    }

    private final IpAddress self;
    private final PacketSender packets;

    PacketTransport(final InetSocketAddress self, final PacketSender packets) {
        this.self = new IpAddress(self.getAddress(), self.getPort());
        this.packets = packets;
        setId(ID);
        setBindAddress(self.getAddress());
        setBindPort(self.getPort());
        // ranks may keep the threads that run virtual ones busy
        useVirtualThreads(false);
        setBundler(new NoBundler());
    }

    @Override
    public void init() throws Exception {
        super.init();
        // it would listen for probes on a multicast address
        getDiagnosticsHandler().setEnabled(false);
    }

    @Override
    public boolean supportsMulticasting() {
        return false;
    }

    @Override
    protected PhysicalAddress getPhysicalAddress() {
        return self;
    }

    @Override
    public void sendUnicast(final PhysicalAddress to, final byte[] data, final int offset, final int length) {
        final IpAddress address = (IpAddress) to;
        packets.send(new InetSocketAddress(address.getIpAddress(), address.getPort()), Arrays.copyOfRange(data, offset, offset + length));
    }

    /** Returns the address that the member's own address holds: JGroups would have to ask other members for it. */
    @Override
    public PhysicalAddress getPhysicalAddressFromCache(final Address member) {
        final PhysicalAddress known = super.getPhysicalAddressFromCache(member);
        if (known != null || !NodeAddress.is(member)) {
            return known;
        }
        final PhysicalAddress address = MembershipStack.physical(NodeAddress.node(member).address());
        addPhysicalAddressToCache(member, address);
        return address;
    }

    @Override
    public Object down(final Event event) {
        final Object result = super.down(event);
        if (event.getType() == Event.VIEW_CHANGE || event.getType() == Event.TMP_VIEW) {
            // messages to all members go to cached addresses
            event.<View>getArg().forEach(this::getPhysicalAddressFromCache);
        }
        return result;
    }

    /** Passes a packet of another node to the stack. */
    void received(final byte[] packet) {
        receive(null, packet, 0, packet.length);
    }

    /** Suspects those of some members that are at an address. */
    void suspect(final Collection<Address> members, final InetSocketAddress peer) {
        final IpAddress lost = new IpAddress(peer.getAddress(), peer.getPort());
        final List<Address> suspects = members.stream().filter(m -> !m.equals(local_addr) && lost.equals(getPhysicalAddressFromCache(m))).toList();
        if (!suspects.isEmpty()) {
            up_prot.up(new Event(Event.SUSPECT, suspects));
        }
    }
}
