package tutti.daemon.jvm;

import org.jspecify.annotations.Nullable;

/**
 * Settings of a job JVM, which its node sends when the JVM starts.
 *
 * @param port       port on loopback on which the node waits for its links
 * @param secret     shows the node who opens the first link
 * @param name       name of the node
 * @param host       host at which other nodes reach this one
 * @param bound      address of the network interface on which the node listens
 * @param ports      the ports of which the JVM takes a free one
 * @param certified  whether links between ranks have TLS
 * @param credential file with the certificate of the node; null for that of the user
 * @param folder     folder for files
 * @param ranks      most ranks of one job on the node
 * @param threads    most platform threads of the JVM; 0 for the default
 * @param isReused   whether the JVM may serve several jobs, so that it is compared with what it was before each
 */
public record JvmSettings(int port, String secret, String name, String host, String bound, String ports, boolean certified,
    @Nullable String credential, String folder, int ranks, int threads, boolean isReused) {
    @Override
    public String toString() {
        return "settings of a job JVM of node " + name;
    }
}
