package tutti.daemon.control;

import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.settings.ConfiguredNode;
import tutti.daemon.settings.NodeSettings;

/** Stop of a node, alone or with its framework, as its settings say. Safe for any thread. */
final class NodeStop {
    private static final Logger LOG = LoggerFactory.getLogger(NodeStop.class);

    private final BundleContext context;
    private final ConfiguredNode configured;
    private final NodeSettings.Stop kind;

    NodeStop(final BundleContext context, final ConfiguredNode configured, final NodeSettings.Stop kind) {
        this.context = context;
        this.configured = configured;
        this.kind = kind;
    }

    /** Stops this node or its framework, on a thread that does not belong to this node: it closes, then the transport sends what was posted. */
    void stop() {
        switch (kind) {
            case NODE -> Thread.ofPlatform().daemon().name("tutti-stop").start(configured::stop);
            case FRAMEWORK -> {
                try {
                    context.getBundle(Constants.SYSTEM_BUNDLE_ID).stop();
                } catch (final BundleException e) {
                    LOG.error("framework cannot be stopped: end its process", e);
                }
            }
        }
    }

    /** Returns whether the framework is stopping, which stops with its node. */
    boolean isFrameworkStopping() {
        return kind == NodeSettings.Stop.FRAMEWORK && context.getBundle(Constants.SYSTEM_BUNDLE_ID).getState() == Bundle.STOPPING;
    }
}
