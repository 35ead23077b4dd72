package tutti.runtime.introspect;

/**
 * Numbers of messages of ranks, point-to-point ones and those of collective calls. What ranks of a node read from each other's memory is no message.
 *
 * @param received      messages that arrived, from ranks of the same node and of others
 * @param receivedBytes bytes of these messages
 * @param sent          messages that were sent to other nodes
 * @param sentBytes     bytes that were sent to other nodes
 */
public record MessageStatistics(long received, long receivedBytes, long sent, long sentBytes) {
    /** Numbers that are all 0. */
    public static final MessageStatistics NONE = new MessageStatistics(0, 0, 0, 0);

    /** Returns the sums of both. */
    public MessageStatistics plus(final MessageStatistics other) {
        return new MessageStatistics(received + other.received, receivedBytes + other.receivedBytes, sent + other.sent, sentBytes + other.sentBytes);
    }
}
