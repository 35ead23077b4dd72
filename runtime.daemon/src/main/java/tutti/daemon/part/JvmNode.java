package tutti.daemon.part;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Conversation;
import tutti.daemon.checkpoints.JobCheckpoints;
import tutti.daemon.checkpoints.Restart;
import tutti.daemon.container.ContainerMain;
import tutti.daemon.jvm.JvmSettings;
import tutti.daemon.modules.Quarantine;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.node.PortRange;
import tutti.daemon.proofs.JobProofs;
import tutti.daemon.proofs.NodeProofs;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.Credential;
import tutti.daemon.security.HelloVerifier;
import tutti.daemon.security.Role;
import tutti.daemon.settings.NodeAccess;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobServices;
import tutti.runtime.job.JobSpec;
import tutti.runtime.job.RankServices;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;
import tutti.runtime.module.QuarantinedModule;
import tutti.runtime.process.OneRankJvm;
import tutti.runtime.process.snapshot.JvmSnapshot;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/** The node of the ranks in a job JVM: has a link to the node that started the JVM, and runs the parts of jobs that this one gives it. */
final class JvmNode {
    private static final Logger LOG = LoggerFactory.getLogger(JvmNode.class);
    /** In the bundle of package {@code mpi}. */
    private static final String WARM_UP_PROGRAM = "tutti.mpi.programs.WarmUp";
    /** How long the JVM waits for its job before it warms up. */
    private static final long IDLE_MILLIS = 1_000;
    private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** Most platform threads by default, besides one per rank. */
    private static final int THREADS = 4_352;
    /** How long what an ended job has left may take to go by itself. */
    private static final Duration COMPARE_LIMIT = Duration.ofSeconds(5);

    private final JvmSettings settings;
    private final Transport transport;
    private final TransportRegistry registry;
    private final JobHost host;
    private final Quarantine quarantine;
    private final JvmModules modules;
    private final NodeProofs proofs = new NodeProofs();
    private final ControlChannel channel = ControlChannel.open(c -> {
        c.conversation().serve(JobJvmOrders.class, new Orders());
        return reason -> JvmProgram.end();
    });
    private final JobJvmReports node = channel.conversation().peer(JobJvmReports.class);
    private final AtomicInteger numbers = new AtomicInteger();
    private final RuntimeStreams streams = new RuntimeStreams(System.out, System.err);
    private final UnaryOperator<Transport> securing;
    /** Null when links have no certificates. */
    private final @Nullable HelloVerifier verifier;
    private final Listener listener;
    /** Snapshot of this JVM before its job; null before it is taken, and in a JVM that serves one job. Guarded by this object. */
    private @Nullable JvmSnapshot snapshot;
    private volatile int maxThreads;
    private volatile boolean isTaken;

    /** Creates the node of a JVM without a job, which listens for links between ranks. */
    JvmNode(final JvmSettings settings, final BundleContext context, final Transport transport, final TransportRegistry registry,
        final JobHost host, final NodeModules registered) throws IOException {
        this.settings = settings;
        this.transport = transport;
        this.registry = registry;
        this.host = host;
        this.quarantine = new Quarantine(Files.createDirectories(Path.of(settings.folder()).resolve("modules")), registered);
        this.modules = new JvmModules(context, registered, quarantine);
        final Credential own = settings.certified()
            ? new NodeAccess(settings.credential(), true, null).credential(new InetSocketAddress(settings.bound(), 0)) : null;
        this.securing = own == null ? UnaryOperator.identity() : own::over;
        this.verifier = own == null ? null : new HelloVerifier(own);
        this.maxThreads = settings.threads() > 0 ? settings.threads() : THREADS;
        this.listener = PortRange.parse(settings.ports())
            .open(port -> securing.apply(transport).listen(new InetSocketAddress(settings.bound(), port), this::accept));
    }

    /** Opens the link to the node. */
    void begin() throws IOException {
        streams.install();
        watchThreads();
        quarantine.listen(node::quarantined);
        connect(settings.secret(), channel);
        // takes longest for the first time, and the next job may come soon
        Thread.ofPlatform().daemon().name("tutti-snapshot").start(this::beforeJob);
    }

    /** Opens a link to the node, for a channel. */
    private void connect(final String secret, final ControlChannel of) throws IOException {
        of.attach(transport.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.port()),
            new Hello(Protocol.JVM, secret.getBytes(StandardCharsets.US_ASCII)), of, Protocol.LINK_LIMIT));
    }

    /** Carries out what the node tells this JVM. */
    private final class Orders implements JobJvmOrders {
        @Override
        public void openPart(final String secret) {
            isTaken = true;
            Thread.ofVirtual().name("tutti-part").start(() -> open(secret));
        }

        @Override
        public void offered(final OfferedModules offer) {
            Thread.ofVirtual().name("tutti-modules").start(() -> offerLoosely(offer));
        }

        @Override
        public void warmUp(final OfferedModules offer, final AgreedModules agreement) {
            CompletableFuture.delayedExecutor(IDLE_MILLIS, TimeUnit.MILLISECONDS,
                task -> Thread.ofPlatform().daemon().name("tutti-warm-up").start(task)).execute(() -> JvmNode.this.warmUp(offer, agreement));
        }

        @Override
        public void quarantined(final List<QuarantinedModule> changed) {
            Thread.ofVirtual().name("tutti-quarantine").start(() -> quarantine.merge(changed));
        }

        @Override
        public CompletionStage<List<String>> compare() {
            return CompletableFuture.completedStage(differences());
        }

        @Override
        public void end() {
            // its shutdown hooks run meanwhile
            Thread.ofPlatform().name("tutti-exit").start(() -> Runtime.getRuntime().exit(0));
        }
    }

    private void open(final String secret) {
        try {
            final Part part = new Part();
            connect(secret, part.link);
        } catch (final IOException e) {
            end("the link of a part cannot be opened: " + Protocol.oneLine(e));
        }
    }

    private void warmUp(final OfferedModules offer, final AgreedModules agreement) {
        try {
            if (!isTaken) {
                offer(offer);
                host.warmUp(WARM_UP_PROGRAM, agreement, transport);
                warmed();
            }
        } catch (final IOException e) {
            // the job will tell
            LOG.debug("no warm-up", e);
        }
    }

    private synchronized void offer(final OfferedModules offered) throws IOException {
        if (modules.offer(offered) && snapshot != null) {
            snapshot = JvmSnapshot.take();
        }
    }

    private void offerLoosely(final OfferedModules offered) {
        try {
            if (host.running() == 0) {
                offer(offered);
            }
        } catch (final IOException e) {
            // the next job offers them again, and tells
            LOG.debug("modules are not offered", e);
        }
    }

    /** Takes another snapshot, since the first job opens some things that stay open. */
    private synchronized void warmed() {
        if (!isTaken && settings.isReused()) {
            snapshot = JvmSnapshot.take();
        }
    }

    private synchronized void beforeJob() {
        if (snapshot == null && settings.isReused()) {
            snapshot = JvmSnapshot.take();
        }
    }

    private synchronized List<String> differences() {
        try {
            return snapshot == null ? List.of("there is no snapshot") : snapshot.differences(COMPARE_LIMIT);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of("interrupted");
        } catch (final RuntimeException | LinkageError e) {
            return List.of("cannot be compared: " + Protocol.oneLine(e));
        }
    }

    /** Accepts a link between ranks, as the node does. */
    private LinkHandler accept(final Link link, final Hello hello) throws RefusedException {
        if (verifier != null && verifier.verify(link.peerCertificate(), hello, Set.of()).role() != Role.NODE) {
            throw new RefusedException("links between ranks need a certificate for role " + Role.NODE);
        }
        return switch (hello.purpose()) {
            case JobHost.PURPOSE, JobHost.PURPOSE_PEER, JobHost.PURPOSE_PORT -> host.acceptor().accept(link, hello);
            default -> throw new RefusedException("unknown purpose: " + hello.purpose());
        };
    }

    /** Returns the address at which other nodes reach the ranks. */
    private HostPort address() {
        return new HostPort(settings.host(), listener.address().getPort());
    }

    /** Ends this JVM when it has too many threads. */
    private void watchThreads() {
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        while (top.getParent() != null) {
            top = top.getParent();
        }
        final ThreadGroup all = top;
        Thread.ofPlatform().group(all).daemon().priority(Thread.MAX_PRIORITY).name("tutti-threads").inheritInheritableThreadLocals(false)
            .start(() -> {
                while (all.activeCount() <= maxThreads) {
                    LockSupport.parkNanos(WATCH_NANOS);
                }
                end("too many threads: max=" + maxThreads + "; let the program start fewer, or raise " + NodeProperties.JOB_THREADS);
            });
    }

    private void end(final String reason) {
        ContainerMain.end(Path.of(settings.folder()), reason);
    }

    /** A part of a job in this JVM, with its link to the node. */
    private final class Part implements PartJvm, PartSupport {
        private final ControlChannel link = ControlChannel.open(c -> this::closed);
        private final Path folder = Path.of(settings.folder()).resolve("part-" + numbers.incrementAndGet());
        private final LocalPart part = new LocalPart(link.conversation().peer(PartListener.class), new PartOutput(streams), this, host,
            new JobTransports(registry, securing, securing.apply(transport), securing.apply(transport), address(),
                listener.address().getAddress(), JvmNode.this::accept, host.acceptor()),
            folder);
        /** Modules that were installed on the node. */
        private final Set<ModuleId> added = ConcurrentHashMap.newKeySet();
        /** Null before the order to prepare. */
        private volatile @Nullable JvmPreparation order;

        Part() {
            link.conversation().serve(PartJvm.class, this).serve(JobPart.class, part);
        }

        @Override
        public CompletionStage<PreparedPart> prepare(final JvmPreparation by) {
            return Conversation.result(() -> {
                order = by;
                try {
                    return prepareHere(by);
                } catch (final IOException | RuntimeException | LinkageError e) {
                    // classes may be missing after a module has started
                    throw e instanceof final CallFailedException told ? told : new CallFailedException(ExitStatus.FAILED, Protocol.oneLine(e), e);
                }
            });
        }

        @Override
        public CompletionStage<Void> offer(final OfferedModules offered) {
            return Conversation.result(() -> {
                try {
                    // no snapshot is taken: that of the JVM is one without a job
                    modules.offer(offered);
                    added.addAll(offered.added());
                    return null;
                } catch (final IOException | RuntimeException | LinkageError e) {
                    throw new CallFailedException(ExitStatus.FAILED, Protocol.oneLine(e), e);
                }
            });
        }

        private PreparedPart prepareHere(final JvmPreparation by) throws IOException {
            JvmNode.this.offer(by.modules());
            added.addAll(by.modules().added());
            beforeJob();
            final JobSpec spec = by.order().specOf(by.classPath().stream().map(Path::of).toList());
            if (RanksPerJvm.isAlone(spec)) {
                streams.separate(node::printed);
                OneRankJvm.begin(spec.id());
            }
            if (settings.threads() == 0) {
                maxThreads = Math.max(maxThreads, THREADS + RanksPerJvm.ranks(spec).size());
            }
            return part.prepare(by.order(), spec).reachedAt(address());
        }

        @Override
        public List<String> switches() {
            return List.of();
        }

        @Override
        public int maxRanks() {
            return settings.ranks();
        }

        @Override
        public @Nullable JobCheckpoints openCheckpoints(final JobSpec spec, final @Nullable Restart restart) {
            return null;
        }

        @Override
        public JobServices services(final LocalPart of, final AgreedJob job) {
            final JvmPreparation by = Objects.requireNonNull(order, "the part is prepared");
            final Restart restart = by.order().restart();
            return new JobServices(link.conversation().peer(RankServices.class), of.transports(securing.apply(transport)), job.reached(),
                job.localities(),
                by.places(),
                new JobProofs(proofs, quarantine, added::contains, of::wrong), new JvmCheckpoints(folder.resolve("checkpoints"),
                    restart == null ? 0 : restart.number(), link.conversation().peer(CheckpointFiles.class)));
        }

        @Override
        public void ended(final JobPart of) {
            node.used(new JobJvmReports.Usage(host.schedules().countersOnly(), proofs.counts(), host.messages()));
        }

        @Override
        public JobSpawner spawner() {
            return (request, parent, owner, agreement, client) -> {
                // Cause: a breach of the protocol by a job JVM, for example a program that reaches into the runtime. Remedy: look at the program.
                throw new IOException("the node starts the jobs that ranks spawn");
            };
        }

        private void closed(final String reason) {
            part.cancel("the node is gone: " + reason);
        }
    }
}
