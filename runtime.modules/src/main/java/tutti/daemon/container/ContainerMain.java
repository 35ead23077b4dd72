package tutti.daemon.container;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;
import tutti.daemon.container.program.ContainerProgram;

/**
 * Main class of a JVM that a node has started, as {@link ContainerCommand} says: starts a framework with bundles of the node, then a
 * {@link ContainerProgram} of these. It is loaded from the class path, so it uses the API of OSGi alone.
 *
 * <p>Arguments: the storage folder, the name of the program, the extra system packages, then the sources of the bundles, {@link BundleSource}.
 */
public final class ContainerMain {
    /** The file in the storage folder in which a JVM that ends itself says why: programs and modules may print whatever they want. */
    public static final String REASON = "ends";
    /** Begins the reason of a container that does not start. */
    public static final String NOT_STARTED = "the container does not start: ";
    /** Property of Felix: whether it sets the factory for stream handlers of URLs. */
    private static final String URL_HANDLERS = "felix.service.urlhandlers";
    private static final int BUNDLES = 3;
    private static final int STATUS = 1;

    private ContainerMain() {}

    /** Runs the program. */
    public static void main(final String[] args) {
        final Path folder = Path.of(args[0]);
        try {
            program(start(folder, args[2], List.of(args).subList(BUNDLES, args.length)), args[1]).run(folder);
        } catch (final Exception | LinkageError e) {
            end(folder, NOT_STARTED + e.toString().lines().findFirst().orElse(""));
        }
    }

    /** Ends this JVM, whose storage folder is given, because of a reason that the node reports. */
    public static void end(final Path folder, final String reason) {
        try {
            Files.writeString(folder.resolve(REASON), reason);
        } catch (final IOException e) {
            System.err.println(reason + ": " + e);
        } finally {
            Runtime.getRuntime().halt(STATUS);
        }
    }

    private static BundleContext start(final Path folder, final String extra, final List<String> sources) throws BundleException, IOException {
        final Map<String, String> config = new HashMap<>();
        config.put(Constants.FRAMEWORK_STORAGE, folder.resolve("container").toString());
        config.put(Constants.FRAMEWORK_STORAGE_CLEAN, Constants.FRAMEWORK_STORAGE_CLEAN_ONFIRSTINIT);
        // the JVM has one factory for stream handlers of URLs, which a program may set; URLs of bundles have their handler
        config.put(URL_HANDLERS, "false");
        config.put(Constants.FRAMEWORK_SYSTEMPACKAGES_EXTRA, (extra.isEmpty() ? "" : extra + ",") + ContainerProgram.class.getPackageName()
            + ";version=" + ContainerProgram.VERSION);
        final Framework framework = ServiceLoader.load(FrameworkFactory.class).findFirst().orElseThrow().newFramework(config);
        framework.start();
        final BundleContext context = framework.getBundleContext();
        final List<Bundle> bundles = new ArrayList<>();
        for (final String source : sources) {
            bundles.add(BundleSource.install(context, source));
        }
        for (final Bundle bundle : bundles) {
            if (bundle.getHeaders("").get(Constants.FRAGMENT_HOST) == null) {
                bundle.start();
            }
        }
        return context;
    }

    private static ContainerProgram program(final BundleContext context, final String name) throws IOException, InvalidSyntaxException {
        // Cause: the bundle of the node does not start in a job JVM or in the process of a proof. Remedy: report it.
        final ServiceReference<ContainerProgram> found = context.getServiceReferences(ContainerProgram.class,
            "(" + ContainerProgram.NAME + "=" + name + ")").stream().findFirst().orElseThrow(() -> new IOException("no program " + name));
        return context.getService(found);
    }
}
