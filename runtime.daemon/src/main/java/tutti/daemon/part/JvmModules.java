package tutti.daemon.part;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.wiring.FrameworkWiring;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.container.BundleSource;
import tutti.daemon.modules.Quarantine;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;

/** The modules of a job JVM: made those of its node before a job begins, and when they change. Safe for any thread. */
final class JvmModules {
    private static final Logger LOG = LoggerFactory.getLogger(JvmModules.class);

    private final BundleContext context;
    private final NodeModules registry;
    private final Quarantine quarantine;

    JvmModules(final BundleContext context, final NodeModules registry, final Quarantine quarantine) {
        this.context = context;
        this.registry = registry;
        this.quarantine = quarantine;
    }

    /**
     * Offers the modules that the node offers, and no others. A bundle that is not offered any more is uninstalled once no job uses it.
     *
     * @return whether bundles were installed or removed
     * @throws IOException when a module is not the same here; the message names it
     */
    synchronized boolean offer(final OfferedModules offered) throws IOException {
        final List<ModuleId> wanted = offered.catalogue().modules();
        boolean isChanged = false;
        for (final ModuleId id : registry.catalogue().modules()) {
            if (!wanted.contains(id)) {
                final Bundle bundle = Objects.requireNonNull(registry.bundleOf(id), "bundle of a module");
                retire(bundle);
                isChanged = true;
            }
        }
        final List<ModuleId> here = registry.catalogue().modules();
        for (int i = 0; i < wanted.size(); i++) {
            final ModuleId id = wanted.get(i);
            if (!here.contains(id)) {
                offer(id, offered.sources().get(i));
                isChanged = true;
            }
        }
        if (!registry.catalogue().modules().equals(wanted)) {
            // Cause: a change of modules came between, in a job JVM.
            throw new IOException("modules differ from those of the node: here=" + registry.catalogue().modules() + ", node=" + wanted
                + "; try again");
        }
        quarantine.merge(offered.catalogue().quarantine());
        return isChanged;
    }

    private void retire(final Bundle bundle) {
        final CompletableFuture<Void> unused = registry.retire(bundle).toCompletableFuture();
        if (unused.isDone()) {
            // before others of its name are installed
            remove(bundle);
        } else {
            final var _ = unused.thenRunAsync(() -> remove(bundle), task -> Thread.ofVirtual().name("tutti-retire").start(task));
        }
    }

    /** Removes a bundle that no job uses any more, unless it is offered again or was removed before. */
    private synchronized void remove(final Bundle bundle) {
        if (registry.isOffered(bundle) || bundle.getState() == Bundle.UNINSTALLED) {
            return;
        }
        try {
            bundle.uninstall();
            context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION).adapt(FrameworkWiring.class).refreshBundles(List.of(bundle));
            registry.forget(bundle);
        } catch (final BundleException e) {
            // Cause: the module waits in its deactivation, in a job JVM. Remedy: correct the module; the JVM ends after some jobs.
            LOG.warn("bundle {} cannot be removed, and its modules are not offered any more: {}", bundle.getSymbolicName(), Protocol.oneLine(e));
        }
    }

    /** Offers a module: one that a job still uses, or else one that is installed. */
    private void offer(final ModuleId id, final String source) throws IOException {
        final Bundle used = registry.installed(id);
        if (used != null) {
            registry.show(used);
            return;
        }
        try {
            BundleSource.install(context, source).start();
        } catch (final BundleException e) {
            // Cause: a change of modules came between, or a job JVM cannot start a module of its node. Remedy: the reason follows.
            throw new IOException("module " + id + " cannot be started: " + Protocol.oneLine(e), e);
        }
    }
}
