package tutti.daemon.container;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.namespace.HostNamespace;
import org.osgi.framework.wiring.BundleWiring;
import tutti.coll.ProvidesCollectives;

/** Command line of a JVM whose framework gets bundles of this container. */
public final class ContainerCommand {
    private static final String REFERENCE = "^reference:";

    private ContainerCommand() {}

    /**
     * Returns the command line: the JVM with its options, {@link ContainerMain} with the folder and the name of a program, the extra packages of the
     * framework, and sources of bundles: that of the program, those with modules, those that publish services of the given types, and those that
     * these are wired to. Others of the container may do anything when they start.
     *
     * @param folder   storage folder of the JVM
     * @param name     name of the program
     * @param program  a class of its bundle
     * @param services names of types
     * @param excluded tells by the location of a bundle that it is left out
     * @throws IOException when this container does not tell what such a JVM needs
     */
    public static List<String> of(final BundleContext context, final List<String> options, final Path folder, final String name,
        final Class<?> program, final List<String> services, final Predicate<String> excluded) throws IOException {
        final List<String> command = new ArrayList<>();
        // Cause: the system does not say how this JVM was started, so no job JVM can be. Remedy: report it.
        command.add(ProcessHandle.current().info().command().orElseThrow(() -> new IOException("the command of this JVM is unknown")));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath(context), ContainerMain.class.getName(), folder.toString(), name));
        final String extra = context.getProperty(Constants.FRAMEWORK_SYSTEMPACKAGES_EXTRA);
        command.add(extra == null ? "" : extra);
        final Set<Bundle> needed = needed(context, program, services);
        for (final Bundle bundle : context.getBundles()) {
            final String location = bundle.getLocation().replaceFirst(REFERENCE, "");
            final boolean isRunning = bundle.getState() == Bundle.ACTIVE || bundle.getState() == Bundle.STARTING
                || bundle.getState() == Bundle.RESOLVED && bundle.getHeaders("").get(Constants.FRAGMENT_HOST) != null;
            if (needed.contains(bundle) && isRunning && !excluded.test(location)) {
                command.add(BundleSource.of(context, bundle));
            }
        }
        return command;
    }

    private static Set<Bundle> needed(final BundleContext context, final Class<?> program, final List<String> services) throws IOException {
        final Set<Bundle> needed = new LinkedHashSet<>();
        final Deque<Bundle> open = new ArrayDeque<>();
        open.add(FrameworkUtil.getBundle(program));
        Stream.of(context.getBundles()).filter(ContainerCommand::hasModules).forEach(open::add);
        for (final String type : services) {
            open.addAll(publishers(context, type));
        }
        while (!open.isEmpty()) {
            final Bundle bundle = open.remove();
            final BundleWiring wiring = bundle.adapt(BundleWiring.class);
            if (bundle.getBundleId() == Constants.SYSTEM_BUNDLE_ID || !needed.add(bundle) || wiring == null) {
                continue;
            }
            wiring.getRequiredWires(null).forEach(w -> open.add(w.getProvider().getBundle()));
            wiring.getProvidedWires(HostNamespace.HOST_NAMESPACE).forEach(w -> open.add(w.getRequirer().getBundle()));
        }
        return needed;
    }

    private static Collection<Bundle> publishers(final BundleContext context, final String type) throws IOException {
        try {
            final ServiceReference<?>[] found = context.getAllServiceReferences(type, null);
            return found == null ? List.of() : Stream.of(found).map(ServiceReference::getBundle).toList();
        } catch (final InvalidSyntaxException e) {
            // Cause: an internal error. Remedy: report it.
            throw new IOException("services cannot be listed: type=" + type, e);
        }
    }

    private static boolean hasModules(final Bundle bundle) {
        final BundleWiring wiring = bundle.adapt(BundleWiring.class);
        return wiring != null && !wiring.getCapabilities(ProvidesCollectives.NAMESPACE).isEmpty();
    }

    private static String classPath(final BundleContext context) throws IOException {
        final Set<String> files = new LinkedHashSet<>();
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator)).filter(f -> !f.isEmpty())
            .forEach(f -> files.add(Path.of(f).toAbsolutePath().toString()));
        final CodeSource framework = context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION).getClass().getProtectionDomain().getCodeSource();
        if (framework == null) {
            // Cause: the system does not say how this JVM was started, so no job JVM can be. Remedy: report it.
            throw new IOException("the jar of the framework is unknown");
        }
        files.add(Path.of(URI.create(framework.getLocation().toString())).toString());
        // which loads the container in the other JVM
        files.add(BundleSource.file(context, FrameworkUtil.getBundle(ContainerMain.class)).toString());
        return String.join(File.pathSeparator, files);
    }
}
