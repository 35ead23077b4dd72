package tutti.runtime.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.CollModule;
import tutti.coll.plan.PlanRecorder;
import tutti.runtime.affinity.CoreBinding;
import tutti.runtime.affinity.CoreOccupancy;
import tutti.runtime.comm.Rank;
import tutti.runtime.inspect.RankState;
import tutti.runtime.inspect.UnreceivedMessage;
import tutti.runtime.introspect.CacheStatistics;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.introspect.RankTrace;
import tutti.runtime.job.JobListener;
import tutti.runtime.job.JobProgram;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.LocalJob;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.job.Replacement;
import tutti.runtime.model.BindingMode;
import tutti.runtime.model.NodeLocality;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.PlanProver;
import tutti.runtime.process.ProgramClassPath;
import tutti.runtime.process.RankProcess;
import tutti.runtime.process.RankStreams;
import tutti.runtime.process.SharedClasses;
import tutti.runtime.process.owner.RankClasses;
import tutti.runtime.process.owner.RankHooks;
import tutti.runtime.process.owner.RankInput;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.process.owner.RankOutput;
import tutti.runtime.process.owner.RankProgram;
import tutti.runtime.registry.Lease;
import tutti.runtime.select.LiveModules;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/**
 * The part of a job on this node: the processes of its ranks, and their membership in MPI.
 *
 * <p><b>Threads.</b> Safe for any thread. The constructor sets all state but the number of ranks that are alive. The thread that ends the last rank
 * closes the job and completes {@link #ended}. Nothing here waits for another thread.
 */
final class HostedJob implements LocalJob {
    private static final Logger LOG = LoggerFactory.getLogger(HostedJob.class);
    /** Number of ranks on this node from which the classes are loaded before the ranks start. */
    private static final int MANY = 64;
    /** Number of messages that were not received and are told of one by one. */
    private static final int MOST_TOLD = 3;

    private final JobSpec spec;
    private final JobListener listener;
    private final ProgramClassPath classPath;
    private final JobRanks ranks;
    private final HostedModules modules;
    private final SharedClasses shared;
    private final List<RankProcess> processes = new ArrayList<>();
    /** The classes that the ranks need; loaded before many ranks start. */
    private final BundleClasses classes = new BundleClasses();
    private final RankInput input;
    private final AtomicInteger alive;
    private final AtomicBoolean hasStarted = new AtomicBoolean();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    /** Set when the nodes have agreed on the parameters, before ranks start. */
    private volatile CoreBinding binding = CoreBinding.NONE;
    private volatile boolean bindingIsReported;
    /** Set before ranks start. */
    private volatile PlanProver prover = PlanProver.NONE;

    HostedJob(final JobSpec spec, final JobListener listener, final Lease lease, final Collection<RankClasses> bundles) throws IOException {
        this.spec = spec;
        this.listener = listener;
        this.modules = new HostedModules(spec, lease, this::release);
        this.shared = new SharedClasses(bundles);
        this.input = new RankInput(listener::inputWanted, CoreOccupancy::leave, CoreOccupancy::enter);
        this.classPath = ProgramClassPath.open(spec.classPath());
        RankStreams.install();
        try {
            this.ranks = new JobRanks(spec, listener::nodeLost, new ProcessAbort());
            ranks.reportCanariesTo(listener::tried);
            ranks.reportTuningTo(listener::tuned);
            this.alive = new AtomicInteger(ranks.local().size());
            bundles.forEach(s -> classes.add(s.loader()));
            List.of(HostedJob.class, RankProcess.class, PlanRecorder.class, CollModule.class).forEach(c -> classes.add(c.getClassLoader()));
            for (final Rank rank : ranks.local()) {
                addProcess(rank);
            }
        } catch (final Throwable e) {
            RankStreams.uninstall();
            classPath.close();
            throw e;
        }
    }

    private void addProcess(final Rank rank) {
        final MpiHooks membership = new MpiHooks(rank, processes.size());
        final JobProgram program = spec.programOf(rank.worldRank());
        final RankProcess process = new RankProcess(new RankProgram(spec.id(), rank.worldRank(), program.mainClass(), program.args(),
            spec.environment(), program.options()), new MpiRankLoader(classPath, shared, rank), output(rank.worldRank()),
            rank.worldRank() == 0 ? input : null,
            membership);
        processes.add(process);
        process.ended().thenAccept(outcome -> ended(rank, membership, outcome));
    }

    private RankOutput output(final int rank) {
        return (error, bytes, offset, length) -> listener.output(rank, error, Arrays.copyOfRange(bytes, offset, offset + length));
    }

    private RankProcess process(final int worldRank) {
        return processes.stream().filter(p -> p.program().rank() == worldRank).findAny().orElseThrow();
    }

    int running() {
        return alive.get();
    }

    /** Returns the statistics of the schedule caches of the local ranks; entries and memory are counted for running ranks only. */
    CacheStatistics schedules() {
        CacheStatistics sum = CacheStatistics.NONE;
        for (final Rank rank : ranks.local()) {
            sum = sum.plus(rank.statistics());
        }
        return sum;
    }

    /** Returns the numbers of messages of the local ranks. */
    MessageStatistics messages() {
        return ranks.messages();
    }

    @Override
    public JobSpec spec() {
        return spec;
    }

    @Override
    public Catalogue catalogue() {
        return modules.catalogue();
    }

    @Override
    public NodeLocality locality() {
        return CoreBinding.locality();
    }

    @Override
    public CompletionStage<Void> connect(final AgreedModules agreement, final Map<String, Transport> transports,
        final List<NodeEndpoints> nodes) {
        try {
            final LiveModules agreed = modules.begin(agreement);
            modules.leased().forEach(m -> classes.add(m.module().getClass().getClassLoader()));
            bind(agreement.parameters());
            if (!agreed.newest().interceptors().isEmpty()) {
                shared.intercept().forEach(classPath::redirect);
            }
            ranks.setModules(agreed);
            return ranks.connect(transports, nodes);
        } catch (final IOException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    private void bind(final Map<String, String> parameters) throws IOException {
        binding = CoreBinding.of(BindingMode.of(parameters), processes.size());
        bindingIsReported = BindingMode.isReported(parameters);
    }

    @Override
    public void serve(final JobServices services) {
        prover = services.prover();
        ranks.serve(services);
    }

    /** Releases modules of which the ranks use no algorithm any more, when the proofs have released them. */
    private void release() {
        prover.release(modules.used()).thenRun(() -> listener.released(modules.trim()));
    }

    /** Returns the identity by which other jobs know this one. */
    String identity() {
        return ranks.identity();
    }

    LinkHandler accept(final Link link, final Hello hello) throws RefusedException {
        return ranks.accept(link, hello);
    }

    @Override
    public void start() {
        hasStarted.set(true);
        if (processes.size() < MANY) {
            processes.forEach(RankProcess::start);
        } else {
            // takes long, and the calling thread has messages of other nodes to handle
            Thread.ofPlatform().daemon().name("tutti-start-" + spec.id()).start(this::startMany);
        }
    }

    @Override
    public CompletionStage<Void> start(final Replacement place, final List<NodeEndpoints> linked) {
        final Rank rank = ranks.local().getFirst();
        if (ranks.local().size() > 1 || rank.worldRank() != place.rank() || place.rank() < spec.worldSize() || place.replaces() >= spec.worldSize()
            || place.members().stream().anyMatch(r -> r < 0 || r >= spec.size()) || linked.size() != spec.nodes().size()
            || !hasStarted.compareAndSet(false, true)) {
            throw new IllegalArgumentException("no part of a spare rank that waits: job=" + spec.id() + ", rank=" + rank.worldRank() + ", place="
                + place);
        }
        rank.replace(place);
        ranks.setNode(place.node());
        return ranks.link(linked).thenRun(() -> processes.forEach(RankProcess::start));
    }

    private void startMany() {
        RankProcess.reserve(2 * processes.size());
        LOG.debug("classes are loaded: job={}, classes={}", spec.id(), classes.load());
        processes.forEach(RankProcess::start);
    }

    @Override
    public List<RankState> inspect(final long waitedMillis) {
        if (!hasStarted.get() || waitedMillis > 0 && ranks.local().stream().noneMatch(r -> r.waitedMillis() >= waitedMillis)) {
            return List.of();
        }
        return ranks.local().stream().map(r -> r.inspect(process(r.worldRank()).activity())).toList();
    }

    @Override
    public long lastPoint() {
        return ranks.checkpoints().points().ask();
    }

    @Override
    public void checkpointAt(final long point) {
        ranks.checkpoints().points().decide(point);
    }

    @Override
    public void input(final byte[] bytes) {
        input.supply(bytes);
    }

    @Override
    public void cancel(final String reason) {
        processes.forEach(p -> p.terminate(reason));
    }

    @Override
    public void lose(final int[] failed, final String reason) {
        ranks.lose(failed, reason);
    }

    @Override
    public Catalogue lease(final int change) {
        return modules.lease();
    }

    @Override
    public void agree(final int change, final AgreedModules agreement) throws IOException {
        modules.agree(change, agreement);
    }

    @Override
    public CompletionStage<Void> change(final int change) {
        return ranks.follow(change);
    }

    @Override
    public void abandon(final int change) {
        modules.abandon(change);
    }

    @Override
    public CompletionStage<Void> ended() {
        return ended.minimalCompletionStage();
    }

    private void ended(final Rank rank, final MpiHooks membership, final RankOutcome outcome) {
        membership.leave();
        try {
            rank.end("rank " + rank.worldRank() + " has ended");
            rank.release();
            rank.ended();
            final RankTrace trace = rank.trace();
            if (trace != null) {
                listener.traced(trace);
            }
            rank.reports().forEach(listener::reported);
            tellUnreceived(rank);
            listener.rankEnded(rank.worldRank(), outcome(rank, outcome));
        } catch (final RuntimeException e) {
            // Cause: the link to the coordinator of the job is lost. Remedy: look at that node.
            LOG.error("end of a rank could not be reported: job={}, rank={}", spec.id(), rank.worldRank(), e);
        } finally {
            if (alive.decrementAndGet() == 0) {
                close();
            }
        }
    }

    /** Tells on the rank's error output of messages that it did not receive: often a wrong tag or one message too many. */
    private void tellUnreceived(final Rank rank) {
        final List<UnreceivedMessage> left = rank.unreceived();
        if (!left.isEmpty()) {
            final String first = left.stream().limit(MOST_TOLD).map(m -> m.bytes() + " bytes from "
                + (m.source() < 0 ? "another job" : "rank " + m.source()) + ", tag " + m.tag() + ", " + m.communicator())
                .collect(Collectors.joining("; "));
            listener.output(rank.worldRank(), true, ("tutti: rank " + rank.worldRank() + " did not receive " + (left.size() == 1 ? "a message"
                : left.size() + " messages") + " before MPI.Finalize: " + first + (left.size() > MOST_TOLD ? "; ..." : "") + "\n")
                .getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * Returns the outcome of a rank. A rank that ends after Init without Finalize would leave the others waiting forever: that is a failure, as
     * with any MPI.
     */
    private RankOutcome outcome(final Rank rank, final RankOutcome outcome) {
        if (outcome.isGood() && rank.isInitialized() && !rank.isFinished()) {
            return new RankOutcome(RankOutcome.Kind.FAILED, 1,
                (outcome.kind() == RankOutcome.Kind.EXITED ? "System.exit(0) was called" : "main returned")
                    + " after MPI.Init and without MPI.Finalize: call MPI.Finalize() at the end of main");
        }
        return outcome;
    }

    private void close() {
        ranks.leave();
        RankStreams.uninstall();
        // a wrong plan may be found after the ranks have ended, and proofs use the modules
        prover.close().whenComplete((done, e) -> {
            modules.close();
            try {
                classPath.close();
            } finally {
                ended.complete(null); // the host removes the job
                ranks.expectNoLinks();
            }
        });
    }

    /** Ends the process of a rank that ends the job. */
    private final class ProcessAbort implements JobRanks.Abort {
        @Override
        public void abort(final int worldRank, final int status) {
            process(worldRank).abort(status);
        }

        @Override
        public void fail(final int worldRank, final Throwable error, final boolean byPeer) {
            process(worldRank).fail(error, byPeer);
        }
    }

    /** Connects a rank's process to its MPI rank. */
    private final class MpiHooks implements RankHooks {
        private final Rank rank;
        /** Number of the rank among those of this node. */
        private final int index;
        private volatile boolean running;

        MpiHooks(final Rank rank, final int index) {
            this.rank = rank;
            this.index = index;
        }

        @Override
        public void before() {
            binding.bind(index);
            if (bindingIsReported) {
                listener.output(rank.worldRank(), true, ("rank " + rank.worldRank() + " on node " + spec.nodes().get(spec.self()) + " is "
                    + binding.describe(index) + "\n").getBytes(StandardCharsets.UTF_8));
            }
            CoreOccupancy.enter();
            running = true;
        }

        void leave() {
            if (running) {
                CoreOccupancy.leave();
            }
        }

        @Override
        public void wake(final String reason) {
            rank.end(reason);
        }
    }
}
