package tutti.daemon.health;

import tutti.runtime.policy.LinkSpeed;

/**
 * What the link of a node to another one carries, as measured by short messages and by 512 KiB.
 *
 * @param to              name of the other node
 * @param roundTripMicros time of a short message and its answer in microseconds; 0 where the nodes are on one machine, which is not measured
 * @param bytesPerSecond  bytes a second to the other node; {@link Long#MAX_VALUE} where the nodes are on one machine
 */
public record LinkQuality(String to, long roundTripMicros, long bytesPerSecond) {

    /** Returns the quality of a link between nodes on one machine. */
    public static LinkQuality onOneMachine(final String to) {
        return new LinkQuality(to, 0, Long.MAX_VALUE);
    }

    /** Returns whether the link was measured. */
    public boolean isMeasured() {
        return bytesPerSecond != Long.MAX_VALUE;
    }

    /** Returns the class of the link. */
    public LinkSpeed speed() {
        return LinkSpeed.ofRate(bytesPerSecond);
    }
}
