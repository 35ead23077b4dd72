package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;

/**
 * Store of the modules of this node: installs new modules, and removes old ones when no job uses them. {@link StoreChanges} has the steps of a
 * change, {@link StateFile} what is on disk, and {@link StoreBundles} the bundles. Safe for any thread.
 */
@Component(service = ModuleStore.class)
public final class ModuleStore implements ModuleOffers {
    private static final Logger LOG = LoggerFactory.getLogger(ModuleStore.class);
    static final String BASIC = "basic";

    private final NodeModules registry;
    private final Path folder;
    private final StateFile state;
    private final StoreBundles bundles;
    private final Quarantine quarantine;
    private final ChangePreparation preparation;
    private final StoreChanges changes;
    /** Whether the state of the last run was lost. */
    private volatile boolean lost;

    /** Creates the store in the node's folder. */
    @Activate
    public ModuleStore(final BundleContext context, @Reference(name = "registry") final NodeModules registry,
        @Reference(name = "settings") final ModuleSettings settings) throws IOException {
        this(context, registry, settings.moduleFolder(), settings.moduleSigners(), settings.maxModules(), StateFile.Steps.ON_DISK);
    }

    /**
     * Creates the store in a folder, with the state of the node's last run.
     *
     * @param folder     folder for the bundles and the state
     * @param signers    file with the certificates whose holders may sign modules; null when modules need not be signed
     * @param maxModules most modules that are installed
     * @param steps      receives the steps on the disk
     */
    ModuleStore(final BundleContext context, final NodeModules registry, final Path folder, final @Nullable Path signers,
        final int maxModules, final StateFile.Steps steps) throws IOException {
        this.registry = registry;
        this.folder = Files.createDirectories(folder.toAbsolutePath());
        this.state = new StateFile(this.folder, steps);
        this.lost = state.wasLost();
        final Semaphore changeLock = new Semaphore(1);
        this.bundles = new StoreBundles(context, registry, this.folder, signers, state, changeLock);
        this.quarantine = new Quarantine(this.folder, registry);
        this.preparation = new ChangePreparation(registry, bundles, quarantine, state, this.folder, maxModules);
        this.changes = new StoreChanges(registry, bundles, preparation, quarantine, state, changeLock);
    }

    /** Receives the steps of an installation before they begin. */
    @FunctionalInterface
    interface Steps {
        /** Notifies of the next step. */
        void begins(String step);
    }

    /**
     * Prepares the installation of a module in a store of its own, beside the module's file, and verifies it in this JVM.
     *
     * @throws IOException when the module cannot be installed
     */
    static void tryInstall(final BundleContext context, final NodeModules registry, final Path module, final Steps steps)
        throws IOException, InterruptedException {
        new ModuleStore(context, registry, module.resolveSibling("store"), null, Integer.MAX_VALUE, StateFile.Steps.ON_DISK).preparation.prepareHere(
            new ModuleChange(ModuleChange.Kind.INSTALL, null, null, ProgramFiles.describe(module), List.of(), true, true), module, steps);
    }

    /** Returns whether the state of the last run was lost, and its modules have not been fetched from the other nodes yet. */
    public boolean isLost() {
        return lost;
    }

    /** Tells the store that it has again what the other nodes have. */
    public void recovered() {
        lost = false;
    }

    /** Returns whether a module was installed by a change, rather than that it came with the container. */
    public boolean isAdded(final ModuleId module) {
        return state.get().modules().stream().anyMatch(m -> m.id().equals(module) && Path.of(m.file()).startsWith(folder));
    }

    /** Returns the modules in quarantine. */
    public Quarantine quarantine() {
        return quarantine;
    }

    /** Returns the changes of the modules. */
    StoreChanges changes() {
        return changes;
    }

    /** Returns the file of a module that this node offers; null when it has no such module. */
    public @Nullable Path fileOf(final ModuleId id) {
        final Bundle bundle = registry.bundleOf(id);
        return bundle == null ? null : StoreBundles.file(bundle);
    }

    /** Sets what runs whenever other modules are offered than before; it must not block. */
    public void listenToOffers(final Runnable listener) {
        bundles.listen(listener);
    }

    /** Pins the modules that this node offers now, for a job in another JVM. */
    public NodeModules.Pinned pin() {
        return registry.pin();
    }

    /** Returns the bundle of a module that this node offers; null when it has no such module. */
    public @Nullable Bundle bundle(final ModuleId id) {
        return registry.bundleOf(id);
    }

    @Override
    public Set<String> operations(final ModuleId id) {
        final Bundle bundle = registry.bundleOf(id);
        return bundle == null ? Set.of() : StoreBundles.operations(bundle);
    }

    @Override
    public SortedMap<String, List<String>> algorithms(final ModuleId id, final Map<String, String> parameters) throws InterruptedException {
        final Bundle bundle = registry.bundleOf(id);
        try {
            return bundle == null ? Collections.emptySortedMap() : InstallVerification.algorithms(id, bundle, registry, parameters);
        } catch (final IOException e) {
            LOG.debug("algorithms of module {} cannot be listed", id, e);
            return Collections.emptySortedMap();
        }
    }

    /** Starts the modules of an earlier run. A module that cannot be started is logged and left out. */
    @Activate
    void restore() throws IOException, InterruptedException {
        quarantine.publish();
        final StoreState last = state.get();
        try (Stream<Path> files = Files.list(folder)) {
            // files of changes that were interrupted by the end of that run
            files.filter(f -> !StateFile.is(f) && !Quarantine.isFile(f) && !last.needs(f)).forEach(TempFolders::delete);
        }
        for (final Bundle bundle : bundles.stored()) {
            // of a change that was interrupted, in a framework that keeps its bundles
            if (!last.isActive(StoreBundles.file(bundle))) {
                bundles.remove(bundle);
            }
        }
        for (final ModuleId id : last.removed()) {
            final Bundle bundle = registry.bundleOf(id);
            if (bundle != null) {
                registry.hide(bundle);
                bundles.remove(bundle);
            }
        }
        for (final StoredModule m : last.modules()) {
            if (m.status() == StoredModule.Status.ACTIVE) {
                bundles.restore(m);
            }
        }
    }

    /** Uninstalls the modules of the store, unless the framework is stopping, which keeps or drops them with its other bundles. */
    @Deactivate
    void close() throws InterruptedException {
        if (!bundles.isFrameworkStopping()) {
            changes.runAlone(() -> {
                for (final Bundle bundle : bundles.stored()) {
                    registry.hide(bundle);
                    bundles.remove(bundle);
                }
            });
        }
    }

    /** Returns the failure of a node to store a module that it receives. */
    public static IOException notStored(final ProgramFile file, final Path folder, final IOException cause) {
        // the store of programs names file and folder, too
        final IOException reason = cause.getCause() instanceof final IOException root ? root : cause;
        return new IOException("module cannot be stored: file=" + file.name() + ", folder=" + folder + ", reason=" + Protocol.oneLine(reason), cause);
    }

    /** Returns a new path for a file that is being received. */
    Path incoming() {
        return folder.resolve("incoming-" + Long.toHexString(ThreadLocalRandom.current().nextLong()));
    }

    /** Returns whether there is a change that is not decided and that no coordinator leads. */
    public boolean isUnsettled() {
        return changes.unsettled() != null;
    }

    /** Returns the phase of a change on this node. */
    public ChangePhase phase(final String change) {
        return changes.phase(change);
    }

    /**
     * Stops to offer modules to jobs. Each is uninstalled when the last job that uses it ends. The file of the last retired module of a name is
     * kept for a rollback.
     */
    public void retire(final Collection<ModuleId> modules) throws IOException, InterruptedException {
        changes.retire(modules);
    }
}
