package tutti.daemon.container;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;

/**
 * Container with bundles of a node in a JVM that the node has started, as {@link ContainerCommand} says. It is loaded from the class path, so it
 * uses the API of OSGi alone.
 */
public final class JvmContainer {
    /** Property of Felix: whether it sets the factory for stream handlers of URLs. */
    private static final String URL_HANDLERS = "felix.service.urlhandlers";

    private JvmContainer() {}

    /**
     * Starts the container and its bundles.
     *
     * @param args the storage folder, the extra system packages, then the sources of the bundles, {@link BundleSource}
     * @return the context of the framework
     */
    public static BundleContext start(final String... args) throws BundleException, IOException {
        final Map<String, String> config = new HashMap<>();
        config.put(Constants.FRAMEWORK_STORAGE, args[0] + File.separator + "container");
        config.put(Constants.FRAMEWORK_STORAGE_CLEAN, Constants.FRAMEWORK_STORAGE_CLEAN_ONFIRSTINIT);
        // the JVM has one factory for stream handlers of URLs, which a program may set; URLs of bundles have their handler
        config.put(URL_HANDLERS, "false");
        if (!args[1].isEmpty()) {
            config.put(Constants.FRAMEWORK_SYSTEMPACKAGES_EXTRA, args[1]);
        }
        final Framework framework = ServiceLoader.load(FrameworkFactory.class).findFirst().orElseThrow().newFramework(config);
        framework.start();
        final BundleContext context = framework.getBundleContext();
        final List<Bundle> bundles = new ArrayList<>();
        for (final String source : List.of(args).subList(2, args.length)) {
            bundles.add(BundleSource.install(context, source));
        }
        for (final Bundle bundle : bundles) {
            if (bundle.getHeaders("").get(Constants.FRAGMENT_HOST) == null) {
                bundle.start();
            }
        }
        return context;
    }
}
