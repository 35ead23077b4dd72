package tutti.daemon.control;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.modules.ModuleStore;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;

/**
 * Restores the modules of a node whose store was damaged: asks the other nodes for the modules that all of them have. The node that is asked
 * installs the module on the node that asks, as {@code tutti install --node} does. Safe for any thread.
 */
final class ModuleRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(ModuleRecovery.class);
    /** Modules of the other nodes may change meanwhile. */
    private static final int TRIES = 10;

    private final String self;
    private final ModuleStore store;
    private final Nodes nodes;
    private final AtomicBoolean running = new AtomicBoolean();

    /** Access of a recovery to the cluster. Methods block. */
    interface Nodes {
        /** Returns the catalogue of each node, by name. */
        Map<String, Catalogue> catalogues();

        /** Asks a node to send a module; returns why it does not, empty when it has sent it, null when it cannot answer. */
        @Nullable
        String send(String node, ModuleId module);
    }

    ModuleRecovery(final String self, final ModuleStore store, final Nodes nodes) {
        this.self = self;
        this.store = store;
        this.nodes = nodes;
    }

    /** Fetches the modules that the other nodes have, if the store was damaged. Called at each change of the members; returns at once. */
    void start() {
        if (store.isLost() && running.compareAndSet(false, true)) {
            Thread.ofVirtual().name("tutti-module-recovery").start(() -> {
                try {
                    fetch();
                } finally {
                    running.set(false);
                }
            });
        }
    }

    private void fetch() {
        for (int i = 0; i < TRIES; i++) {
            final Map<String, Catalogue> others = new TreeMap<>(nodes.catalogues());
            final List<ModuleId> here = Objects.requireNonNull(others.remove(self), "own catalogue").modules();
            if (others.isEmpty()) {
                return;
            }
            final List<ModuleId> lacking = AgreedModules.between(others).modules().stream().filter(m -> !here.contains(m)).toList();
            if (lacking.isEmpty()) {
                store.recovered();
                LOG.info("node {} has the modules of the other nodes again: {}", self, here);
                return;
            }
            for (final ModuleId module : lacking) {
                others.entrySet().stream().filter(o -> o.getValue().modules().contains(module)).findFirst()
                    .ifPresent(o -> request(o.getKey(), module));
            }
        }
        // Cause: the file of its modules was damaged, and the others did not send all.
        LOG.warn("node {} could not fetch all modules of the other nodes; compare with: tutti modules, and install what is missing with: "
            + "tutti install FILE --node {}", self, self);
    }

    private void request(final String holder, final ModuleId module) {
        final String reason = nodes.send(holder, module);
        if (reason != null && !reason.isEmpty()) {
            // Cause: the file of its modules was damaged, and the others did not send all, for one module. Remedy: as the reason says.
            LOG.warn("module {} cannot be fetched: node={}, reason={}", module, holder, reason);
        }
    }
}
