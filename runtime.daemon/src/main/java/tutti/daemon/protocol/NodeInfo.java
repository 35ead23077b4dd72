package tutti.daemon.protocol;

import java.util.regex.Pattern;

/**
 * Who a node is. Fixed from the start of its daemon to its end.
 *
 * @param name        unique in the cluster
 * @param incarnation tells two daemons apart that had the same name one after the other
 * @param host        where others reach it
 * @param port        of its listener
 * @param pid         of its process
 * @param java        version of its Java
 * @param cores       processors that it may use
 * @param since       when it started, in milliseconds of the epoch
 */
public record NodeInfo(String name, String incarnation, String host, int port, long pid, String java, int cores, long since) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");

    /** Checks what other nodes rely on. */
    public NodeInfo {
        checkName(name);
        if (incarnation == null || incarnation.isBlank()) {
            throw new IllegalArgumentException("incarnation missing: node=" + name);
        }
        new HostPort(host, port);
    }

    /**
     * Refuses names that would not do as a file name.
     *
     * @return the name
     */
    public static String checkName(final String name) {
        if (name == null || !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("not a node name: '" + name + "', expected 1 to 63 letters, digits, '.', '_' or '-'");
        }
        return name;
    }

    /** Where others reach it. */
    public HostPort address() {
        return new HostPort(host, port);
    }
}
