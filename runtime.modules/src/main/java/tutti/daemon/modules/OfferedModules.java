package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import org.osgi.framework.Bundle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;

/**
 * Modules that a store offers to jobs, as its state says. A module that is not offered any more is removed when the last job that uses it ends. Safe
 * for any thread.
 */
final class OfferedModules {
    private static final Logger LOG = LoggerFactory.getLogger(OfferedModules.class);

    private final NodeModules registry;
    private final StoreBundles bundles;
    private final StateFile state;
    private final Path folder;
    private final Semaphore changeLock;
    private volatile Runnable onChanged = () -> {
        // nobody listens yet
    };

    /**
     * Creates the offers of a store.
     *
     * @param folder     folder of the store
     * @param changeLock held while modules are changed
     */
    OfferedModules(final NodeModules registry, final StoreBundles bundles, final StateFile state, final Path folder, final Semaphore changeLock) {
        this.registry = registry;
        this.bundles = bundles;
        this.state = state;
        this.folder = folder;
        this.changeLock = changeLock;
    }

    /** Sets what runs whenever other modules are offered than before; it must not block. */
    void listen(final Runnable listener) {
        onChanged = listener;
    }

    /** Offers the modules that the state has and the one before had not, and stops to offer those that only the one before had. */
    void follow(final StoreState before) throws InterruptedException {
        final StoreState now = state.get();
        for (final StoredModule m : now.modules()) {
            if (m.status() == StoredModule.Status.ACTIVE && !before.modules().contains(m)) {
                final Bundle bundle = bundles.find(Path.of(m.file()));
                if (bundle == null || registry.of(bundle).isEmpty()) {
                    bundles.restore(m);
                } else {
                    registry.show(bundle);
                }
            }
        }
        for (final ModuleId id : registry.catalogue().modules()) {
            final Bundle bundle = registry.bundleOf(id);
            if (bundle != null && (now.removed().contains(id) && !before.removed().contains(id)
                || before.isActive(StoreBundles.file(bundle)) && !now.isActive(StoreBundles.file(bundle)))) {
                registry.retire(bundle).thenRunAsync(() -> removeQuietly(id, bundle), r -> Thread.ofVirtual().name("tutti-retire").start(r));
            }
        }
        onChanged.run();
    }

    private void removeQuietly(final ModuleId id, final Bundle bundle) {
        // waits for a change in progress, which may install the module again
        changeLock.acquireUninterruptibly();
        try {
            if (!registry.isOffered(bundle) && bundle.getState() != Bundle.UNINSTALLED) {
                final Path file = StoreBundles.file(bundle);
                bundles.remove(bundle);
                deleteUnneeded(file);
                LOG.info("module {} is removed: no job uses it any more", id);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            changeLock.release();
        }
    }

    /** Deletes the file of a module that neither the state nor the framework needs. */
    synchronized void deleteUnneeded(final Path file) {
        try {
            if (!state.get().needs(file) && bundles.find(file) == null && file.startsWith(folder)) {
                Files.deleteIfExists(file);
            }
        } catch (final IOException e) {
            LOG.warn("file of a module cannot be deleted: {}", file, e);
        }
    }
}
