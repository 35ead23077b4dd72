package tutti.daemon.modules;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
import org.jspecify.annotations.Nullable;
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
import tutti.daemon.command.SimilarNames;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;
import tutti.intercept.CallInterceptor;
import tutti.runtime.intercept.InterceptionOption;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;

/**
 * Store of the modules of this node: installs new modules, and removes old ones when no job uses them.
 *
 * <p>{@link #prepare} does everything of a change that can fail: it installs, resolves and starts the new bundle, hidden from jobs, creates its
 * module once, verifies its plans if requested, and writes a record of the change, and the states to which it leads, to disk. {@link #commit} then
 * offers the module to jobs, and {@link #finish} removes what it replaces; {@link #undo} restores the previous state. Each replaces the state
 * on disk first, so a node that is restarted continues where it was. One change at a time, from {@link #prepare} until it is finished or undone; when
 * its coordinator is lost before, {@link ChangeSettlement} decides it. Safe for any thread.
 */
@Component(service = ModuleStore.class)
public final class ModuleStore implements ModuleOffers {
    private static final Logger LOG = LoggerFactory.getLogger(ModuleStore.class);
    private static final long LOCK_SECONDS = 5;
    private static final long LED_SECONDS = 20;
    /** Most modules of a store whose settings say nothing else. */
    private static final int MAX_MODULES = 256;
    private static final String REFERENCE = "reference:";
    static final String BASIC = "basic";
    private static final Consumer<String> NO_STEPS = step -> {
        // nobody waits for them
    };

    private final BundleContext context;
    private final NodeModules registry;
    private final Path folder;
    private final Path signers;
    private final int maxModules;
    /** Held while a change is led by a coordinator, or is not decided. */
    private final Semaphore changeLock = new Semaphore(1);
    /** Lock of the outcomes of changes that no coordinator leads. */
    private final Object settling = new Object();
    private final Quarantine quarantine;
    private final StateFile disk;
    private StoreState state;
    /** Id of the change that a coordinator leads; null when there is none. */
    private @Nullable String led;
    /** The prepared change; null when there is none, and after a restart. */
    private @Nullable Staged staged;
    private volatile Runnable onUnsettled = () -> {
        // nobody listens yet
    };
    private volatile Runnable onOffersChanged = () -> {
        // nobody listens yet
    };
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
     * @param folder  folder for the bundles and the state
     * @param signers file with the certificates whose holders may sign modules; null when modules need not be signed
     * @param steps   receives the steps on the disk
     */
    ModuleStore(final BundleContext context, final NodeModules registry, final Path folder, final Path signers, final StateFile.Steps steps)
        throws IOException {
        this(context, registry, folder, signers, MAX_MODULES, steps);
    }

    private ModuleStore(final BundleContext context, final NodeModules registry, final Path folder, final Path signers, final int maxModules,
        final StateFile.Steps steps) throws IOException {
        this.maxModules = maxModules;
        this.signers = signers;
        this.context = context;
        this.registry = registry;
        this.folder = Files.createDirectories(folder.toAbsolutePath());
        this.disk = new StateFile(this.folder, steps);
        this.state = stateOfLastRun();
        if (state.change() != null) {
            changeLock.acquireUninterruptibly();
        }
        this.quarantine = new Quarantine(this.folder, registry);
    }

    /** Reads the state. A damaged file is set aside, and the store begins without modules. */
    private StoreState stateOfLastRun() throws IOException {
        try {
            return disk.read();
        } catch (final StateFile.DamagedException e) {
            final Path aside = disk.setAside();
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

    /** Sets what runs whenever other modules are offered than before; it must not block. */
    public void listenToOffers(final Runnable listener) {
        onOffersChanged = listener;
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
            files.filter(f -> !StateFile.is(f) && !Quarantine.isFile(f) && !state.needs(f)).forEach(TempFolders::delete);
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
                restore(m);
            }
        }
    }

    private void restore(final StoredModule module) throws InterruptedException {
        try {
            restore(Path.of(module.file()));
        } catch (final IOException e) {
            LOG.error("module {} of an earlier run cannot be started: {}", module.id(), e.getMessage());
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
    private List<Bundle> stored() {
        return Arrays.stream(context.getBundles()).filter(b -> b.getLocation().startsWith(location(folder))).toList();
    }

    /** Uninstalls the modules of the store, unless the framework is stopping, which keeps or drops them with its other bundles. */
    @Deactivate
    void close() throws InterruptedException {
        if (context.getBundle(Constants.SYSTEM_BUNDLE_LOCATION).getState() == Bundle.STOPPING) {
            return;
        }
        // a change that is not decided keeps the lock
        final boolean locked = unsettled() == null && changeLock.tryAcquire(LOCK_SECONDS, TimeUnit.SECONDS);
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

    /** Returns the failure of a node to store a module that it receives. */
    public static IOException notStored(final ProgramFile file, final Path folder, final IOException cause) {
        // the store of programs names file and folder, too
        final IOException reason = cause.getCause() instanceof final IOException root ? root : cause;
        return new IOException("module cannot be stored: file=" + file.name() + ", folder=" + folder + ", reason=" + Protocol.oneLine(reason), cause);
    }

    /** Returns a new path for a file or folder that is being received. */
    Path incoming() {
        return folder.resolve("incoming-" + Long.toHexString(ThreadLocalRandom.current().nextLong()));
    }

    /**
     * Prepared change.
     *
     * @param id              module that is installed; null when modules are removed
     * @param started         its bundle; null when nothing was installed
     * @param file            its file; null when nothing was installed
     * @param replaced        modules that the change removes at its end
     * @param liftsQuarantine whether the change lifts the quarantine of the module
     * @param unproved        why the module was verified in this JVM and not in a process of its own; null when it was not
     */
    record Staged(@Nullable ModuleId id, @Nullable Started started, @Nullable Path file, List<ModuleId> replaced, boolean liftsQuarantine,
        @Nullable String unproved) {
    }

    /** Started bundle, hidden from jobs. A bundle that is not fresh was running already, for a job that uses it. */
    private record Started(Bundle bundle, ModuleId id, boolean fresh) {}

    /**
     * Prepares a change, which the caller leads until {@link #endLead}. Blocks, for about 50 s at most, while other changes are in progress and
     * while the bundle's code runs.
     *
     * @param change   id of the change
     * @param nodes    names of all nodes of the change
     * @param what     what is changed
     * @param incoming the bundle's file, which is moved; null when the change has no file
     * @throws IOException when the change cannot be prepared; then nothing has changed, and {@link #endLead} must not be called
     */
    Staged prepare(final String change, final List<String> nodes, final ModuleChange what, final Path incoming)
        throws IOException, InterruptedException {
        return prepare(change, nodes, what, incoming, null);
    }

    /** Prepares an installation as {@link #prepare} does, verifies the module in this JVM, and names the steps before they begin. */
    Staged prepareHere(final ModuleChange what, final Path incoming, final Consumer<String> steps) throws IOException, InterruptedException {
        return prepare("proof", List.of("proof"), what, incoming, steps);
    }

    private Staged prepare(final String change, final List<String> nodes, final ModuleChange what, final Path incoming,
        final @Nullable Consumer<String> steps) throws IOException, InterruptedException {
        beginLead(change, what.force());
        boolean ready = false;
        try {
            final Staged next = switch (what.kind()) {
                case INSTALL, UPDATE -> steps != null ? install(what, incoming, null, steps) : proveAndInstall(what, incoming);
                case ROLLBACK -> restorePrevious(what);
                case UNINSTALL -> checkRemoval(what);
            };
            try {
                record(change, nodes, next);
            } catch (final IOException e) {
                drop(next);
                throw e;
            }
            ready = true;
            return next;
        } finally {
            if (!ready) {
                endLead();
            }
        }
    }

    /** Waits until no other change is in progress. With force, a change that is still not decided then ends as this node has voted. */
    private void beginLead(final String change, final boolean force) throws IOException, InterruptedException {
        if (!awaitOthers()) {
            final UnfinishedChange open = unsettled();
            if (open == null) {
                throw new IOException("another change of modules is in progress");
            }
            if (!force) {
                throw new IOException("change " + open.id() + " is not decided, since too few of its nodes answer: nodes="
                    + String.join(",", open.nodes()) + "; start these nodes, or decide it for this one with: --force");
            }
            decide(open.id(), open.phase() == ChangePhase.COMMITTED);
            if (!changeLock.tryAcquire(LOCK_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("another change of modules is in progress");
            }
        }
        synchronized (this) {
            led = change;
        }
    }

    /** Waits for a change that a coordinator leads as long as it may take, and less for one that is not decided; returns whether it is over. */
    private boolean awaitOthers() throws InterruptedException {
        for (long i = 0; i < LED_SECONDS; i += LOCK_SECONDS) {
            if (changeLock.tryAcquire(LOCK_SECONDS, TimeUnit.SECONDS)) {
                return true;
            }
            if (unsettled() != null) {
                return false;
            }
        }
        return false;
    }

    /**
     * Ends the lead of a change's coordinator: the next change may begin when this one was finished or undone. Otherwise it is left to the listener
     * of {@link #listen}.
     */
    void endLead() {
        synchronized (this) {
            led = null;
            if (state.change() == null) {
                changeLock.release();
                return;
            }
        }
        onUnsettled.run();
    }

    /** Sets the listener of changes that no coordinator leads any more and that are not decided. It must not block. */
    void listen(final Runnable listener) {
        onUnsettled = listener;
    }

    /** Returns the change that is not decided and that no coordinator leads; null when there is none. */
    synchronized @Nullable UnfinishedChange unsettled() {
        return led == null ? state.change() : null;
    }

    /** Returns whether there is a change that is not decided and that no coordinator leads. */
    public boolean isUnsettled() {
        return unsettled() != null;
    }

    /** Returns the phase of a change on this node. */
    public synchronized ChangePhase phase(final String change) {
        final UnfinishedChange open = state.change();
        if (change.equals(led)) {
            return ChangePhase.LED;
        }
        return open != null && open.id().equals(change) ? open.phase()
            : state.finished().contains(change) ? ChangePhase.FINISHED : ChangePhase.UNKNOWN;
    }

    /** Writes the record of a prepared change, after the states to which it leads, for which there is space then. */
    private synchronized void record(final String change, final List<String> nodes, final Staged next) throws IOException {
        final StoreState before = state.content();
        final StoreState committed = next.started == null ? before : before.withActive(next.id, next.file);
        StoreState after = committed;
        for (final ModuleId m : next.replaced) {
            final Bundle bundle = registry.bundleOf(m);
            if (bundle != null) {
                after = after.previous(m, file(bundle), !file(bundle).startsWith(folder));
            }
        }
        final UnfinishedChange open = new UnfinishedChange(change, nodes, ChangePhase.PREPARED, before, committed, after);
        try {
            disk.reserve(state.in(open.in(ChangePhase.COMMITTED)));
            disk.reserve(state.finished(open));
            replace(state.in(open));
        } catch (final IOException e) {
            disk.release();
            throw e;
        }
        staged = next;
    }

    private void replace(final StoreState next) throws IOException {
        disk.replace(next);
        state = next;
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
            return new Staged(present, null, null, replacedBy(change, present), lifts(change, present), null);
        }
        final int modules = registry.catalogue().modules().size();
        if (change.kind() == ModuleChange.Kind.INSTALL && modules >= maxModules) {
            throw new IOException(
                "too many modules: modules=" + modules + ", limit=" + NodeProperties.MODULES + "; uninstall some, or raise the limit in "
                    + "the node's configuration");
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
                if (change.verify()) {
                    steps.accept("query and plans");
                    InstallVerification.verify(started.id(), started.bundle(), registry);
                }
                return new Staged(started.id(), started, file, replacedBy(change, started.id()), lifts(change, started.id()), note);
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

    private Staged restorePrevious(final ModuleChange change) throws IOException, InterruptedException {
        final StoredModule previous = state().previous(change.name())
            .orElseThrow(() -> new IOException("no earlier version of module " + change.name() + " is kept"));
        final Path file = Path.of(previous.file());
        return new Staged(previous.id(), start(file), file, replacedBy(change, previous.id()), false, null);
    }

    /**
     * Returns the modules that a change removes from this node at its end. An installation on some nodes alone leaves this to the coordinator, which
     * knows what the others have.
     */
    private List<ModuleId> replacedBy(final ModuleChange change, final ModuleId module) {
        return switch (change.kind()) {
            case UPDATE, ROLLBACK -> versions(module.name()).stream().filter(m -> !m.equals(module)).toList();
            case INSTALL -> !change.nodes().isEmpty() ? List.of()
                : versions(module.name()).stream().filter(m -> m.version().compareTo(module.version()) < 0).toList();
            case UNINSTALL -> versions(change.name()).stream()
                .filter(m -> change.version() == null || m.version().toString().equals(change.version())).toList();
        };
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
        final List<ModuleId> replaced = replacedBy(change, null);
        if (replaced.isEmpty()) {
            throw new IOException("no such module: " + change.name() + (change.version() != null ? " " + change.version()
                : SimilarNames.nearest(change.name(), registry.catalogue().modules().stream().map(ModuleId::name).toList())));
        }
        return new Staged(null, null, null, replaced, false, null);
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

    /** Commits the prepared change: offers its module beside those that it replaces. */
    void commit() throws IOException, InterruptedException {
        final Staged committed;
        final StoreState before;
        synchronized (this) {
            before = state;
            final UnfinishedChange open = before.change();
            if (open == null || open.phase() == ChangePhase.UNDONE) {
                throw new IOException("the change is not prepared");
            }
            if (open.phase() == ChangePhase.COMMITTED) {
                return;
            }
            replace(state.in(open.in(ChangePhase.COMMITTED)));
            committed = staged;
        }
        follow(before);
        if (committed != null && committed.liftsQuarantine) {
            quarantine.lift(committed.id);
        }
    }

    /** Finishes the change, which most of its nodes have committed: stops to offer what it replaces. Has no effect when it is decided. */
    void finish() throws IOException, InterruptedException {
        end(true);
    }

    /** Undoes the change. Has no effect when it is decided. */
    void undo() throws IOException, InterruptedException {
        end(false);
    }

    private void end(final boolean forward) throws IOException, InterruptedException {
        final StoreState before;
        final Staged last;
        synchronized (this) {
            before = state;
            final UnfinishedChange open = before.change();
            if (open == null) {
                return;
            }
            replace(forward ? state.finished(open) : state.undone(open));
            disk.release();
            last = staged;
            staged = null;
        }
        follow(before);
        if (!forward && last != null) {
            drop(last);
        }
        before.files().distinct().forEach(f -> deleteUnneeded(Path.of(f)));
    }

    /** Votes against the change that is not decided. */
    private synchronized void refuse() throws IOException {
        if (state.change() != null && state.change().phase() == ChangePhase.PREPARED) {
            replace(state.in(state.change().in(ChangePhase.UNDONE)));
        }
    }

    /** Votes on a change that no coordinator leads and that is not decided. Has no effect on other changes. */
    void vote(final String change, final boolean commit) throws IOException, InterruptedException {
        synchronized (settling) {
            if (isUnsettled(change)) {
                if (commit) {
                    commit();
                } else {
                    refuse();
                }
            }
        }
    }

    /** Finishes or undoes a change that no coordinator leads and that is not decided. Has no effect on other changes. */
    void decide(final String change, final boolean commit) throws IOException, InterruptedException {
        synchronized (settling) {
            if (isUnsettled(change)) {
                try {
                    end(commit);
                } finally {
                    synchronized (this) {
                        if (state.change() == null) {
                            changeLock.release();
                        }
                    }
                }
                LOG.info("change {} of modules is {} on this node", change, commit ? "finished" : "undone");
            }
        }
    }

    private boolean isUnsettled(final String change) {
        final UnfinishedChange open = unsettled();
        return open != null && open.id().equals(change);
    }

    /** Removes the bundle of a change that is not carried out. */
    private void drop(final Staged failed) throws InterruptedException {
        if (failed.started != null && !registry.isOffered(failed.started.bundle())) {
            undo(failed.started);
            deleteUnneeded(failed.file);
        }
    }

    /** Offers the modules that the state has and the one before had not, and stops to offer those that only the one before had. */
    private void follow(final StoreState before) throws InterruptedException {
        final StoreState now = state();
        for (final StoredModule m : now.modules()) {
            if (m.status() == StoredModule.Status.ACTIVE && !before.modules().contains(m)) {
                final Bundle bundle = context.getBundle(location(Path.of(m.file())));
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
        onOffersChanged.run();
    }

    /**
     * Stops to offer modules to jobs. Each is uninstalled when the last job that uses it ends. The file of the last retired module of a name is
     * kept for a rollback.
     */
    public void retire(final Collection<ModuleId> modules) throws IOException, InterruptedException {
        if (!changeLock.tryAcquire(LOCK_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("another change of modules is in progress");
        }
        try {
            final StoreState before = state();
            StoreState next = before;
            for (final ModuleId id : modules) {
                final Bundle bundle = registry.bundleOf(id);
                if (bundle != null) {
                    next = next.previous(id, file(bundle), !file(bundle).startsWith(folder));
                }
            }
            if (!next.equals(before)) {
                synchronized (this) {
                    replace(next);
                }
                follow(before);
                before.files().forEach(f -> deleteUnneeded(Path.of(f)));
            }
        } finally {
            changeLock.release();
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
            TimeLimit.call("stop of bundle " + name, () -> {
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
