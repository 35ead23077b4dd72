package tutti.daemon.part;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.container.BundleSource;
import tutti.daemon.jvm.JvmProcess;
import tutti.daemon.jvm.JvmSettings;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.node.ProofCounts;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.settings.JobJvmSettings;
import tutti.daemon.settings.NodeSettings;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeCatalogue;
import tutti.runtime.module.NodeModules;
import tutti.runtime.module.QuarantinedModule;
import tutti.runtime.transport.Transport;

/**
 * The job JVMs of this node. It keeps some ready, gives them to the parts of jobs, keeps those that are clean when their job has ended for the next
 * job of the same owner, kills all others, and ends all with the node. Safe for any thread.
 */
@Component(service = JvmPool.class)
public final class JvmPool implements JvmChanges.Node {
    private static final Logger LOG = LoggerFactory.getLogger(JvmPool.class);
    /** How long a job that has taken a JVM has the cores for itself, before the next one is started. */
    private static final long REFILL_MILLIS = 1_000;
    /** How long JVMs may take to end by themselves when the node stops. */
    private static final long STOP_MILLIS = 1_500;
    /** How long the end of killed JVMs may take, and the removal of their folders. */
    private static final long KILL_MILLIS = 5_000;
    /** How long a job waits for the comparison of a JVM that had one of its owner. Most take less; one that left something may take seconds. */
    private static final long COMPARE_MILLIS = 500;
    public static final String FOLDER = "jvms";

    /** Services and settings of the node that its job JVMs use. */
    record Node(BundleContext context, Transport transport, NodeSettings settings, String host, InetAddress bound, boolean byCertificate,
        NodeCatalogue modules, ModuleStore store, JobAgreements agreements) {}

    /**
     * Request of a part of a job for a JVM.
     *
     * @param owner   who runs the job; null if that is not known
     * @param isAlone whether the JVM is that of one rank, which gets one that had no job and that has no other
     * @param parent  the job that spawned this one, whose JVM it shares; null if none did
     * @param options options of the program for its JVM; with any, a new JVM is started
     */
    record Wanted(@Nullable String owner, boolean isAlone, @Nullable String parent, List<String> options) {}

    /** A JVM for a part, and the link of the part. */
    record Taken(JobJvm jvm, ControlChannel channel) {
        /** Returns the part in the JVM. */
        JobPart part() {
            return channel.conversation().peer(JobPart.class);
        }

        /** Returns the JVM, which takes the part. */
        PartJvm inJvm() {
            return channel.conversation().peer(PartJvm.class);
        }
    }

    private final Node node;
    private final JobJvmSettings limits;
    private final int ready;
    private final Path folder;
    private final JvmLinks links;
    /** JVMs without a part, those that are to be taken first at the begin; guarded by this object, as the following fields. */
    private final Deque<JobJvm> idle = new ArrayDeque<>();
    private final Collection<JobJvm> all = new LinkedHashSet<>();
    private final Set<JvmPart> parts = ConcurrentHashMap.newKeySet();
    /** Statistics of JVMs that have ended. */
    private JobJvmReports.Usage usageOfEnded = JobJvmReports.Usage.NONE;
    private int numbers;
    private boolean isClosed;

    /** Creates the pool of a node, without JVMs. */
    @Activate
    public JvmPool(final BundleContext context, @Reference(name = "node") final ListeningNode node,
        @Reference(name = "modules") final NodeCatalogue modules, @Reference(name = "store") final ModuleStore store,
        @Reference(name = "agreements") final JobAgreements agreements) {
        this(new Node(context, node.transport(), node.settings(), node.self().host(), node.bound(), node.isByCertificate(), modules, store,
            agreements));
        store.listenToOffers(this::modulesChanged);
    }

    /** Creates a pool without JVMs. */
    JvmPool(final Node node) {
        this.node = node;
        this.links = new JvmLinks(node.transport());
        this.limits = node.settings().jvms();
        this.ready = node.settings().oneRun() ? 0 : limits.ready();
        this.folder = node.settings().folder().resolve(FOLDER);
    }

    /** Starts the first JVMs; returns at once. */
    void open() {
        refill();
    }

    /**
     * Gives a JVM to a part of a job: that of the job which spawned it, one that had jobs of the same owner, one that had none, or a new one. Blocks
     * while it starts.
     *
     * @throws IOException when no JVM can be started; the message says why
     */
    Taken take(final Wanted wanted, final JvmPart part) throws IOException, InterruptedException {
        final JobJvm jvm;
        synchronized (this) {
            awaitComparison(wanted);
            final JobJvm found = find(wanted);
            jvm = found == null ? start(wanted.options()) : found;
            idle.remove(jvm);
            jvm.owner = wanted.owner();
            jvm.jobs++;
            jvm.parts.add(part);
        }
        parts.add(part);
        if (jvm.isLinked()) {
            refillLater();
        }
        try {
            jvm.await();
            final CompletableFuture<ControlChannel> linked = new CompletableFuture<>();
            final String secret = links.expect(linked, c -> {
                c.conversation().serve(PartListener.class, part.relay());
                return reason -> {
                    // the end of the process tells more
                };
            });
            try {
                jvm.tell(o -> o.openPart(secret));
                jvm.await(linked);
            } finally {
                links.forget(secret);
            }
            return new Taken(jvm, linked.join());
        } catch (final IOException e) {
            jvm.end();
            throw new IOException("the node cannot start a JVM for the job: " + e.getMessage(), e);
        } catch (final InterruptedException e) {
            jvm.end();
            throw e;
        }
    }

    /** Returns the JVM that a part gets; null for a new one. Called under the lock. */
    private @Nullable JobJvm find(final Wanted wanted) {
        if (!wanted.options().isEmpty()) {
            return null;
        }
        if (wanted.parent() != null && !wanted.isAlone()) {
            for (final JobJvm jvm : all) {
                if (!jvm.isOver() && jvm.parts.stream().anyMatch(p -> p.isShared() && p.spec().id().equals(wanted.parent()))) {
                    return jvm;
                }
            }
        }
        endOutdated();
        final JobJvm used = used(wanted);
        return used != null ? used : idle.stream().filter(j -> j.jobs == 0).findFirst().orElse(null);
    }

    /** Returns the JVM that had a job of the owner and waits for the next one; null for none. Called under the lock. */
    private @Nullable JobJvm used(final Wanted wanted) {
        return wanted.owner() == null || wanted.isAlone() ? null
            : idle.stream().filter(j -> wanted.owner().equals(j.owner)).findFirst().orElse(null);
    }

    /** Waits for the JVM of a job of the owner that has just ended, unless there is another one: its code is compiled. Called under the lock. */
    private void awaitComparison(final Wanted wanted) throws InterruptedException {
        final String owner = wanted.owner();
        if (owner == null || wanted.isAlone() || wanted.parent() != null || !wanted.options().isEmpty()) {
            return;
        }
        final long limit = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(COMPARE_MILLIS);
        long left = COMPARE_MILLIS;
        while (left > 0 && used(wanted) == null && all.stream().anyMatch(j -> j.isCompared && owner.equals(j.owner))) {
            wait(left);
            left = TimeUnit.NANOSECONDS.toMillis(limit - System.nanoTime());
        }
    }

    /** Ends JVMs without a part that have other transports than the node has now. Called under the lock. */
    private void endOutdated() {
        idle.removeIf(JobJvm::isOver);
        final List<JobJvm> outdated = idle.stream().filter(j -> !hasTransports(j)).toList();
        idle.removeAll(outdated);
        outdated.forEach(JobJvm::end);
    }

    private boolean hasTransports(final JobJvm jvm) {
        return jvm.transports.equals(transports());
    }

    /** Returns the transports that the container of the node has now. */
    private Set<ServiceReference<?>> transports() {
        try {
            final ServiceReference<?>[] found = node.context().getAllServiceReferences(Transport.class.getName(), null);
            return found == null ? Set.of() : Set.of(found);
        } catch (final InvalidSyntaxException | IllegalStateException e) {
            LOG.debug("the container of the node is stopping", e);
            return Set.of();
        }
    }

    /**
     * Takes a part back from a JVM. The JVM ends with its last part, unless it is clean and the next job of the owner may use it. It is killed if the
     * part has not ended.
     *
     * @param hasEnded whether nothing of the part is left in the JVM, as far as the JVM itself can tell
     */
    void released(final JvmPart part, final @Nullable JobJvm jvm, final boolean hasEnded) {
        parts.remove(part);
        if (jvm != null) {
            final boolean isLast;
            final boolean isKept;
            synchronized (this) {
                jvm.parts.remove(part);
                isLast = jvm.parts.isEmpty();
                isKept = hasEnded && !isClosed && ready > 0 && jvm.owner != null && part.isShared() && jvm.jobs < limits.reuse()
                    && hasTransports(jvm);
                jvm.isCompared = isLast && isKept;
            }
            if (isLast && isKept) {
                jvm.compare().thenAccept(differences -> keep(jvm, differences));
            } else if (isLast && hasEnded) {
                jvm.close();
            } else if (isLast) {
                jvm.end();
            }
        }
        refill();
        warmUp();
    }

    /** Keeps a JVM for the next job of its owner if it is clean. As many are kept as the node is to have ready; more would cost memory. */
    private void keep(final JobJvm jvm, final List<String> differences) {
        final List<JobJvm> surplus = new ArrayList<>();
        synchronized (this) {
            jvm.isCompared = false;
            notifyAll();
            if (differences.isEmpty() && !isClosed && jvm.parts.isEmpty() && !jvm.isOver()) {
                idle.addFirst(jvm);
                idle.stream().filter(j -> j.jobs > 0).skip(ready).forEach(surplus::add);
                idle.removeAll(surplus);
            } else if (jvm.parts.isEmpty()) {
                surplus.add(jvm);
            }
        }
        if (!differences.isEmpty()) {
            LOG.debug("a JVM is not used again, since its job has left something: pid={}: {}", jvm.pid(), differences);
        }
        surplus.forEach(JobJvm::close);
        refill();
    }

    /**
     * Starts a JVM if fewer are idle than the node is to have, or all of several had jobs; the next one when that is ready. Several at once would
     * take the cores from each other, and a job may wait for the first.
     */
    private synchronized void refill() {
        endOutdated();
        final long kept = idle.size() + all.stream().filter(j -> j.isCompared).count();
        final boolean isEnough = kept >= ready && (ready == 1 || idle.stream().anyMatch(j -> j.jobs == 0));
        if (!isClosed && ready > 0 && !isEnough && all.stream().allMatch(j -> j.isLinked() || j.isOver())) {
            idle.addLast(start(List.of()));
        }
    }

    private void refillLater() {
        CompletableFuture.delayedExecutor(REFILL_MILLIS, TimeUnit.MILLISECONDS).execute(this::refill);
    }

    /** Starts a JVM; the caller holds the lock. */
    private JobJvm start(final List<String> options) {
        final JobJvm jvm = new JobJvm(this);
        jvm.transports = transports();
        final int number = numbers++;
        all.add(jvm);
        jvm.ended().thenAccept(reason -> {
            ended(jvm, reason);
        });
        if (isClosed) {
            jvm.failed("the node is stopping");
            return jvm;
        }
        jvm.linked().thenAccept(channel -> {
            warmUp();
            if (parts.isEmpty()) {
                refill();
            } else {
                refillLater();
            }
        });
        Thread.ofVirtual().name("tutti-jvm-" + number).inheritInheritableThreadLocals(false).start(() -> start(jvm, number, options));
        return jvm;
    }

    private void start(final JobJvm jvm, final int number, final List<String> options) {
        final NodeSettings settings = node.settings();
        final String stored = settings.folder().toUri().toString();
        final String secret = jvm.expect(links);
        jvm.ended().thenRun(() -> links.forget(secret));
        try {
            jvm.started(JvmProcess.start(node.context(), number, limits,
                new JvmSettings(links.port(), secret, settings.name(), node.host(), node.bound().getHostAddress(),
                    settings.ports().toString(), node.byCertificate(), settings.access().secret(),
                    folder.resolve(Integer.toString(number)).toString(), settings.limits().ranks(), limits.threads(),
                    ready > 0 && limits.reuse() > 1 && options.isEmpty()),
                options, location -> location.startsWith(stored)));
        } catch (final IOException | RuntimeException e) {
            jvm.failed(Protocol.oneLine(e));
        }
    }

    private void ended(final JobJvm jvm, final String reason) {
        final boolean wasIdle;
        synchronized (this) {
            all.remove(jvm);
            wasIdle = idle.remove(jvm) && !isClosed;
            usageOfEnded = usageOfEnded.plus(jvm.usage);
            notifyAll();
        }
        if (wasIdle) {
            // the next job starts one, and says why if it cannot
            // Cause: it was killed, or the host lacks memory; the reason follows. Remedy: more memory, or a smaller `tutti.node.job.heap` or
            // `tutti.node.jvms`.
            LOG.error("a JVM for jobs has ended while it had none: pid={}: {}", jvm.pid(), reason);
        }
    }

    /** Tells idle JVMs to warm up, unless a job has the cores. */
    private void warmUp() {
        if (!node.settings().warmUp() || !parts.isEmpty()) {
            return;
        }
        final AgreedModules agreement = node.agreements().between(Map.of(node.settings().name(), node.modules().catalogue()));
        if (agreement == null) {
            return;
        }
        final List<JobJvm> cold;
        synchronized (this) {
            cold = idle.stream().filter(j -> j.jobs == 0).filter(JobJvm::begins).toList();
        }
        for (final JobJvm jvm : cold) {
            try {
                final OfferedModules offered = offered();
                jvm.tell(o -> o.warmUp(offered, agreement));
            } catch (final IOException e) {
                LOG.debug("no warm-up", e);
            }
        }
    }

    /** Offers JVMs without a job the modules that the node offers now, so that the next job does not wait for that. */
    public void modulesChanged() {
        final List<JobJvm> waiting;
        synchronized (this) {
            waiting = List.copyOf(idle);
        }
        try {
            if (!waiting.isEmpty()) {
                final OfferedModules offered = offered();
                waiting.forEach(j -> j.tell(o -> o.offered(offered)));
            }
        } catch (final IOException e) {
            LOG.debug("a module is being removed: the next job offers the others", e);
        }
    }

    @Override
    public OfferedModules offered() throws IOException {
        final Catalogue catalogue = node.modules().catalogue();
        final List<String> sources = new ArrayList<>();
        for (final ModuleId module : catalogue.modules()) {
            final Bundle bundle = node.store().bundle(module);
            if (bundle == null) {
                // Cause: a change of modules came between.
                throw new IOException("module " + module + " was removed meanwhile; try again");
            }
            sources.add(BundleSource.of(node.context(), bundle));
        }
        return new OfferedModules(catalogue, sources, catalogue.modules().stream().filter(node.store()::isAdded).toList());
    }

    @Override
    public NodeModules.Pinned pin() {
        return node.store().pin();
    }

    /** Takes over which modules a JVM knows to be in quarantine. */
    void merge(final List<QuarantinedModule> changed) {
        node.store().quarantine().merge(changed);
    }

    /** Tells the JVMs with a part which modules are in quarantine now. */
    public void quarantined(final List<QuarantinedModule> changed) {
        final List<JobJvm> busy;
        synchronized (this) {
            busy = all.stream().filter(j -> !j.parts.isEmpty()).toList();
        }
        busy.forEach(j -> j.tell(o -> o.quarantined(changed)));
    }

    /** Accepts the statistics of a JVM since its start. */
    synchronized void used(final JobJvm jvm, final JobJvmReports.Usage usage) {
        jvm.usage = usage;
    }

    private synchronized JobJvmReports.Usage usage() {
        return all.stream().map(j -> j.usage).reduce(usageOfEnded, JobJvmReports.Usage::plus);
    }

    /** Returns the statistics of the schedule caches of parts that have ended. */
    public CacheStatistics schedules() {
        return usage().schedules();
    }

    /** Returns the numbers of proofs of parts that have ended. */
    public ProofCounts proofs() {
        return usage().proofs();
    }

    /** Returns the numbers of messages of parts that have ended. */
    public MessageStatistics messages() {
        return usage().messages();
    }

    /** Returns the number of ranks that run. */
    public int running() {
        return parts.stream().mapToInt(JvmPart::running).sum();
    }

    /** Ends all JVMs and removes what they leave: idle ones at once, the others when their jobs have ended, which is soon. Blocks until then. */
    @Deactivate
    public void close() {
        synchronized (this) {
            isClosed = true;
            // others are ending by themselves
            all.stream().filter(j -> j.parts.isEmpty() && !j.isOver()).forEach(JobJvm::end);
            try {
                awaitEnd(STOP_MILLIS);
                all.forEach(JobJvm::end);
                awaitEnd(KILL_MILLIS);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                all.forEach(JobJvm::end);
            }
        }
        links.close();
    }

    /** Waits until all JVMs have ended, at most for that long. Called under the lock. */
    private void awaitEnd(final long millis) throws InterruptedException {
        final long limit = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = millis; left > 0 && !all.isEmpty(); left = TimeUnit.NANOSECONDS.toMillis(limit - System.nanoTime())) {
            wait(left);
        }
    }
}
