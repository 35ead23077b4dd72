package tutti.runtime.job;

/**
 * A node of a job, with the address of its listener.
 *
 * @param name the node's name in the cluster
 * @param host host of the node's listener
 * @param port port of the node's listener
 */
public record NodeAddress(String name, String host, int port) {
    @Override
    public String toString() {
        return name + " (" + host + ":" + port + ")";
    }
}
