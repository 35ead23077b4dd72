package tutti.daemon.monitor;

/**
 * Node that was lost: it has left the cluster without being stopped.
 *
 * @param name    its name
 * @param address address at which other nodes reached it
 * @param time    time when it was found lost, in milliseconds of the epoch
 * @param reason  why, as the log says it
 */
public record LostNode(String name, String address, long time, String reason) {
}
