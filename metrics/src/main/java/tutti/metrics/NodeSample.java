package tutti.metrics;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import tutti.daemon.monitor.NodeCounts;
import tutti.daemon.monitor.NodeMonitor;
import tutti.daemon.node.NodeReport;
import tutti.runtime.introspect.MessageStatistics;

/** State and numbers of a node, read once a second at the most, whatever reads them. Safe for any thread. */
final class NodeSample {
    private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final NodeMonitor node;
    private final LongSupplier clock;
    private @Nullable Values values;
    private long read;

    /** Counts and report of the node at one time. */
    record Values(NodeReport report, NodeCounts counts) {}

    /**
     * Creates a sample that has read nothing yet.
     *
     * @param clock returns the time in nanoseconds
     */
    NodeSample(final NodeMonitor node, final LongSupplier clock) {
        this.node = node;
        this.clock = clock;
    }

    synchronized Values now() {
        final long time = clock.getAsLong();
        Values current = values;
        if (current == null || time - read >= FRESH_NANOS) {
            current = new Values(node.report(), node.counts());
            values = current;
            read = time;
        }
        return current;
    }

    NodeReport report() {
        return now().report();
    }

    MessageStatistics messages() {
        return report().load().messages();
    }

    NodeCounts counts() {
        return now().counts();
    }
}
