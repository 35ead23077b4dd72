package tutti.daemon.control;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.osgi.framework.BundleContext;
import tutti.daemon.job.JobAgreementResolver;
import tutti.daemon.membership.MembershipProvider;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.part.TransportRegistry;
import tutti.daemon.settings.NodeSettings;
import tutti.runtime.job.JobHost;
import tutti.runtime.module.NodeCatalogue;
import tutti.runtime.transport.Transport;

/**
 * Services of the container that a node uses, and the node's settings.
 *
 * @param context   container of the node
 * @param transport transport of the node's own port
 * @param registry  transports of jobs
 * @param provider  opens the membership
 * @param host      host of the ranks in this JVM
 * @param modules   the modules that the node offers
 * @param store     the modules that are installed
 * @param resolver  resolves agreements on modules
 * @param settings  settings of the node
 */
record ContainerServices(BundleContext context, Transport transport, TransportRegistry registry, MembershipProvider provider, JobHost host,
    NodeCatalogue modules, ModuleStore store, JobAgreementResolver resolver, NodeSettings settings) {
    /** Symbolic name of the bundle of package {@code mpi}. */
    private static final String API = "tutti.mpi.api";

    /** Returns the version of the node's bundle. */
    String version() {
        return context.getBundle().getVersion().toString();
    }

    /** Returns the jars of the bundle with package mpi, against which sources are compiled. */
    List<Path> api() {
        return Stream.of(context.getBundles()).filter(b -> API.equals(b.getSymbolicName()))
            .map(b -> Path.of(URI.create(b.getLocation().replaceFirst("^reference:", "")))).toList();
    }
}
