package tutti.daemon.membership.jgroups;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.JChannel;
import org.jgroups.PhysicalAddress;
import org.jgroups.Receiver;
import org.jgroups.protocols.FILE_PING;
import org.jgroups.protocols.MPING;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.dns.DNS_PING;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.IpAddress;
import org.jgroups.stack.Protocol;
import org.jspecify.annotations.Nullable;
import tutti.daemon.membership.MembershipSettings;
import tutti.daemon.membership.PacketSender;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;

/** A channel with the protocols of membership: discovery, merge, failure detection, reliable messages, views. */
final class MembershipStack {
    private static final String CLUSTER = "tutti";
    /** Time to find nodes that are expected. */
    private static final long JOIN_MILLIS = 2_000;
    /** Time of a suspected node to answer. */
    private static final long VERIFY_MILLIS = 800;
    private static final long LEAVE_MILLIS = 500;
    /** Time between two messages of the same content. */
    private static final long REPEAT_MILLIS = 1_000;
    private static final long MERGE_MIN_MILLIS = 1_000;
    private static final long MERGE_MAX_MILLIS = 3_000;

    private final PacketTransport transport;
    private final TCPPING list = new TCPPING();
    private final PromptMerge merge = new PromptMerge();
    private final JChannel channel;
    private final boolean expectsOthers;
    /** Null when nodes do not find each other by files. */
    private final @Nullable DiscoveryFiles files;
    private @Nullable Future<?> repeated;

    /**
     * Creates a stack that is not connected.
     *
     * @param known addresses of other nodes
     * @throws Exception when JGroups refuses the settings
     */
    MembershipStack(final NodeInfo self, final MembershipSettings settings, final PacketSender packets, final Collection<PhysicalAddress> known,
        final Receiver receiver) throws Exception {
        this.transport = new PacketTransport(self.address().socketAddress(), packets);
        final List<Protocol> protocols = new ArrayList<>();
        protocols.add(transport);
        protocols.add(discovery(settings));
        protocols.add(merge.setMinInterval(MERGE_MIN_MILLIS).setMaxInterval(MERGE_MAX_MILLIS));
        protocols.add(new ProcessDetection(settings.silenceMillis()));
        protocols.add(new VERIFY_SUSPECT2().setTimeout(VERIFY_MILLIS));
        protocols.add(new NAKACK2().useMcastXmit(false));
        protocols.add(new UNICAST3());
        protocols.add(new STABLE());
        // a node that expects nobody does not wait for answers
        expectsOthers = !known.isEmpty() || settings.discovery() != MembershipSettings.Discovery.LIST;
        protocols.add(new GMS().printLocalAddress(false).setJoinTimeout(expectsOthers ? JOIN_MILLIS : 1).setMaxJoinAttempts(3)
            .setLeaveTimeout(LEAVE_MILLIS));
        know(known);
        files = settings.discovery() == MembershipSettings.Discovery.FILE
            ? DiscoveryFiles.open(Path.of(settings.place()), CLUSTER, self.name()) : null;
        channel = new JChannel(protocols).addAddressGenerator(() -> NodeAddress.of(self)).name(self.name()).setReceiver(receiver);
    }

    private Protocol discovery(final MembershipSettings settings) throws UnknownHostException {
        return switch (settings.discovery()) {
            // it would keep the addresses of all members that there ever were
            case LIST -> list.setPortRange(0).setValue("max_dynamic_hosts", 1);
            case FILE -> new FILE_PING().setLocation(settings.place());
            case MULTICAST -> {
                final HostPort group = HostPort.parse(settings.place());
                yield new MPING().setMcastAddr(InetAddress.getByName(group.host())).setMcastPort(group.port());
            }
            case DNS -> new DNS_PING().setDNSQuery(settings.place());
        };
    }

    /** Returns an address as JGroups has it. */
    static PhysicalAddress physical(final HostPort node) {
        final InetSocketAddress address = node.socketAddress();
        return new IpAddress(address.getAddress(), address.getPort());
    }

    /** Sets the addresses at which other nodes of the cluster may be. */
    void know(final Collection<PhysicalAddress> addresses) {
        list.setInitialHosts2(List.copyOf(addresses));
    }

    /** Returns whether there may be nodes that it finds when it connects. */
    boolean expectsOthers() {
        return expectsOthers;
    }

    PacketTransport transport() {
        return transport;
    }

    JChannel channel() {
        return channel;
    }

    /** Joins the cluster of the nodes that it finds, or begins a new one. Blocks. */
    void connect() throws Exception {
        channel.connect(CLUSTER);
    }

    /** Looks for parts of the cluster that are not in the view. Does not block. */
    void seek() {
        merge.sendInfo();
    }

    /**
     * Calls a function that sends a message, at once and then at intervals until the channel is closed: a member that has not yet accepted the
     * sender's view drops what it receives. Replaces the function of an earlier call. Does not block.
     */
    synchronized void repeat(final Runnable send) {
        if (repeated != null) {
            repeated.cancel(false);
        }
        repeated = transport.getTimer().scheduleWithFixedDelay(send, 0, REPEAT_MILLIS, TimeUnit.MILLISECONDS);
    }

    Address address() {
        return channel.getAddress();
    }

    void close() {
        channel.close();
        if (files != null) {
            files.close();
        }
    }
}
