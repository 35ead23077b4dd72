package tutti.cli.hosts;

import tutti.daemon.node.NodeInfo;

/**
 * A host with the number of ranks that it takes.
 *
 * @param host  name or address, possibly with a user: {@code me@a}
 * @param slots number of ranks; 0 means one per core of the host
 */
public record HostSlots(String host, int slots) {
    private static final int MAX_NAME = 63;

    /** Returns the name of the host's node: the host without its user, with characters that a node's name cannot have replaced by a hyphen. */
    public String nodeName() {
        final String name = sshName().substring(host.indexOf('@') + 1).replaceAll("[^A-Za-z0-9._-]", "-").replaceFirst("^[._-]+", "");
        return NodeInfo.checkName(name.length() > MAX_NAME ? name.substring(0, MAX_NAME) : name);
    }

    /** Returns the host for an ssh command line, where an IPv6 address has no brackets. */
    String sshName() {
        return host.replaceAll("[\\[\\]]", "");
    }
}
