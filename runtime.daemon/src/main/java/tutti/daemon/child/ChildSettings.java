package tutti.daemon.child;

import org.jspecify.annotations.Nullable;

/**
 * Settings of the JVM of a job, which its node sends when the JVM starts.
 *
 * @param port       port on loopback on which the node waits for its link
 * @param secret     shows the node who opens the link; for one link
 * @param name       name of the node
 * @param host       host at which other nodes reach this one
 * @param bound      address of the network interface on which the node listens
 * @param ports      the ports of which the JVM takes a free one
 * @param certified  whether links between ranks have TLS
 * @param credential file with the certificate of the node; null for that of the user
 * @param folder     folder for files
 * @param ranks      most ranks of one job on the node
 * @param threads    most threads that the ranks of one job may start
 * @param allThreads most platform threads of the JVM; 0 for what its ranks may have
 */
public record ChildSettings(int port, String secret, String name, String host, String bound, String ports, boolean certified,
    @Nullable String credential, String folder, int ranks, int threads, int allThreads) {
    @Override
    public String toString() {
        return "settings of a JVM of node " + name;
    }
}
