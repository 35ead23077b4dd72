package tutti.daemon.modules;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.wiring.BundleCapability;
import org.osgi.framework.wiring.BundleRevision;
import org.osgi.framework.wiring.FrameworkWiring;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.Operation;
import tutti.coll.ProvidesCollectives;
import tutti.intercept.CallInterceptor;
import tutti.runtime.intercept.InterceptionOption;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;

/**
 * Bundles of the modules of a store: installs, starts and checks them, and offers them to jobs, as the store's state says. A module that is not
 * offered any more is removed when the last job that uses it ends. A bundle's code has a time limit. Safe for any thread.
 */
final class StoreBundles {
    private static final Logger LOG = LoggerFactory.getLogger(StoreBundles.class);
    private static final String REFERENCE = "reference:";

    private final BundleContext context;
    private final NodeModules registry;
    private final Path folder;
    private final @Nullable Path signers;
    private final StateFile state;
    private final Semaphore changeLock;
    private volatile Runnable onChanged = () -> {
        // nobody listens yet
    };

    /** Started bundle, hidden from jobs. A bundle that is not fresh was running already, for a job that uses it. */
    record Started(Bundle bundle, ModuleId id, boolean fresh) {}

    /**
     * Creates the bundles of a store.
     *
     * @param folder     the store's folder
     * @param signers    file with the certificates whose holders may sign modules; null when modules need not be signed
     * @param changeLock held while modules are changed
     */
    StoreBundles(final BundleContext context, final NodeModules registry, final Path folder, final @Nullable Path signers, final StateFile state,
        final Semaphore changeLock) {
        this.context = context;
        this.registry = registry;
        this.folder = folder;
        this.signers = signers;
        this.state = state;
        this.changeLock = changeLock;
    }

    /** Starts a module of an earlier run. One that cannot be started is logged and left out. */
    void restore(final StoredModule module) throws InterruptedException {
        try {
            restore(Path.of(module.file()));
        } catch (final IOException e) {
            // Cause: its bundle is gone or damaged, or the node now takes [signed modules](security.md) alone. Remedy: install it again.
            LOG.error("module {} of an earlier run cannot be started: {}", module.id(), e.getMessage());
        }
    }

    /**
     * Starts a module of an earlier run. A framework that keeps its bundles has it, and may start it later than this bundle; the registry offers it
     * from then on.
     */
    private void restore(final Path file) throws IOException, InterruptedException {
        final Bundle kept = find(file);
        if (kept == null) {
            registry.show(start(file).bundle());
        } else {
            try {
                checkBundle(file);
            } catch (final IOException e) {
                registry.hide(kept);
                remove(kept);
                throw e;
            }
            startBundle(kept);
        }
    }

    private void startBundle(final Bundle bundle) throws IOException, InterruptedException {
        TimeLimit.call("start of bundle " + bundle.getSymbolicName() + " " + bundle.getVersion(), () -> {
            bundle.start(startOptions());
            return null;
        });
    }

    /** Returns how bundles are started: where they must be signed, a framework that keeps them leaves their start to this store. */
    private int startOptions() {
        return signers == null ? 0 : Bundle.START_TRANSIENT;
    }

    /** Returns the bundles that were installed from the store's folder. */
    List<Bundle> stored() {
        return Arrays.stream(context.getBundles()).filter(b -> b.getLocation().startsWith(location(folder))).toList();
    }

    /** Returns whether a bundle is of this store, rather than of the distribution. */
    boolean isOwn(final Bundle bundle) {
        return file(bundle).startsWith(folder);
    }

    /** Returns the bundle of a file; null when it is not installed. */
    @Nullable
    Bundle find(final Path file) {
        return context.getBundle(location(file));
    }

    /** Returns whether the framework stops, which keeps or drops the modules with its other bundles. */
    boolean isFrameworkStopping() {
        return context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION).getState() == Bundle.STOPPING;
    }

    /**
     * Proves a module in a process of its own.
     *
     * @return why no such process can be started; null when the module is proved
     */
    @Nullable
    String prove(final Path file) throws IOException, InterruptedException {
        return ProofProcess.prove(context, file, folder.resolve("proof"));
    }

    /** Returns the ids of the operations that a module's bundle declares. */
    static Set<String> operations(final Bundle bundle) {
        return bundle.adapt(BundleRevision.class).getDeclaredCapabilities(ProvidesCollectives.NAMESPACE).stream()
            .map(c -> c.getAttributes().get("operations")).filter(Collection.class::isInstance).flatMap(o -> ((Collection<?>) o).stream())
            .map(String::valueOf).collect(Collectors.toSet());
    }

    private static String location(final Path file) {
        return REFERENCE + file.toUri();
    }

    /** Installs and starts a bundle, hidden from jobs, and creates its module once. Uninstalls the bundle on failure. */
    Started start(final Path file) throws IOException, InterruptedException {
        checkBundle(file);
        final Bundle running = find(file);
        if (running != null && registry.of(running).size() == 1) {
            return new Started(running, registry.of(running).getFirst(), false);
        }
        final Bundle bundle;
        try {
            bundle = context.installBundle(location(file));
        } catch (final BundleException e) {
            throw new IOException(e.getType() == BundleException.DUPLICATE_BUNDLE_ERROR
                ? "a bundle of that name and version is installed already, with another digest: give the changed one a new version, "
                    + "or install it with: --dev"
                : "not a bundle: " + String.valueOf(e.getMessage()).replace(location(file), "file"), e);
        }
        try {
            registry.hide(bundle);
            final String name = declaredName(bundle);
            final String missing = BundleDiagnosis.missing(context, bundle);
            if (missing != null) {
                throw new IOException(missing);
            }
            TimeLimit.call("start of bundle " + bundle.getSymbolicName() + " " + bundle.getVersion(), () -> {
                bundle.start(startOptions());
                registry.probe(bundle);
                return null;
            });
            final List<ModuleId> modules = registry.of(bundle);
            if (modules.size() != 1 || !modules.getFirst().name().equals(name)) {
                throw new IOException(BundleDiagnosis.unpublished(context, bundle, name, modules));
            }
            return new Started(bundle, modules.getFirst(), true);
        } catch (final IOException e) {
            remove(bundle);
            throw e;
        }
    }

    /** Checks that a file is a bundle, and is signed where modules must be. */
    void checkBundle(final Path file) throws IOException {
        try (JarFile jar = new JarFile(file.toFile())) {
            final Manifest manifest = jar.getManifest();
            if (manifest == null || manifest.getMainAttributes().getValue(Constants.BUNDLE_SYMBOLICNAME) == null
                || manifest.getMainAttributes().getValue(Constants.BUNDLE_MANIFESTVERSION) == null) {
                throw new IOException("not a bundle: Bundle-SymbolicName or Bundle-ManifestVersion missing in its manifest; build the jar with bnd, "
                    + "as the module template does");
            }
        } catch (final ZipException e) {
            throw new IOException("not a bundle: not a jar: " + e.getMessage(), e);
        }
        ModuleSigners.check(file, signers);
    }

    /** Returns the name of the module that a bundle declares. */
    private static String declaredName(final Bundle bundle) throws IOException {
        final List<BundleCapability> capabilities = bundle.adapt(BundleRevision.class).getDeclaredCapabilities(ProvidesCollectives.NAMESPACE);
        if (capabilities.size() != 1) {
            // Cause: a bundle without a module, or with several.
            throw new IOException("bundle " + bundle.getSymbolicName() + " " + bundle.getVersion() + " is not a module: it has "
                + capabilities.size() + " capabilities " + ProvidesCollectives.NAMESPACE + ", expected 1: " + (capabilities.isEmpty()
                    ? "annotate the class of its component with @ProvidesCollectives and build it with bnd" : "make a bundle of each module"));
        }
        final String name = String.valueOf(capabilities.getFirst().getAttributes().get(ProvidesCollectives.NAMESPACE));
        final boolean isValid = InterceptionOption.isInterceptor(name) ? isWord(name.substring(CallInterceptor.PREFIX.length()), "nested")
            : isWord(name, "select", "prove", "live") && Operation.values().stream().noneMatch(o -> o.id().equals(name));
        if (!isValid) {
            throw new IOException("invalid module name: name=" + name + ", expected a word in lower case that is not the name of an operation, after "
                + CallInterceptor.PREFIX + " for an interceptor");
        }
        return name;
    }

    private static boolean isWord(final String name, final String... reserved) {
        return name.matches("[a-z][a-z0-9_-]{0,31}") && !List.of(reserved).contains(name);
    }

    /** Returns the file of a bundle. */
    static Path file(final Bundle bundle) {
        final String location = bundle.getLocation();
        return Path.of(URI.create(location.startsWith(REFERENCE) ? location.substring(REFERENCE.length()) : location));
    }

    /** Stops and uninstalls a bundle and refreshes its wirings, so that no classes of it remain. */
    void remove(final Bundle bundle) throws InterruptedException {
        final String name = bundle.getSymbolicName() + " " + bundle.getVersion();
        try {
            TimeLimit.call("stop of bundle " + name, () -> {
                bundle.uninstall();
                return null;
            });
            context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION).adapt(FrameworkWiring.class).refreshBundles(List.of(bundle));
            registry.forget(bundle);
        } catch (final IOException e) {
            // Cause: the module waits in its deactivation. Remedy: restart the node when convenient; correct the module.
            LOG.warn("bundle {} cannot be removed and stays hidden from jobs: {}", name, e.getMessage());
        }
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
                final Bundle bundle = find(Path.of(m.file()));
                if (bundle == null || registry.of(bundle).isEmpty()) {
                    restore(m);
                } else {
                    registry.show(bundle);
                }
            }
        }
        for (final ModuleId id : registry.catalogue().modules()) {
            final Bundle bundle = registry.bundleOf(id);
            if (bundle != null && (now.removed().contains(id) && !before.removed().contains(id)
                || before.isActive(file(bundle)) && !now.isActive(file(bundle)))) {
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
                final Path file = file(bundle);
                remove(bundle);
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
            if (!state.get().needs(file) && find(file) == null && file.startsWith(folder)) {
                Files.deleteIfExists(file);
            }
        } catch (final IOException e) {
            // Cause: the file is no longer the node's. Remedy: remove it by hand.
            LOG.warn("file of a module cannot be deleted: {}", file, e);
        }
    }
}
