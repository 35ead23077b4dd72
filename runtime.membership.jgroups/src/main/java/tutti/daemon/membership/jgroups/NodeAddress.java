package tutti.daemon.membership.jgroups;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jgroups.Address;
import org.jgroups.util.ExtendedUUID;
import tutti.daemon.node.NodeInfo;

/**
 * Codec of a member's address, which holds the node: a view thus names its nodes, and nobody has to ask for them. Values of an address have 255
 * bytes at most.
 */
final class NodeAddress {
    private static final String NAME = "n";
    private static final String INCARNATION = "i";
    private static final String HOST = "h";
    private static final String REST = "r";

    private NodeAddress() {}

    /** Returns a new address for a node. */
    static Address of(final NodeInfo node) {
        return ExtendedUUID.randomUUID(node.name()).put(NAME, bytes(node.name())).put(INCARNATION, bytes(node.incarnation()))
            .put(HOST, bytes(node.host()))
            .put(REST, bytes(node.port() + " " + node.pid() + " " + node.cores() + " " + node.since() + " " + node.java()));
    }

    /** Returns whether an address is that of a node. */
    static boolean is(final Address address) {
        return address instanceof final ExtendedUUID id && id.get(NAME) != null;
    }

    /** Returns the node of an address. */
    static NodeInfo node(final Address address) {
        final ExtendedUUID id = (ExtendedUUID) address;
        final String[] rest = text(id, REST).split(" ", 5);
        return new NodeInfo(text(id, NAME), text(id, INCARNATION), text(id, HOST), Integer.parseInt(rest[0]), Long.parseLong(rest[1]), rest[4],
            Integer.parseInt(rest[2]), Long.parseLong(rest[3]));
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(final ExtendedUUID id, final String key) {
        return new String(Objects.requireNonNull(id.get(key), key), StandardCharsets.UTF_8);
    }
}
