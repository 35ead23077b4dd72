package tutti.runtime.job;

/**
 * A node of a job, with the address of a listener of it. The ranks of a node in one JVM are one node of the job: where a node has several JVMs for a
 * job, its name and the number of the JVM name each, for example {@code a/0} and {@code a/1}.
 *
 * @param name the node's name in the cluster, or NAME/NUMBER for one of several JVMs
 * @param host host of the listener
 * @param port port of the listener
 */
public record NodeAddress(String name, String host, int port) {
    private static final char JVM = '/';

    /** Returns the address of a JVM of this node. */
    public NodeAddress jvm(final int number) {
        return new NodeAddress(name + JVM + number, host, port);
    }

    /** Returns the node's name in the cluster. */
    public String node() {
        return nodeOf(name);
    }

    /** Returns the name in the cluster of the node with that name in a job. */
    public static String nodeOf(final String name) {
        final int end = name.indexOf(JVM);
        return end < 0 ? name : name.substring(0, end);
    }

    /** Returns whether that name in a job is one of several JVMs. */
    public static boolean isJvm(final String name) {
        return name.indexOf(JVM) >= 0;
    }

    @Override
    public String toString() {
        return name + " (" + host + ":" + port + ")";
    }
}
