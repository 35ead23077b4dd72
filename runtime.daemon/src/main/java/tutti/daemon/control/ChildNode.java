package tutti.daemon.control;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.channel.ChannelReceiver;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.child.ChildMain;
import tutti.daemon.child.ChildSettings;
import tutti.daemon.modules.JobProofs;
import tutti.daemon.modules.NodeProofs;
import tutti.daemon.modules.Quarantine;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeProperties;
import tutti.daemon.node.PortRange;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.Protocol;
import tutti.daemon.security.Credential;
import tutti.daemon.security.HelloVerifier;
import tutti.daemon.security.Role;
import tutti.daemon.settings.NodeAccess;
import tutti.runtime.intercept.InterceptorReport;
import tutti.runtime.job.JobHost;
import tutti.runtime.job.JobSpec;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeModules;
import tutti.runtime.process.JvmGuard;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/**
 * The service of a JVM that a node has started for the ranks of a job: opens the link to the node, and runs the part of the job that the node gives
 * it. Accepts the line of settings that {@link ChildMain} has read. Not used on nodes.
 */
@Component(service = Consumer.class, property = ChildMain.SERVICE + "=true")
public final class ChildNode implements Consumer<String>, ChannelReceiver {
    /** How long the JVM waits for its job before it warms up. */
    private static final long IDLE_MILLIS = 1_000;
    private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** Threads that are not of the ranks. */
    private static final int OWN_THREADS = 256;

    private final BundleContext context;
    private final Transport transport;
    private final TransportRegistry registry;
    private final JobHost host;
    private final NodeModules registered;
    private final NodeProofs proofs = new NodeProofs();
    private final ControlChannel channel = ControlChannel.open(c -> this);
    private final ChildServices services = new ChildServices(channel);
    private ChildSettings settings;
    private Quarantine quarantine;
    private ChildModules modules;
    private UnaryOperator<Transport> securing = UnaryOperator.identity();
    /** Null when links have no certificates. */
    private HelloVerifier verifier;
    /** Null before the part is prepared. */
    private volatile JobPartServer part;
    private volatile boolean isTaken;

    /** Creates the service of a JVM without a job. */
    @Activate
    public ChildNode(final BundleContext context,
        @Reference(name = "transport", target = "(" + Transport.SCHEME + "=" + JobTransports.OWN_SCHEME + ")") final Transport transport,
        @Reference(name = "registry") final TransportRegistry registry, @Reference(name = "host") final JobHost host,
        @Reference(name = "modules") final NodeModules registered) {
        this.context = context;
        this.transport = transport;
        this.registry = registry;
        this.host = host;
        this.registered = registered;
    }

    @Override
    public void accept(final String line) {
        try {
            settings = MessageCodec.read(line, ChildSettings.class);
            quarantine = new Quarantine(Files.createDirectories(Path.of(settings.folder()).resolve("modules")), registered);
            modules = new ChildModules(context, registered, quarantine);
            if (settings.certified()) {
                final Credential own = new NodeAccess(settings.credential(), true, null).credential(new InetSocketAddress(settings.bound(), 0));
                securing = own::over;
                verifier = new HelloVerifier(own);
            }
            host.protect(settings.allThreads() > 0 ? Math.min(settings.threads(), settings.allThreads()) : settings.threads(), true);
            host.endsWithJob();
            JvmGuard.await();
            channel.attach(transport.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.port()),
                new Hello(Protocol.ISOLATED, settings.secret().getBytes(StandardCharsets.US_ASCII)), channel, Protocol.LINK_LIMIT));
        } catch (final IOException e) {
            throw new IllegalStateException(Protocol.oneLine(e), e);
        }
    }

    @Override
    public void message(final Message message) {
        switch (message) {
            case Message.PrepareIsolated p -> {
                isTaken = true;
                Thread.ofVirtual().name("tutti-prepare-" + p.prepare().job()).start(() -> prepare(p));
            }
            case Message.WarmUp w -> CompletableFuture.delayedExecutor(IDLE_MILLIS, TimeUnit.MILLISECONDS,
                task -> Thread.ofPlatform().daemon().name("tutti-warm-up").start(task)).execute(() -> warmUp(w));
            case Message.Served s -> services.served(s);
            case Message.Quarantined q -> Thread.ofVirtual().name("tutti-quarantine").start(() -> quarantine.merge(q.changed()));
            default -> part.message(message);
        }
    }

    private void warmUp(final Message.WarmUp with) {
        try {
            if (!isTaken) {
                offer(with.modules());
                host.warmUp(NodeService.WARM_UP_PROGRAM, with.agreement(), transport);
            }
        } catch (final IOException e) {
            // the job will tell
        }
    }

    private synchronized void offer(final Message.OfferedModules offered) throws IOException {
        modules.offer(offered);
    }

    private void prepare(final Message.PrepareIsolated p) {
        try {
            offer(p.modules());
            quarantine.listen(changed -> channel.post(new Message.Quarantined(changed)));
            final Message.Prepare prepare = p.prepare();
            final JobSpec spec = new JobSpec(prepare.job(), prepare.key(), prepare.nodes(), prepare.nodeOfRank(), prepare.self(), prepare.programs(),
                p.classPath().stream().map(Path::of).toList(), prepare.parent(), prepare.environment());
            watchThreads(spec);
            final Transport own = securing.apply(transport);
            final Listener listener = PortRange.parse(settings.ports())
                .open(port -> own.listen(new InetSocketAddress(settings.bound(), port), this::accept));
            final HostPort address = new HostPort(settings.host(), listener.address().getPort());
            final JobTransports transports = new JobTransports(registry, securing, own, own, address, listener.address().getAddress(), this::accept);
            final Set<ModuleId> added = Set.copyOf(p.modules().added());
            final Path folder = Path.of(settings.folder()).resolve("part");
            final PartSupport support = new PartSupport(own, new PublishedNames(settings.name(), name -> Map.of()), null, p::places, Map::of,
                () -> folder, settings.ranks(), onWrong -> new JobProofs(proofs, quarantine, added::contains, onWrong), List::of, null,
                (to, with, files) -> new JobPart(new Reports(to, address), with, files),
                (with, nodes, prover, none, owner) -> services.of(own, nodes, prover, p.places(),
                    new ChildCheckpoints(folder.resolve("checkpoints"),
                        prepare.restart() == null ? 0 : prepare.restart().number(), services::checkpoint)));
            part = new JobPartServer(channel, host, transports, support, folder, () -> null);
            part.prepare(spec, prepare.transport(), null);
        } catch (final IOException | RuntimeException | LinkageError e) {
            // classes may be missing after a module has started, and the node waits for a report
            channel.post(new Message.Progress(Message.Phase.FAILED, ExitStatus.FAILED, Protocol.oneLine(e)));
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

    /** Ends this JVM when it has too many threads. */
    private void watchThreads(final JobSpec spec) {
        final long ranks = spec.nodeOfRank().stream().filter(n -> n == spec.self()).count();
        final long max = settings.allThreads() > 0 ? settings.allThreads() : ranks + settings.threads() + OWN_THREADS;
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        while (top.getParent() != null) {
            top = top.getParent();
        }
        final ThreadGroup all = top;
        Thread.ofPlatform().group(all).daemon().priority(Thread.MAX_PRIORITY).name("tutti-threads").inheritInheritableThreadLocals(false)
            .start(() -> {
                while (all.activeCount() <= max) {
                    LockSupport.parkNanos(WATCH_NANOS);
                }
                end("too many threads: max=" + max + "; let the program start fewer, or raise " + NodeProperties.JOB_THREADS);
            });
    }

    private void end(final String reason) {
        ChildMain.end(Path.of(settings.folder()), reason);
    }

    @Override
    public void outputCredit(final int bytes) {
        part.outputCredit(bytes);
    }

    @Override
    public void input(final byte[] bytes) {
        part.input(bytes);
    }

    @Override
    public void closed(final String reason) {
        ChildMain.end();
    }

    /** Reports of the part, with what the node does not know. */
    private final class Reports implements JobPartListener {
        private final JobPartListener to;
        private final HostPort ports;

        Reports(final JobPartListener to, final HostPort ports) {
            this.to = to;
            this.ports = ports;
        }

        @Override
        public void report(final Message message) {
            if (message instanceof final Message.Prepared p) {
                to.report(new Message.Prepared(p.catalogue(), p.transports(), p.listener(), ports));
                return;
            }
            if (message instanceof final Message.Progress p && p.phase() == Message.Phase.ENDED) {
                to.report(new Message.Usage(host.schedules().countersOnly(), proofs.counts(), host.messages()));
            }
            to.report(message);
        }

        @Override
        public void printed(final int rank, final boolean error, final byte[] bytes) throws InterruptedException {
            to.printed(rank, error, bytes);
        }

        @Override
        public void traced(final int rank, final byte[] bytes) throws InterruptedException {
            to.traced(rank, bytes);
        }

        @Override
        public void reported(final InterceptorReport.Piece piece) throws InterruptedException {
            to.reported(piece);
        }

        @Override
        public void inputWanted() {
            to.inputWanted();
        }
    }
}
