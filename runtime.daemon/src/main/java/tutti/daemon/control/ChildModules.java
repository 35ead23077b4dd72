package tutti.daemon.control;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import tutti.daemon.modules.Quarantine;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;
import tutti.runtime.process.RankStreams;

/** The modules of a JVM for the ranks of a job: made those of its node before a job begins. For one thread at a time. */
final class ChildModules {
    private final BundleContext context;
    private final NodeModules registry;
    private final Quarantine quarantine;
    private final Map<ModuleId, Bundle> hidden = new HashMap<>();

    ChildModules(final BundleContext context, final NodeModules registry, final Quarantine quarantine) {
        this.context = context;
        this.registry = registry;
        this.quarantine = quarantine;
    }

    /**
     * Offers the modules that the node offers, and no others.
     *
     * @throws IOException when a module is not the same here; the message names it
     */
    void offer(final Message.OfferedModules offered) throws IOException {
        final List<ModuleId> wanted = offered.catalogue().modules();
        for (final ModuleId id : registry.catalogue().modules()) {
            if (!wanted.contains(id)) {
                final Bundle bundle = Objects.requireNonNull(registry.bundleOf(id), "bundle of a module");
                registry.hide(bundle);
                hidden.put(id, bundle);
            }
        }
        for (int i = 0; i < wanted.size(); i++) {
            final ModuleId id = wanted.get(i);
            final Bundle known = hidden.remove(id);
            if (known != null) {
                registry.show(known);
            } else if (!registry.catalogue().modules().contains(id)) {
                install(id, offered.locations().get(i));
            }
        }
        if (!registry.catalogue().modules().equals(wanted)) {
            throw new IOException("modules differ from those of the node: here=" + registry.catalogue().modules() + ", node=" + wanted
                + "; start the job again");
        }
        quarantine.merge(offered.catalogue().quarantine());
    }

    private void install(final ModuleId id, final String location) throws IOException {
        // what the module changes of the JVM is restored, as in that of the node
        RankStreams.install();
        try {
            context.installBundle(location).start();
        } catch (final BundleException e) {
            throw new IOException("module " + id + " cannot be started: " + Protocol.oneLine(e), e);
        } finally {
            RankStreams.uninstall();
        }
    }
}
