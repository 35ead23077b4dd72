package tutti.runtime.job;

/**
 * A node of a job, with the address of a listener of it.
 *
 * @param name the node's name in the cluster
 * @param host host of the listener
 * @param port port of the listener
 */
public record NodeAddress(String name, String host, int port) {
    @Override
    public String toString() {
        return name + " (" + host + ":" + port + ")";
    }
}
