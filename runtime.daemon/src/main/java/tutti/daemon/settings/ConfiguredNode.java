package tutti.daemon.settings;

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.ConfigurationPolicy;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Modified;
import org.osgi.service.metatype.annotations.Designate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.modules.ModuleSettings;
import tutti.daemon.node.NodeProperties;

/**
 * The node of this container as it is configured.
 *
 * <p>While the settings are complete and valid, this component registers itself as a service with the node's name, and the components of the node
 * run. Without a name there is no service and no node. With a value that is not valid the service has the reason instead of a name. When the
 * settings change, the service is replaced by a new one, which restarts the node. A configuration that sets nothing else restarts nothing.
 *
 * <p>Changes are made one after the other in a thread of their own. The thread that tells of a change is the one in which Config Admin tells all
 * listeners; File Install, for one, takes a file that changes while the node restarts in that thread for the one it has read, and writes the old
 * values into it.
 *
 * <p>Safe for any thread.
 */
@Component(service = {}, immediate = true, configurationPid = NodeProperties.PID, configurationPolicy = ConfigurationPolicy.OPTIONAL)
@Designate(ocd = NodeConfiguration.class)
public final class ConfiguredNode implements ModuleSettings {
    /** Filter of the service of a node that can start. */
    public static final String READY = "(" + NodeProperties.NAME + "=*)";
    private static final Logger LOG = LoggerFactory.getLogger(ConfiguredNode.class);

    private final BundleContext context;
    private final ExecutorService changes = Executors.newSingleThreadExecutor(Thread.ofVirtual().name("tutti-configuration").factory());
    private volatile @Nullable NodeSettings settings;
    private @Nullable ServiceRegistration<?> registration;

    /** Creates the node of the container. */
    @Activate
    public ConfiguredNode(final BundleContext context) {
        this.context = context;
    }

    /**
     * Sets the first configuration, and starts the node if it has all that a node needs.
     *
     * @param configuration attributes without their prefix; those that it lacks are read from the framework properties
     */
    @Activate
    public synchronized void configure(final Map<String, ?> configuration) {
        try {
            final NodeSettings next = NodeSettings.read(property -> {
                final Object value = configuration.get(property.substring(NodeProperties.PREFIX.length()));
                return value == null ? context.getProperty(property) : value;
            }, context.getDataFile("node").toPath());
            if (registration != null && Objects.equals(next, settings)) {
                return;
            }
            stop();
            if (next == null) {
                LOG.info("no node: set name in configuration {}, or framework property {}", NodeProperties.PID, NodeProperties.NAME);
            } else {
                publish(next, Map.of(NodeProperties.NAME, next.name()), ConfiguredNode.class, ModuleSettings.class);
            }
        } catch (final IllegalArgumentException e) {
            stop();
            // Cause: a value of the node's [configuration](felix.md) is wrong. Remedy: the message says which and what is expected.
            LOG.error("node is not started: {}", e.getMessage());
            publish(null, Map.of(NodeProperties.FAILURE, e.getMessage()), ConfiguredNode.class);
        }
    }

    /** Sets a configuration, and starts, restarts or stops the node when its settings have changed. Returns before. */
    @Modified
    void change(final Map<String, ?> configuration) {
        changes.execute(() -> configure(configuration));
    }

    /** Ends the changes, and stops the node. Returns when it is stopped. */
    @Deactivate
    void close() {
        changes.close();
        stop();
    }

    private void publish(final @Nullable NodeSettings next, final Map<String, String> properties, final Class<?>... types) {
        settings = next;
        registration = context.registerService(Stream.of(types).map(Class::getName).toArray(String[]::new), this,
            FrameworkUtil.asDictionary(properties));
    }

    /** Stops the node, which then starts again when its configuration changes or this bundle is started. Returns when it is stopped. */
    public synchronized void stop() {
        if (registration != null) {
            registration.unregister();
            registration = null;
        }
    }

    /** Returns the settings of the node that is running. */
    public NodeSettings settings() {
        return Objects.requireNonNull(settings, "node is not configured");
    }

    @Override
    public Path moduleFolder() {
        return settings().folder().resolve("modules");
    }

    @Override
    public @Nullable Path moduleSigners() {
        return settings().access().signers();
    }

    @Override
    public int maxModules() {
        return settings().limits().modules();
    }
}
