package tutti.runtime.host;

import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobListener;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.LocalJob;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.process.owner.RankClasses;
import tutti.runtime.registry.Lease;
import tutti.runtime.registry.ModuleProvider;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;
import tutti.runtime.wire.JobNetwork;

/**
 * Runs the local parts of the jobs on this node.
 *
 * <p><b>Threads.</b> Safe for any thread. Jobs and shared classes are concurrent collections. The lock of {@code jobs} is held only to add up
 * statistics, so that a job that ends is counted exactly once.
 */
@Component(service = JobHost.class)
public final class RuntimeJobHost implements JobHost {
    private final ModuleProvider modules;
    private final Collection<RankClasses> shared = new CopyOnWriteArrayList<>();
    private final Map<String, HostedJob> jobs = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable WarmUp> warmUp = new AtomicReference<>();
    /** Set before {@link #warmUp} is cleared, and read after it is set, so that no warm-up runs beside a job. */
    private volatile boolean warmUpIsOver;
    /** Statistics of jobs that have ended; guarded by {@link #jobs}. */
    private CacheStatistics endedStatistics = CacheStatistics.NONE;
    /** Messages of jobs that have ended; guarded by {@link #jobs}. */
    private MessageStatistics endedMessages = MessageStatistics.NONE;

    /** Creates a host whose jobs use the modules that are active on this node. */
    @Activate
    public RuntimeJobHost(@Reference(name = "modules") final ModuleProvider modules) {
        this.modules = modules;
        // opens what stays open
        CoreOccupancy.refresh();
    }

    @Reference(name = "shared", cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC,
        policyOption = ReferencePolicyOption.GREEDY)
    void addShared(final RankClasses classes) {
        shared.add(classes);
    }

    void removeShared(final RankClasses classes) {
        shared.remove(classes);
    }

    @Deactivate
    void stop() {
        stopWarmUp();
        jobs.values().forEach(j -> j.cancel("the node is stopping"));
    }

    @Override
    public LocalJob prepare(final JobSpec spec, final JobListener listener) throws IOException {
        check(spec);
        final Lease lease = modules.lease();
        final HostedJob job;
        try {
            CoreOccupancy.refresh();
            job = new HostedJob(spec, listener, lease, shared);
        } catch (final Throwable e) {
            lease.close();
            throw e;
        }
        if (jobs.putIfAbsent(spec.id(), job) != null) {
            job.cancel("a job with this id already runs here");
            throw new IllegalArgumentException("job already runs here: id=" + spec.id());
        }
        stopWarmUp();
        job.ended().thenRun(() -> ended(spec.id(), job));
        return job;
    }

    private static void check(final JobSpec spec) {
        if (spec.key().length < 16 || spec.key().length > 64) {
            throw new IllegalArgumentException("key length out of range: bytes=" + spec.key().length + ", range=16..64");
        }
        if (spec.self() < 0 || spec.self() >= spec.nodes().size()) {
            throw new IllegalArgumentException("node out of range: self=" + spec.self() + ", nodes=" + spec.nodes().size());
        }
        for (int r = 0; r < spec.size(); r++) {
            final int node = spec.nodeOfRank().get(r);
            if (node < 0 || node >= spec.nodes().size()) {
                throw new IllegalArgumentException("node out of range: rank=" + r + ", node=" + node + ", nodes=" + spec.nodes().size());
            }
        }
        if (spec.worldSize() > spec.size()) {
            throw new IllegalArgumentException("not one program per rank: ranks=" + spec.size() + ", programs=" + spec.programs());
        }
        for (int r = spec.worldSize(); r < spec.size(); r++) {
            if (spec.nodeOfRank().get(r) != spec.nodes().size() - spec.size() + r || spec.nodeOfRank().indexOf(spec.nodeOfRank().get(r)) < r) {
                throw new IllegalArgumentException("spare rank without a node of its own behind the others: rank=" + r + ", nodes="
                    + spec.nodeOfRank());
            }
        }
        if (!spec.nodeOfRank().contains(spec.self())) {
            throw new IllegalArgumentException("no rank on this node: self=" + spec.self());
        }
    }

    @Override
    public void warmUp(final String program, final AgreedModules agreement, final Transport transport) {
        final WarmUp run = new WarmUp(transport, modules, shared, new MachineLoad());
        warmUp.set(run);
        if (!warmUpIsOver) {
            run.run(program, agreement);
        }
        warmUp.compareAndSet(run, null); // it refers to modules, which may be removed
    }

    private void stopWarmUp() {
        warmUpIsOver = true;
        final WarmUp running = warmUp.getAndSet(null);
        if (running != null) {
            running.stop();
        }
    }

    @Override
    public int running() {
        return jobs.values().stream().mapToInt(HostedJob::running).sum();
    }

    private void ended(final String id, final HostedJob job) {
        synchronized (jobs) {
            endedStatistics = endedStatistics.plus(job.schedules().countersOnly());
            endedMessages = endedMessages.plus(job.messages());
            jobs.remove(id, job);
        }
    }

    @Override
    public CacheStatistics schedules() {
        synchronized (jobs) {
            CacheStatistics sum = endedStatistics;
            for (final HostedJob job : jobs.values()) {
                sum = sum.plus(job.schedules());
            }
            return sum;
        }
    }

    @Override
    public MessageStatistics messages() {
        synchronized (jobs) {
            MessageStatistics sum = endedMessages;
            for (final HostedJob job : jobs.values()) {
                sum = sum.plus(job.messages());
            }
            return sum;
        }
    }

    @Override
    public LinkAcceptor acceptor() {
        return this::accept;
    }

    private LinkHandler accept(final Link link, final Hello hello) throws RefusedException {
        final String id = JobNetwork.jobOf(hello);
        final HostedJob job = hello.purpose().equals(PURPOSE) ? jobs.get(id)
            : jobs.values().stream().filter(j -> j.identity().equals(id)).findAny().orElse(null);
        if (job == null && !hello.purpose().equals(PURPOSE)) {
            // Cause: a link of a rank reached a node after its job had ended.
            throw new RefusedException("the job has ended, or this is another daemon");
        }
        if (job == null) {
            // Cause: a link of a rank reached a node after its job had ended.
            throw new RefusedException("job does not run here: id=" + id);
        }
        return job.accept(link, hello);
    }
}
