package tutti.runtime.inspect;

/**
 * A message that has arrived at a rank and that it has not received.
 *
 * @param communicator name of the communicator
 * @param source       the sender in COMM_WORLD; {@link PendingWait#ELSEWHERE} for a rank of another job
 * @param tag          the tag
 * @param bytes        its length
 */
public record UnreceivedMessage(String communicator, int source, int tag, long bytes) {}
