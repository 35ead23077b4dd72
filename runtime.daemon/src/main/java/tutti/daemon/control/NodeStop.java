package tutti.daemon.control;

import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.settings.ConfiguredNode;
import tutti.daemon.settings.NodeSettings;

/** Stop of this node, alone or with its framework, as its settings say, and of the other nodes. Safe for any thread. */
@Component(service = NodeStop.class)
public final class NodeStop {
    private static final Logger LOG = LoggerFactory.getLogger(NodeStop.class);

    private final BundleContext context;
    private final ConfiguredNode configured;
    private final NodeSettings.Stop kind;
    private final Cluster cluster;

    /** Creates the stop of a node. */
    @Activate
    public NodeStop(final BundleContext context, @Reference(name = "configured", target = ConfiguredNode.READY) final ConfiguredNode configured,
        @Reference(name = "cluster") final Cluster cluster) {
        this.context = context;
        this.configured = configured;
        this.kind = configured.settings().stop();
        this.cluster = cluster;
    }

    /** Stops another node of the cluster; returns whether there is one. Blocks. */
    boolean stopOther(final String node) {
        return cluster.questions().tell(node, NodeQuestions.class, NodeQuestions::stop);
    }

    /** Stops the other nodes of the cluster. Blocks. */
    void stopOthers() {
        cluster.nodes().stream().skip(1).forEach(n -> stopOther(n.name()));
    }

    /** Stops this node or its framework, on a thread that does not belong to this node: it closes, then the transport sends what was posted. */
    void stop() {
        switch (kind) {
            case NODE -> Thread.ofPlatform().daemon().name("tutti-stop").start(configured::stop);
            case FRAMEWORK -> {
                try {
                    context.getBundle(Constants.SYSTEM_BUNDLE_ID).stop();
                } catch (final BundleException e) {
                    // Cause: the OSGi framework refuses to stop.
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
