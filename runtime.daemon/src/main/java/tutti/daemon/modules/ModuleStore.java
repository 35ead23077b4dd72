package tutti.daemon.modules;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipException;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.wiring.BundleCapability;
import org.osgi.framework.wiring.BundleRevision;
import org.osgi.framework.wiring.FrameworkWiring;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.Operation;
import tutti.coll.ProvidesCollectives;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.settings.ConfiguredNode;
import tutti.intercept.CallInterceptor;
import tutti.runtime.intercept.InterceptionOption;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;
import tutti.runtime.process.JvmGuard;
import tutti.runtime.process.RankStreams;

/**
 * Store of the modules of this node: installs new modules, and removes old ones when no job uses them.
 *
 * <p>A change has two steps. {@link #prepare} does everything that can fail: it installs, resolves and starts the new bundle, hidden from jobs,
 * creates its module once, verifies its plans if requested, and writes the new state to disk. {@link #commit} then offers the module to jobs;
 * {@link #abort} restores the previous state. One change at a time, from {@link #prepare} to {@link #endChange}. Safe for any thread.
 */
@Component(service = ModuleStore.class)
public final class ModuleStore implements ModuleOffers {
    private static final Logger LOG = LoggerFactory.getLogger(ModuleStore.class);
    private static final Duration START_LIMIT = Duration.ofSeconds(5);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(5);
    private static final long LOCK_SECONDS = 5;
    private static final String REFERENCE = "reference:";
    static final String BASIC = "basic";
    private static final Consumer<String> NO_STEPS = step -> {
        // nobody waits for them
    };

    private final BundleContext context;
    private final NodeModules registry;
    private final Path folder;
    private final Path signers;
    private final Semaphore changeLock = new Semaphore(1);
    private final Quarantine quarantine;
    private StoreState state;
    /** Whether the state of the last run was lost. */
    private volatile boolean lost;

    /** Creates the store in the node's folder. */
    @Activate
    public ModuleStore(final BundleContext context, @Reference(name = "registry") final NodeModules registry,
        @Reference(name = "configured", target = ConfiguredNode.READY) final ConfiguredNode configured) throws IOException {
        this(context, registry, configured.settings().folder().resolve("modules"), configured.settings().access().signers());
    }

    /**
     * Creates the store in a folder, with the state of the node's last run.
     *
     * @param folder  folder for the bundles and the state
     * @param signers file with the certificates whose holders may sign modules; null when modules need not be signed
     */
    ModuleStore(final BundleContext context, final NodeModules registry, final Path folder, final Path signers) throws IOException {
        this.signers = signers;
        this.context = context;
        this.registry = registry;
        this.folder = Files.createDirectories(folder.toAbsolutePath());
        this.state = stateIn(this.folder);
        this.quarantine = new Quarantine(this.folder, registry);
    }

    /** Reads the state of a folder. A damaged file is set aside, and the store begins without modules. */
    private StoreState stateIn(final Path from) throws IOException {
        try {
            return StoreState.read(from);
        } catch (final StoreState.DamagedException e) {
            final Path aside = StoreState.setAside(from);
            lost = true;
            LOG.error("{}; it is set aside as {}, and modules that the other nodes have are fetched from them", e.getMessage(), aside.getFileName());
            return StoreState.empty();
        }
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
        return state().modules().stream().anyMatch(m -> m.id().equals(module) && Path.of(m.file()).startsWith(folder));
    }

    /** Returns the modules in quarantine. */
    public Quarantine quarantine() {
        return quarantine;
    }

    /** Returns the file of a module that this node offers; null when it has no such module. */
    public Path fileOf(final ModuleId id) {
        final Bundle bundle = registry.bundleOf(id);
        return bundle == null ? null : file(bundle);
    }

    @Override
    public Set<String> operations(final ModuleId id) {
        final Bundle bundle = registry.bundleOf(id);
        return bundle == null ? Set.of() : operations(bundle);
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
        try (Stream<Path> files = Files.list(folder)) {
            // files of changes that were interrupted by the end of that run
            files.filter(f -> !StoreState.isStateFile(f) && !Quarantine.isFile(f) && !state.needs(f)).forEach(TempFolders::delete);
        }
        for (final Bundle bundle : stored()) {
            // of a change that was interrupted, in a framework that keeps its bundles
            if (!state.isActive(file(bundle))) {
                remove(bundle);
            }
        }
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
                    restore(Path.of(m.file()));
                } catch (final IOException e) {
                    LOG.error("module {} of an earlier run cannot be started: {}", m.id(), e.getMessage());
                }
            }
        }
    }

    /**
     * Starts a module of an earlier run. A framework that keeps its bundles has it, and may start it later than this bundle; the registry offers it
     * from then on.
     */
    private void restore(final Path file) throws IOException, InterruptedException {
        final Bundle kept = context.getBundle(location(file));
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
        JvmGuard.await();
        TimeLimit.call("start of bundle " + bundle.getSymbolicName() + " " + bundle.getVersion(), START_LIMIT, () -> {
            bundle.start(startOptions());
            return null;
        });
    }

    /** Returns how bundles are started: where they must be signed, a framework that keeps them leaves their start to this store. */
    private int startOptions() {
        return signers == null ? 0 : Bundle.START_TRANSIENT;
    }

    /** Returns the bundles that were installed from the store's folder. */
    private List<Bundle> stored() {
        return Arrays.stream(context.getBundles()).filter(b -> b.getLocation().startsWith(location(folder))).toList();
    }

    /** Uninstalls the modules of the store, unless the framework is stopping, which keeps or drops them with its other bundles. */
    @Deactivate
    void close() throws InterruptedException {
        if (context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION).getState() == Bundle.STOPPING) {
            return;
        }
        final boolean locked = changeLock.tryAcquire(LOCK_SECONDS, TimeUnit.SECONDS);
        try {
            for (final Bundle bundle : stored()) {
                registry.hide(bundle);
                remove(bundle);
            }
        } finally {
            if (locked) {
                changeLock.release();
            }
        }
    }

    /** Returns a new path for a file or folder that is being received. */
    Path incoming() {
        return folder.resolve("incoming-" + Long.toHexString(ThreadLocalRandom.current().nextLong()));
    }

    /** Prepared change. */
    public static final class Staged {
        private final ModuleId id;
        private final Started started;
        private final Path file;
        private final boolean liftsQuarantine;
        private final String unproved;

        private Staged(final ModuleId id, final Started started, final Path file, final boolean liftsQuarantine,
            final String unproved) {
            this.unproved = unproved;
            this.liftsQuarantine = liftsQuarantine;
            this.id = id;
            this.started = started;
            this.file = file;
        }

        /** Returns why the module was verified in this JVM and not in a process of its own; null when it was not. */
        public String unproved() {
            return unproved;
        }

        /** Returns the module that is installed; null when modules are removed. */
        public ModuleId id() {
            return id;
        }
    }

    /** Started bundle, hidden from jobs. A bundle that is not fresh was running already, for a job that uses it. */
    private record Started(Bundle bundle, ModuleId id, boolean fresh) {}

    /**
     * Prepares a change, which is ended with {@link #endChange}. Blocks, for about 30 s at most, while other changes are in progress and while the
     * bundle's code runs.
     *
     * @param incoming the bundle's file, which is moved; null when the change has no file
     * @throws IOException when the change cannot be prepared; then nothing has changed, and {@link #endChange} must not be called
     */
    public Staged prepare(final ModuleChange change, final Path incoming) throws IOException, InterruptedException {
        return prepare(change, incoming, null);
    }

    /** Prepares an installation as {@link #prepare} does, verifies the module in this JVM, and names the steps before they begin. */
    Staged prepareHere(final ModuleChange change, final Path incoming, final Consumer<String> steps) throws IOException, InterruptedException {
        return prepare(change, incoming, steps);
    }

    private Staged prepare(final ModuleChange change, final Path incoming, final Consumer<String> steps) throws IOException, InterruptedException {
        if (!changeLock.tryAcquire(LOCK_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("another change of modules is in progress");
        }
        boolean ready = false;
        try {
            final Staged staged = switch (change.kind()) {
                case INSTALL, UPDATE -> steps != null ? install(change, incoming, null, steps) : proveAndInstall(change, incoming);
                case ROLLBACK -> restorePrevious(change.name());
                case UNINSTALL -> checkRemoval(change);
            };
            ready = true;
            return staged;
        } finally {
            if (!ready) {
                changeLock.release();
            }
        }
    }

    /** Installs a module after it was proved in a process of its own, or verifies it here where no such process can be started. */
    private Staged proveAndInstall(final ModuleChange change, final Path incoming) throws IOException, InterruptedException {
        if (!change.verify() || registry.catalogue().modules().stream().anyMatch(m -> m.digest().equals(change.file().sha256()))) {
            return install(change, incoming, null, NO_STEPS);
        }
        checkBundle(incoming);
        final String unavailable = ProofProcess.prove(context, incoming, folder.resolve("proof"));
        if (unavailable != null) {
            LOG.warn("module {} is proved in the node itself: {}", change.file().name(), unavailable);
        }
        return install(unavailable == null ? change.verified() : change, incoming, unavailable, NO_STEPS);
    }

    private Staged install(final ModuleChange change, final Path incoming, final String note, final Consumer<String> steps)
        throws IOException, InterruptedException {
        final String digest = change.file().sha256();
        final ModuleId present = registry.catalogue().modules().stream().filter(m -> m.digest().equals(digest)).findFirst().orElse(null);
        if (present != null) {
            Files.deleteIfExists(incoming);
            return new Staged(present, null, null, lifts(change, present), null);
        }
        final Path file = folder.resolve(digest.substring(0, 16) + ".jar");
        Files.move(incoming, file, StandardCopyOption.REPLACE_EXISTING);
        try {
            steps.accept("activation");
            final Started started = start(file);
            try {
                if (change.kind() == ModuleChange.Kind.UPDATE && versions(started.id().name()).isEmpty()) {
                    throw new IOException("no version of module " + started.id().name() + " is installed: use install");
                }
                checkReplaced(started, change.force());
                writeState(started.id(), file);
                if (change.verify()) {
                    steps.accept("query and plans");
                    InstallVerification.verify(started.id(), started.bundle(), registry);
                }
                return new Staged(started.id(), started, file, lifts(change, started.id()), note);
            } catch (final IOException e) {
                undo(started);
                throw e;
            }
        } catch (final IOException e) {
            deleteUnneeded(file);
            throw e;
        }
    }

    /**
     * Returns whether a change of all nodes lifts the quarantine of the module that it installs.
     *
     * @throws IOException when the module is in quarantine and the change is not forced
     */
    private boolean lifts(final ModuleChange change, final ModuleId module) throws IOException {
        final String reason = quarantine.reason(module);
        if (reason == null || !change.nodes().isEmpty()) {
            return false;
        }
        if (!change.force()) {
            throw new IOException(
                "module " + module + " is quarantined: " + reason + "; install a changed version, or use this one again with: --force");
        }
        return true;
    }

    private Staged restorePrevious(final String name) throws IOException, InterruptedException {
        final StoredModule previous = state().previous(name)
            .orElseThrow(() -> new IOException("no earlier version of module " + name + " is kept"));
        final Path file = Path.of(previous.file());
        final Started started = start(file);
        try {
            writeState(previous.id(), file);
            return new Staged(previous.id(), started, file, false, null);
        } catch (final IOException e) {
            undo(started);
            throw e;
        }
    }

    private void undo(final Started started) throws InterruptedException {
        if (started.fresh()) {
            remove(started.bundle());
        }
    }

    private Staged checkRemoval(final ModuleChange change) throws IOException {
        if (change.name().equals(BASIC)) {
            throw new IOException("module " + BASIC + " cannot be removed: it is the fallback module");
        }
        if (versions(change.name()).stream().noneMatch(m -> change.version() == null || m.version().toString().equals(change.version()))) {
            throw new IOException("no such module: " + change.name() + (change.version() == null ? "" : " " + change.version()));
        }
        return new Staged(null, null, null, false, null);
    }

    /** Refuses a module that does not offer what it replaces, and a fallback module that does not offer everything. */
    private void checkReplaced(final Started started, final boolean force) throws IOException {
        final ModuleId id = started.id();
        final Set<String> offered = operations(started.bundle());
        if (id.name().equals(BASIC)) {
            final List<String> missing = Operation.values().stream().map(Operation::id).filter(o -> !offered.contains(o)).sorted().toList();
            if (!missing.isEmpty()) {
                throw new IOException("module " + id + " cannot be the fallback module, which offers every operation: missing="
                    + String.join(",", missing) + "; give the module another name");
            }
        }
        final Set<String> absent = new TreeSet<>();
        for (final ModuleId present : versions(id.name())) {
            final Bundle bundle = registry.bundleOf(present);
            if (bundle != null) {
                absent.addAll(operations(bundle));
            }
        }
        absent.removeAll(offered);
        if (!absent.isEmpty() && !force) {
            throw new IOException("module " + id + " does not offer all that the version it replaces offers: missing=" + String.join(",", absent)
                + "; give the module another name, or replace it with: --force");
        }
    }

    /** Returns the ids of the operations that a module's bundle declares. */
    private static Set<String> operations(final Bundle bundle) {
        return bundle.adapt(BundleRevision.class).getDeclaredCapabilities(ProvidesCollectives.NAMESPACE).stream()
            .map(c -> c.getAttributes().get("operations")).filter(Collection.class::isInstance).flatMap(o -> ((Collection<?>) o).stream())
            .map(String::valueOf).collect(Collectors.toSet());
    }

    private List<ModuleId> versions(final String name) {
        return registry.catalogue().modules().stream().filter(m -> m.name().equals(name)).toList();
    }

    /** Writes the state after the change to disk, to verify that there is space for it. */
    private synchronized void writeState(final ModuleId id, final Path file) throws IOException {
        state.withActive(id, file).write(folder);
    }

    private synchronized StoreState state() {
        return state;
    }

    private static String location(final Path file) {
        return REFERENCE + file.toUri();
    }

    /** Installs and starts a bundle, hidden from jobs, and creates its module once. Uninstalls the bundle on failure. */
    private Started start(final Path file) throws IOException, InterruptedException {
        checkBundle(file);
        final Bundle running = context.getBundle(location(file));
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
                : "not a bundle: " + e.getMessage().replace(location(file), "file"), e);
        }
        try {
            registry.hide(bundle);
            final String name = declaredName(bundle);
            final String missing = BundleDiagnosis.missing(context, bundle);
            if (missing != null) {
                throw new IOException(missing);
            }
            // what the module changes of the JVM is restored
            RankStreams.install();
            try {
                TimeLimit.call("start of bundle " + bundle.getSymbolicName() + " " + bundle.getVersion(), START_LIMIT, () -> {
                    bundle.start(startOptions());
                    registry.probe(bundle);
                    return null;
                });
            } finally {
                RankStreams.uninstall();
            }
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

    private void checkBundle(final Path file) throws IOException {
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
            throw new IOException("bundle " + bundle.getSymbolicName() + " " + bundle.getVersion() + " is not a module: it has "
                + capabilities.size() + " capabilities " + ProvidesCollectives.NAMESPACE + ", expected 1: " + (capabilities.isEmpty()
                    ? "annotate the class of its component with @ProvidesCollectives and build it with bnd" : "make a bundle of each module"));
        }
        final String name = String.valueOf(capabilities.getFirst().getAttributes().get(ProvidesCollectives.NAMESPACE));
        final boolean isValid = InterceptionOption.isInterceptor(name) ? isWord(name.substring(CallInterceptor.PREFIX.length()), "nested")
            : isWord(name, "select", "prove") && Operation.values().stream().noneMatch(o -> o.id().equals(name));
        if (!isValid) {
            throw new IOException("invalid module name: name=" + name + ", expected a word in lower case that is not the name of an operation, after "
                + CallInterceptor.PREFIX + " for an interceptor");
        }
        return name;
    }

    private static boolean isWord(final String name, final String... reserved) {
        return name.matches("[a-z][a-z0-9_-]{0,31}") && !List.of(reserved).contains(name);
    }

    /** Commits the prepared change. */
    public void commit(final Staged staged) throws IOException {
        if (staged.started != null) {
            synchronized (this) {
                final StoreState next = state.withActive(staged.id, staged.file);
                next.write(folder);
                StoreState.makeCurrent(folder);
                state = next;
            }
            registry.show(staged.started.bundle());
        }
        if (staged.liftsQuarantine) {
            quarantine.lift(staged.id);
        }
    }

    /** Undoes the prepared change. */
    public void abort(final Staged staged) throws InterruptedException {
        if (staged.started != null) {
            undo(staged.started);
            deleteUnneeded(staged.file);
        }
    }

    /** Ends a prepared change, so that the next one may begin. */
    void endChange() {
        changeLock.release();
    }

    /**
     * Stops to offer modules to jobs. Each is uninstalled when the last job that uses it ends. The file of the last retired module of a name is
     * kept for a rollback.
     */
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
            StoreState.makeCurrent(folder);
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

    /** Stops and uninstalls a bundle and refreshes its wirings, so that no classes of it remain. */
    private void remove(final Bundle bundle) throws InterruptedException {
        final String name = bundle.getSymbolicName() + " " + bundle.getVersion();
        try {
            TimeLimit.call("stop of bundle " + name, STOP_LIMIT, () -> {
                bundle.uninstall();
                return null;
            });
            context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION).adapt(FrameworkWiring.class).refreshBundles(List.of(bundle));
            registry.forget(bundle);
        } catch (final IOException e) {
            LOG.warn("bundle {} cannot be removed and stays hidden from jobs: {}", name, e.getMessage());
        }
    }
}
