package tutti.daemon.modules;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.wiring.BundleCapability;
import org.osgi.framework.wiring.BundleRevision;
import org.osgi.framework.wiring.FrameworkWiring;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.Operation;
import tutti.coll.ProvidesCollectives;
import tutti.daemon.protocol.ModuleChange;
import tutti.runtime.select.ModuleId;
import tutti.runtime.select.ModuleRegistry;

/**
 * The modules of this node: brings in new ones, and lets go of old ones when no job holds them any more.
 *
 * <p>A change has two steps. {@link #prepare} does all that can fail: it installs, resolves and starts the new bundle, hidden from jobs, makes
 * its module once, and writes the new state to disk. {@link #commit} then only shows it; {@link #abort} leaves everything as it was. One
 * change at a time; safe for any thread.
 */
@Component(service = ModuleStore.class)
public final class ModuleStore {
    /** Framework property: a folder of the node's own. */
    public static final String DIR = "tutti.node.dir";

    private static final Logger LOG = LoggerFactory.getLogger(ModuleStore.class);
    private static final Duration START = Duration.ofSeconds(5);
    private static final Duration STOP = Duration.ofSeconds(5);
    private static final String REFERENCE = "reference:";
    private static final String BASIC = "basic";

    private final BundleContext context;
    private final ModuleRegistry registry;
    private final Path folder;
    private final Semaphore turn = new Semaphore(1);
    private StoreState state;

    /** The store in the node's folder; brings the modules of an earlier run back. */
    @Activate
    public ModuleStore(final BundleContext context, @Reference(name = "registry") final ModuleRegistry registry)
        throws IOException, InterruptedException {
        this(context, registry, Path.of(context.getProperty(DIR)).resolve("modules"));
        restore();
    }

    /**
     * The store in a folder, with what it held when the node last ran.
     *
     * @param folder for the bundles and the state
     */
    ModuleStore(final BundleContext context, final ModuleRegistry registry, final Path folder) throws IOException {
        this.context = context;
        this.registry = registry;
        this.folder = Files.createDirectories(folder.toAbsolutePath());
        this.state = StoreState.read(folder);
    }

    /** Brings the modules of an earlier run back. One that cannot be started any more is left out, and said so in the log. */
    private void restore() throws InterruptedException {
        for (final ModuleId id : state.removed()) {
            final Bundle bundle = registry.bundleOf(id);
            if (bundle != null) {
                registry.hide(bundle);
                remove(bundle);
            }
        }
        for (final StoredModule m : state.modules()) {
            if (m.status() == StoredModule.Status.ACTIVE) {
                try {
                    registry.show(start(Path.of(m.file())).bundle());
                } catch (final IOException e) {
                    LOG.error("module {} of an earlier run cannot be started: {}", m.id(), e.getMessage());
                }
            }
        }
    }

    /** Folder for files that are coming in. */
    public Path folder() {
        return folder;
    }

    /** A change that is ready to be made. */
    public static final class Staged {
        private final ModuleId id;
        private final Bundle bundle;
        private final Path file;
        private final boolean fresh;

        private Staged(final ModuleId id, final Bundle bundle, final Path file, final boolean fresh) {
            this.id = id;
            this.bundle = bundle;
            this.file = file;
            this.fresh = fresh;
        }

        /** The module that comes; null when one goes. */
        public ModuleId id() {
            return id;
        }
    }

    /** A bundle that runs, hidden from jobs. */
    private record Started(Bundle bundle, ModuleId id) { }

    /**
     * Gets ready for a change. Blocks, for some 12 s at most where the bundle's code does.
     *
     * @param incoming the bundle's file, which is taken; null where the change brings none
     * @throws IOException when it cannot be done; then nothing has changed
     */
    public Staged prepare(final ModuleChange change, final Path incoming) throws IOException, InterruptedException {
        if (!turn.tryAcquire()) {
            throw new IOException("another change of modules is under way");
        }
        boolean ready = false;
        try {
            final Staged staged = switch (change.kind()) {
                case INSTALL, UPDATE -> bring(change, incoming);
                case ROLLBACK -> bringBack(change.name());
                case UNINSTALL -> checkRemoval(change);
            };
            ready = true;
            return staged;
        } finally {
            if (!ready) {
                turn.release();
            }
        }
    }

    private Staged bring(final ModuleChange change, final Path incoming) throws IOException, InterruptedException {
        final String digest = change.file().sha256();
        final ModuleId here = registry.catalogue().modules().stream().filter(m -> m.digest().equals(digest)).findFirst().orElse(null);
        if (here != null) {
            Files.deleteIfExists(incoming);
            return new Staged(here, null, null, false);
        }
        final Path file = folder.resolve(digest.substring(0, 16) + ".jar");
        final boolean kept = Files.exists(file);
        Files.move(incoming, file, StandardCopyOption.REPLACE_EXISTING);
        try {
            final Started started = start(file);
            try {
                if (change.kind() == ModuleChange.Kind.UPDATE && versions(started.id().name()).isEmpty()) {
                    throw new IOException("no module " + started.id().name() + " is there to be updated: use install");
                }
                rehearse(started.id(), file);
                return new Staged(started.id(), started.bundle(), file, !kept);
            } catch (final IOException e) {
                remove(started.bundle());
                throw e;
            }
        } catch (final IOException e) {
            if (!kept) {
                Files.deleteIfExists(file);
            }
            throw e;
        }
    }

    private Staged bringBack(final String name) throws IOException, InterruptedException {
        final StoredModule previous = state().previous(name)
            .orElseThrow(() -> new IOException("no earlier version of module " + name + " is kept"));
        final Path file = Path.of(previous.file());
        // it may still be running for a job that holds it
        final Bundle running = context.getBundle(location(file));
        final Started started = running != null && registry.of(running).contains(previous.id()) ? new Started(running, previous.id()) : start(file);
        try {
            rehearse(previous.id(), file);
            return new Staged(previous.id(), started.bundle(), file, false);
        } catch (final IOException e) {
            if (started.bundle() != running) {
                remove(started.bundle());
            }
            throw e;
        }
    }

    private Staged checkRemoval(final ModuleChange change) throws IOException {
        if (change.name().equals(BASIC)) {
            throw new IOException("module " + BASIC + " cannot be removed: it serves what others leave out");
        }
        if (versions(change.name()).stream().noneMatch(m -> change.version() == null || m.version().toString().equals(change.version()))) {
            throw new IOException("no such module: " + change.name() + (change.version() == null ? "" : " " + change.version()));
        }
        return new Staged(null, null, null, false);
    }

    private List<ModuleId> versions(final String name) {
        return registry.catalogue().modules().stream().filter(m -> m.name().equals(name)).toList();
    }

    /** Sees that there is room for the state as it will be. */
    private synchronized void rehearse(final ModuleId id, final Path file) throws IOException {
        state.active(id, file).write(folder);
    }

    private synchronized StoreState state() {
        return state;
    }

    private static String location(final Path file) {
        return REFERENCE + file.toUri();
    }

    /** Installs and starts a bundle, hidden from jobs, and makes its module once. What fails leaves no bundle behind. */
    private Started start(final Path file) throws IOException, InterruptedException {
        final Bundle bundle;
        try {
            bundle = context.installBundle(location(file));
        } catch (final BundleException e) {
            throw new IOException(e.getType() == BundleException.DUPLICATE_BUNDLE_ERROR
                ? "a bundle of that name and version is installed already, with another digest: give the changed one a new version"
                : "file is no bundle: " + e.getMessage(), e);
        }
        try {
            registry.hide(bundle);
            if (bundle.getSymbolicName() == null || bundle.getHeaders("").get(Constants.BUNDLE_MANIFESTVERSION) == null) {
                throw new IOException("file is no bundle: it has no Bundle-SymbolicName");
            }
            final String name = declared(bundle);
            Guard.call("start of bundle " + bundle.getSymbolicName() + " " + bundle.getVersion(), START, () -> {
                bundle.start();
                registry.probe(bundle);
                return null;
            });
            final List<ModuleId> modules = registry.of(bundle);
            if (modules.size() != 1 || !modules.getFirst().name().equals(name)) {
                throw new IOException("bundle " + bundle.getSymbolicName() + " " + bundle.getVersion() + " was to publish module " + name
                    + " and publishes " + modules + ": is its component satisfied?");
            }
            return new Started(bundle, modules.getFirst());
        } catch (final IOException e) {
            remove(bundle);
            throw e;
        }
    }

    /** The name of the module that a bundle says it provides. */
    private static String declared(final Bundle bundle) throws IOException {
        final List<BundleCapability> capabilities = bundle.adapt(BundleRevision.class).getDeclaredCapabilities(ProvidesCollectives.NAMESPACE);
        if (capabilities.size() != 1) {
            throw new IOException("bundle " + bundle.getSymbolicName() + " " + bundle.getVersion() + " is not a module: it has "
                + capabilities.size() + " capabilities " + ProvidesCollectives.NAMESPACE + ", expected 1");
        }
        final String name = String.valueOf(capabilities.getFirst().getAttributes().get(ProvidesCollectives.NAMESPACE));
        if (!name.matches("[a-z][a-z0-9_-]{0,31}") || name.equals("select")
            || Operation.values().stream().anyMatch(o -> o.id().equals(name))) {
            throw new IOException("name of a module makes no sense: name=" + name + ", expected a word in lower case that is no operation");
        }
        return name;
    }

    /** Makes the change that was prepared. */
    public void commit(final Staged staged) throws IOException {
        try {
            if (staged.bundle != null) {
                synchronized (this) {
                    state = state.active(staged.id, staged.file);
                    state.write(folder);
                    StoreState.adopt(folder);
                }
                registry.show(staged.bundle);
            }
        } finally {
            turn.release();
        }
    }

    /** Undoes what was prepared. */
    public void abort(final Staged staged) throws InterruptedException {
        try {
            if (staged.bundle != null) {
                remove(staged.bundle);
                if (staged.fresh) {
                    deleteFile(staged.file);
                }
            }
        } finally {
            turn.release();
        }
    }

    /** Offers these modules no longer; each goes when the last job that holds it ends. The last one of a name is kept for a rollback. */
    public synchronized void retire(final Collection<ModuleId> modules) throws IOException {
        for (final ModuleId id : modules) {
            final Bundle bundle = registry.bundleOf(id);
            if (bundle == null) {
                continue;
            }
            final Path file = file(bundle);
            final List<StoredModule> before = new ArrayList<>(state.modules());
            state = state.previous(id, file, !file.startsWith(folder));
            state.write(folder);
            StoreState.adopt(folder);
            registry.retire(bundle).thenRunAsync(() -> removeQuietly(id, bundle), r -> Thread.ofVirtual().name("tutti-retire").start(r));
            for (final StoredModule m : before) {
                deleteUnneeded(Path.of(m.file()));
            }
        }
    }

    private static Path file(final Bundle bundle) {
        final String location = bundle.getLocation();
        return Path.of(URI.create(location.startsWith(REFERENCE) ? location.substring(REFERENCE.length()) : location));
    }

    private void removeQuietly(final ModuleId id, final Bundle bundle) {
        if (registry.isOffered(bundle)) {
            // a rollback brought it back meanwhile
            return;
        }
        try {
            remove(bundle);
            LOG.info("module {} is gone: no job holds it any more", id);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void deleteUnneeded(final Path file) {
        if (!state.needs(file) && context.getBundle(location(file)) == null) {
            deleteFile(file);
        }
    }

    private void deleteFile(final Path file) {
        try {
            if (file.startsWith(folder)) {
                Files.deleteIfExists(file);
            }
        } catch (final IOException e) {
            LOG.warn("file of a module cannot be deleted: {}", file, e);
        }
    }

    /** Stops and uninstalls a bundle, so that nothing of it is left. */
    private void remove(final Bundle bundle) throws InterruptedException {
        final String name = bundle.getSymbolicName() + " " + bundle.getVersion();
        try {
            Guard.call("stop of bundle " + name, STOP, () -> {
                bundle.uninstall();
                return null;
            });
            context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION).adapt(FrameworkWiring.class).refreshBundles(List.of(bundle));
            registry.forget(bundle);
        } catch (final IOException e) {
            LOG.warn("bundle {} stays behind, hidden from jobs: {}", name, e.getMessage());
        }
    }
}
