package tutti.daemon.control;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
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
import java.util.function.Supplier;
import org.osgi.framework.BundleContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.child.ChildProcess;
import tutti.daemon.child.ChildSettings;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.node.ProofCounts;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.settings.JobIsolation;
import tutti.daemon.settings.NodeSettings;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeCatalogue;
import tutti.runtime.module.QuarantinedModule;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/**
 * JVMs of this node for the ranks of jobs, one for each job: starts some ahead, and ends all with the node. Their links come over loopback, each with
 * a secret that the process got on its standard input. Safe for any thread.
 */
final class ChildPool {
    private static final Logger LOG = LoggerFactory.getLogger(ChildPool.class);
    /** How long a job that has taken a child has the cores for itself, before the next one is started. */
    private static final long REFILL_MILLIS = 1_000;
    /** How long children may take to end by themselves when the node stops. */
    private static final long STOP_MILLIS = 1_500;
    /** How long the end of killed children may take, and the removal of their folders. */
    private static final long KILL_MILLIS = 5_000;
    static final String FOLDER = "isolated";

    /** Services and settings of the node that its children use. */
    record Node(BundleContext context, Transport transport, NodeSettings settings, String host, InetAddress bound, boolean byCertificate,
        NodeCatalogue modules, ModuleStore store, Supplier<AgreedModules> agreement) {}

    private final Node node;
    private final JobIsolation limits;
    private final Path folder;
    private final Map<String, Child> expected = new ConcurrentHashMap<>();
    private final Set<ChildPart> parts = ConcurrentHashMap.newKeySet();
    /** Children without a part, the oldest first; guarded by this object, as the following fields. */
    private final Deque<Child> idle = new ArrayDeque<>();
    private final Collection<Child> all = new LinkedHashSet<>();
    private CacheStatistics schedules = CacheStatistics.NONE;
    private ProofCounts proofs = new ProofCounts(0, 0, 0, Map.of());
    private MessageStatistics messages = MessageStatistics.NONE;
    private int numbers;
    private boolean isClosed;
    private Listener listener;

    /** Creates a pool without children. */
    ChildPool(final Node node) {
        this.node = node;
        this.limits = node.settings().isolation();
        this.folder = node.settings().folder().resolve(FOLDER);
    }

    /** Starts the first children; returns at once. */
    void open() throws IOException {
        listener = node.transport().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), this::accept);
        refill();
    }

    private LinkHandler accept(final Link link, final Hello hello) throws RefusedException {
        final String shown = new String(hello.payload(), StandardCharsets.US_ASCII);
        final Child child = hello.purpose().equals(Protocol.ISOLATED) ? expected.remove(shown) : null;
        if (child == null || !MessageDigest.isEqual(hello.payload(), child.secret().getBytes(StandardCharsets.US_ASCII))) {
            throw new RefusedException("not a JVM that this node has started");
        }
        return child.link(link);
    }

    /**
     * Returns a child that can run a part, and gives it to the part. Blocks while it starts.
     *
     * @throws IOException when no JVM can be started; the message says why
     */
    Child take(final ChildPart part) throws IOException, InterruptedException {
        Child child;
        synchronized (this) {
            for (child = idle.poll(); child != null && child.isOver(); child = idle.poll()) {
                LOG.debug("a JVM has ended while it was idle: pid={}", child.pid());
            }
            if (child == null) {
                child = start();
            }
        }
        CompletableFuture.delayedExecutor(REFILL_MILLIS, TimeUnit.MILLISECONDS).execute(this::refill);
        try {
            child.await();
        } catch (final IOException e) {
            throw new IOException("the node cannot start a JVM for the job: " + e.getMessage(), e);
        }
        child.give(part);
        parts.add(part);
        return child;
    }

    /** Forgets a part whose child has ended. */
    void released(final ChildPart part) {
        parts.remove(part);
        refill();
        warmUp();
    }

    /** Starts children until as many are idle as the node is to have. */
    private synchronized void refill() {
        idle.removeIf(Child::isOver);
        while (!isClosed && idle.size() < limits.warm()) {
            final Child child = start();
            idle.add(child);
            child.linked().thenAccept(channel -> warmUp());
        }
    }

    /** Starts a child; the caller holds the lock. */
    private Child start() {
        final Child child = new Child();
        final int number = numbers++;
        all.add(child);
        child.ended().thenAccept(reason -> {
            ended(child, reason);
        });
        if (isClosed) {
            child.failed("the node is stopping");
            return child;
        }
        expected.put(child.secret(), child);
        Thread.ofVirtual().name("tutti-isolate-" + number).inheritInheritableThreadLocals(false).start(() -> start(child, number));
        return child;
    }

    private void start(final Child child, final int number) {
        final NodeSettings settings = node.settings();
        final String stored = settings.folder().toUri().toString();
        try {
            child.started(ChildProcess.start(node.context(), number, limits,
                new ChildSettings(listener.address().getPort(), child.secret(), settings.name(), node.host(), node.bound().getHostAddress(),
                    settings.ports().toString(), node.byCertificate(), settings.access().secret(),
                    folder.resolve(Integer.toString(number)).toString(), settings.limits().ranks(),
                    settings.limits().threads(), limits.threads()),
                location -> location.startsWith(stored)));
        } catch (final IOException | RuntimeException e) {
            child.failed(Protocol.oneLine(e));
        }
    }

    private void ended(final Child child, final String reason) {
        expected.remove(child.secret());
        final boolean wasIdle;
        synchronized (this) {
            all.remove(child);
            wasIdle = idle.remove(child) && !isClosed;
            notifyAll();
        }
        if (wasIdle) {
            // the next job starts one, and says why if it cannot
            LOG.error("a JVM for jobs has ended before it had a job: pid={}: {}", child.pid(), reason);
        }
    }

    /** Tells idle children to warm up, unless a job has the cores. */
    private void warmUp() {
        if (!node.settings().warmUp() || !parts.isEmpty()) {
            return;
        }
        final AgreedModules agreement = node.agreement().get();
        final List<Child> cold;
        synchronized (this) {
            cold = agreement == null ? List.of() : idle.stream().filter(Child::begins).toList();
        }
        for (final Child child : cold) {
            try {
                child.channel().post(new Message.WarmUp(offered(), agreement));
            } catch (final IOException e) {
                LOG.debug("no warm-up", e);
            }
        }
    }

    /** Returns the modules that the node offers, with their bundles. */
    Message.OfferedModules offered() throws IOException {
        final Catalogue catalogue = node.modules().catalogue();
        final List<String> locations = new ArrayList<>();
        for (final ModuleId module : catalogue.modules()) {
            final String location = node.store().location(module);
            if (location == null) {
                throw new IOException("module " + module + " was removed meanwhile; start the job again");
            }
            locations.add(location);
        }
        return new Message.OfferedModules(catalogue, locations, catalogue.modules().stream().filter(node.store()::isAdded).toList());
    }

    /** Takes over which modules a child knows to be in quarantine. */
    void merge(final List<QuarantinedModule> changed) {
        node.store().quarantine().merge(changed);
    }

    /** Tells the children with a part which modules are in quarantine now. */
    void quarantined(final List<QuarantinedModule> changed) {
        parts.forEach(p -> p.post(new Message.Quarantined(changed)));
    }

    /** Adds the statistics of a part that ends. */
    synchronized void used(final Message.Usage usage) {
        schedules = schedules.plus(usage.schedules());
        proofs = proofs.plus(usage.proofs());
        messages = messages.plus(usage.messages());
    }

    /** Returns the statistics of the schedule caches of parts that have ended. */
    synchronized CacheStatistics schedules() {
        return schedules;
    }

    /** Returns the numbers of proofs of parts that have ended. */
    synchronized ProofCounts proofs() {
        return proofs;
    }

    /** Returns the numbers of messages of parts that have ended. */
    synchronized MessageStatistics messages() {
        return messages;
    }

    /** Returns the number of ranks that run. */
    int running() {
        return parts.stream().mapToInt(ChildPart::running).sum();
    }

    /** Ends all children and removes what they leave: idle ones at once, the others when their jobs have ended, which is soon. Blocks until then. */
    void close() {
        synchronized (this) {
            isClosed = true;
            idle.forEach(Child::end);
            try {
                awaitEnd(STOP_MILLIS);
                all.forEach(Child::end);
                awaitEnd(KILL_MILLIS);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                all.forEach(Child::end);
            }
        }
        if (listener != null) {
            listener.close();
        }
    }

    /** Waits until all children have ended, at most for that long. Called under the lock. */
    private void awaitEnd(final long millis) throws InterruptedException {
        final long limit = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = millis; left > 0 && !all.isEmpty(); left = TimeUnit.NANOSECONDS.toMillis(limit - System.nanoTime())) {
            wait(left);
        }
    }
}
