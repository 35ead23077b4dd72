package tutti.runtime.job;

/**
 * A node of a job.
 *
 * @param name the node's name in the cluster
 * @param host where its listener can be reached
 * @param port of its listener
 */
public record NodeAddress(String name, String host, int port) {
    @Override
    public String toString() {
        return name + " (" + host + ":" + port + ")";
    }
}
