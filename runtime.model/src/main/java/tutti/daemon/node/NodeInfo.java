package tutti.daemon.node;

import java.util.regex.Pattern;

/**
 * Identity of a node, fixed for the lifetime of its daemon.
 *
 * @param name        name, unique in the cluster
 * @param incarnation distinguishes two daemons that had the same name one after the other
 * @param host        host at which other nodes reach it
 * @param port        port of its listener
 * @param pid         id of its process
 * @param java        version of its Java
 * @param cores       processors that it may use
 * @param since       time of its start, in milliseconds of the epoch
 */
public record NodeInfo(String name, String incarnation, String host, int port, long pid, String java, int cores, long since) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

    /** Checks the values that other nodes rely on. */
    public NodeInfo {
        checkName(name);
        if (incarnation == null || incarnation.isBlank()) {
            // Cause: the job ended while a part of it was prepared.
            throw new IllegalArgumentException("incarnation missing: node=" + name);
        }
        new HostPort(host, port);
    }

    /**
     * Checks a node's name, which must be usable as a file name.
     *
     * @return the name
     */
    public static String checkName(final String name) {
        if (name == null || !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("not a node name: '" + name + "', expected 1 to 63 letters, digits, '.', '_' or '-'");
        }
        return name;
    }

    /** Returns whether this is the same process as another node: it may have got a new incarnation, but was not started again. */
    public boolean isSameProcess(final NodeInfo other) {
        return name.equals(other.name) && pid == other.pid && since == other.since;
    }

    /** Returns the address at which other nodes reach it. */
    public HostPort address() {
        return new HostPort(host, port);
    }
}
