package tutti.daemon.settings;

import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.Protocol;

/**
 * Bounds of what others may take of a node. A refusal names the property of the bound.
 *
 * @param ranks       most ranks of one job, {@link NodeProperties#RANKS}
 * @param jobs        most jobs at once, {@link NodeProperties#JOBS}
 * @param modules     most modules that are installed, {@link NodeProperties#MODULES}
 * @param connections most links that commands and other nodes have open, {@link NodeProperties#CONNECTIONS}
 * @param idleMillis  time after which such a link is closed on which nothing happens, in milliseconds, {@link NodeProperties#IDLE}
 * @param messages    most bytes of messages in memory that are not complete or not read, {@link NodeProperties#MESSAGES}
 */
public record NodeLimits(int ranks, int jobs, int modules, int connections, int idleMillis, int messages) {
    /** Limits of a node for which none are set. They fit the JVM of a node as it is shipped. */
    public static final NodeLimits DEFAULT = new NodeLimits(8_192, 256, 256, 4_096, 120_000, 64 << 20);
    /** Share of the connections that commands may have, in quarters; the rest is for nodes. */
    private static final int COMMAND_QUARTERS = 3;
    private static final int MAX_JOBS = 65_536;
    private static final int MAX_CONNECTIONS = 1_000_000;
    private static final int MAX_MILLIS = 86_400_000;

    /** Returns how many links commands may have open. */
    public int commands() {
        return (int) Math.max(1, (long) connections * COMMAND_QUARTERS / 4);
    }

    /** Reads the value of a limit. */
    interface Reader {
        /** Returns the value of a property; {@code byDefault} when it is not set. */
        int number(String property, int min, int max, int byDefault);
    }

    static NodeLimits read(final Reader values) {
        return new NodeLimits(values.number(NodeProperties.RANKS, 1, Protocol.MAX_RANKS, DEFAULT.ranks),
            values.number(NodeProperties.JOBS, 1, MAX_JOBS, DEFAULT.jobs),
            values.number(NodeProperties.MODULES, 1, MAX_JOBS, DEFAULT.modules),
            values.number(NodeProperties.CONNECTIONS, 1, MAX_CONNECTIONS, DEFAULT.connections),
            values.number(NodeProperties.IDLE, 1, MAX_MILLIS, DEFAULT.idleMillis),
            values.number(NodeProperties.MESSAGES, 0, Integer.MAX_VALUE, DEFAULT.messages));
    }
}
