package tutti.daemon.control;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.node.NodeProperties;
import tutti.runtime.process.JobThreads;

/**
 * Renewal of a node in whose JVM threads of ended jobs remain: the node takes no jobs, and is restarted when it runs none. A thread that ends later
 * makes that unnecessary.
 *
 * <p><b>Threads.</b> Safe for any thread. One virtual thread looks while threads remain.
 */
final class NodeRenewal implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRenewal.class);
    private static final long PAUSE_MILLIS = 200;

    private final String node;
    private final boolean doesRestart;
    private final Node actions;
    private final Runnable listener = this::wake;
    private final AtomicBoolean isWatching = new AtomicBoolean();
    private volatile boolean wasClosed;
    private volatile boolean isEnded;

    /** Access of a renewal to the node. */
    interface Node {
        /** Returns whether no job runs on the node, nor is coordinated by it. */
        boolean isIdle();

        /** Called when the node takes no jobs any more, and when it takes jobs again. */
        void changed();

        /** Restarts the node, for a reason. */
        void restart(String reason);
    }

    /**
     * Creates the renewal of a node and begins to look.
     *
     * @param node        name of the node
     * @param doesRestart whether the node can restart itself; if not, its container must be restarted
     */
    NodeRenewal(final String node, final boolean doesRestart, final Node actions) {
        this.node = node;
        this.doesRestart = doesRestart;
        this.actions = actions;
        JobThreads.listen(listener);
        wake();
    }

    /** Returns why the node takes no jobs; null when it does. */
    @Nullable
    String refusal() {
        final String remaining = JobThreads.remaining();
        return remaining == null ? null : "node " + node + " takes no jobs: " + remaining + "; " + (doesRestart
            ? "it restarts by itself when it runs no job" : "restart its container")
            + "; until then use other nodes, and for such programs a node with " + NodeProperties.ISOLATION + "=job";
    }

    /** Returns whether there ever was a reason to take no jobs. */
    boolean wasClosed() {
        return wasClosed;
    }

    private void wake() {
        if (isWatching.compareAndSet(false, true)) {
            Thread.ofVirtual().name("tutti-renewal").inheritInheritableThreadLocals(false).start(this::watch);
        }
    }

    private void watch() {
        try {
            boolean isTold = false;
            for (String reason = refusal(); reason != null && !isEnded; reason = refusal()) {
                if (!isTold) {
                    LOG.error("{}", reason);
                    isTold = true;
                    wasClosed = true;
                    actions.changed();
                }
                if (doesRestart && actions.isIdle()) {
                    actions.restart(reason);
                    return;
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
            if (isTold && !isEnded) {
                LOG.info("node {} takes jobs again: the threads have ended", node);
                actions.changed();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            isWatching.set(false);
        }
        if (!isEnded && JobThreads.remaining() != null) {
            wake();
        }
    }

    @Override
    public void close() {
        isEnded = true;
        JobThreads.unlisten(listener);
    }
}
