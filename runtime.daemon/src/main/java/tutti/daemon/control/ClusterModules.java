package tutti.daemon.control;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.Conversation;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.cluster.ListeningNode;
import tutti.daemon.cluster.MemberQuestions;
import tutti.daemon.job.ClusterJobs;
import tutti.daemon.modules.ChangeCoordinator;
import tutti.daemon.modules.ChangePhase;
import tutti.daemon.modules.ChangeSettlement;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.modules.Quarantine;
import tutti.daemon.monitor.ChangedModules;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.JobInfo;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.part.JvmPool;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Reply;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.QuarantinedModule;
import tutti.runtime.transport.Transport;

/** Modules of the cluster: changes on several nodes, and which modules are in quarantine on all of them. Safe for any thread. */
@Component(service = ClusterModules.class)
public final class ClusterModules implements ModuleQuestions, Cluster.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterModules.class);

    private final String node;
    private final ModuleStore here;
    private final Transport transport;
    private final Cluster cluster;
    private final NodeReports reports;
    private final ClusterJobs jobs;
    private final JvmPool jvms;
    private final ModuleRecovery recovery;
    private final ChangeSettlement settlement;

    /** Creates the modules of a cluster, about which the other nodes ask this one, and settles changes that it was stopped in. */
    @Activate
    public ClusterModules(@Reference(name = "node") final ListeningNode node, @Reference(name = "store") final ModuleStore here,
        @Reference(name = "cluster") final Cluster cluster, @Reference(name = "reports") final NodeReports reports,
        @Reference(name = "jobs") final ClusterJobs jobs, @Reference(name = "jvms") final JvmPool jvms) {
        this.node = node.name();
        this.here = here;
        this.transport = node.control();
        this.cluster = cluster;
        this.reports = reports;
        this.jobs = jobs;
        this.jvms = jvms;
        this.recovery = new ModuleRecovery(node.name(), here, new Sources());
        this.settlement = new ChangeSettlement(node.name(), here, this::phases);
        cluster.questions().serve(ModuleQuestions.class, this);
        cluster.listen(this);
        here.quarantine().listen(this::changed);
        settlement.wake();
    }

    /** Ends the settlement of changes. */
    @Deactivate
    void close() {
        settlement.close();
    }

    @Override
    public void changed() {
        recovery.start();
        settlement.wake();
        tell(here.quarantine().records());
    }

    /** Tells the jobs and JVMs of this node, and the other nodes, which modules are in quarantine now. */
    private void changed(final List<QuarantinedModule> quarantine) {
        jobs.quarantined(quarantine);
        jvms.quarantined(quarantine);
        tell(quarantine);
    }

    /** The nodes from which lost modules are fetched. */
    private final class Sources implements ModuleRecovery.Nodes {
        @Override
        public Map<String, Catalogue> catalogues() {
            return reports.catalogues();
        }

        @Override
        public @Nullable String send(final String from, final ModuleId module) {
            return cluster.questions().ask(from, ModuleQuestions.class, n -> n.send(module, node));
        }
    }

    @Override
    public CompletionStage<Boolean> retire(final List<ModuleId> modules) {
        return Conversation.result(() -> {
            here.retire(modules);
            return true;
        });
    }

    @Override
    public CompletionStage<Void> quarantined(final List<QuarantinedModule> changed) {
        here.quarantine().merge(changed);
        return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<@Nullable ChangePhase> phase(final String change) {
        return CompletableFuture.completedStage(here.isLost() ? null : here.phase(change));
    }

    @Override
    public CompletionStage<String> send(final ModuleId module, final String to) {
        return Conversation.result(() -> {
            final Path file = here.fileOf(module);
            if (file == null) {
                return "no such module: " + module;
            }
            final ProgramFile described = new ProgramFile(file.getFileName().toString(), Files.size(file), module.digest());
            final Reply reply = change(new ModuleChange(ModuleChange.Kind.INSTALL, null, null, described, List.of(to), false, true), true,
                file, new CompletableFuture<>());
            return reply.status() == ExitStatus.OK ? "" : reply.text();
        });
    }

    /** Asks those of some nodes that live for the phase of a change. Blocks. */
    private ChangeSettlement.Answers phases(final String change, final Collection<String> nodes) {
        final List<ChangePhase> phases = List.copyOf(cluster.questions().askEach(nodes, ModuleQuestions.class, n -> n.phase(change)).values());
        // a member without a link will have one again, or is excluded
        final Set<String> members = cluster.members().stream().map(NodeInfo::name).filter(nodes::contains).collect(Collectors.toSet());
        cluster.nodes().forEach(n -> members.remove(n.name()));
        return new ChangeSettlement.Answers(phases, members.isEmpty());
    }

    /**
     * Changes modules on nodes; the reply says what was done, or why nothing was. Blocks.
     *
     * @param force     whether a part of the cluster that is no majority may change its own modules
     * @param file      the module's file; null if the change needs none
     * @param withdrawn completed when nobody wants the change any more
     */
    Reply change(final ModuleChange change, final boolean force, final @Nullable Path file, final CompletionStage<?> withdrawn)
        throws InterruptedException {
        try {
            return new Reply(ExitStatus.OK, make(change, force, file, withdrawn).text());
        } catch (final CallFailedException e) {
            return new Reply(e.status(), String.valueOf(e.getMessage()));
        }
    }

    /**
     * Changes modules on nodes as the other form does, and has running jobs take them. Blocks.
     *
     * @param job id of the only job that is asked; empty for all
     * @throws CallFailedException when the change is not made on all nodes, or there is no such job
     */
    ChangedModules changeLive(final ModuleChange change, final boolean force, final String job, final @Nullable Path file,
        final CompletionStage<?> withdrawn) throws CallFailedException, InterruptedException {
        checkRuns(job);
        final ChangeCoordinator.Done done = make(change, force, file, withdrawn);
        return new ChangedModules(done.text(), jobs.followAnywhere(done.module(), job));
    }

    /** Throws when a job does not run; an empty id stands for all jobs. */
    void checkRuns(final String job) throws CallFailedException {
        final List<String> running = job.isEmpty() ? List.of()
            : reports.all().stream().flatMap(r -> r.jobs().stream()).map(JobInfo::id).sorted().toList();
        if (!job.isEmpty() && !running.contains(job)) {
            throw new CallFailedException(ExitStatus.FAILED, "no such job runs: id=" + job + "; "
                + (running.isEmpty() ? "no job runs" : "these run: " + String.join(", ", running)) + "; nothing was changed");
        }
    }

    /** Returns the modules in quarantine. */
    Quarantine quarantine() {
        return here.quarantine();
    }

    /**
     * Changes modules on nodes; returns what was done. Blocks.
     *
     * @throws CallFailedException when the change is not made on all nodes; says why, for the user
     */
    ChangeCoordinator.Done make(final ModuleChange change, final boolean force, final @Nullable Path file,
        final CompletionStage<?> withdrawn) throws CallFailedException, InterruptedException {
        final String minority = force ? null : minority();
        if (minority != null) {
            // Cause: the node reaches no [majority](cluster.md#when-a-node-fails) of the cluster. Remedy: repair the network, or as the message says.
            throw new CallFailedException(ExitStatus.FAILED,
                minority + "; nothing was changed; change this part of the cluster alone with: --force");
        }
        return new ChangeCoordinator(new Members(), here, transport).coordinate(change, file, withdrawn);
    }

    /** The nodes whose modules are changed. */
    private final class Members implements ChangeCoordinator.Members {
        @Override
        public List<NodeInfo> nodes() {
            return cluster.members();
        }

        @Override
        public Map<String, Catalogue> catalogues() {
            return reports.catalogues();
        }

        @Override
        public List<String> retire(final List<ModuleId> modules, final Collection<String> nodes) {
            final List<String> silent = new ArrayList<>(nodes);
            silent.removeAll(cluster.questions().askEach(nodes, ModuleQuestions.class, n -> n.retire(modules)).keySet());
            if (silent.contains(node) && cluster.questions().ask(node, ModuleQuestions.class, n -> n.retire(modules)) != null) {
                silent.remove(node);
            }
            return silent;
        }
    }

    /** Returns why no node of this part of the cluster may change modules; null when it is the majority. Any node may know of others. Blocks. */
    private @Nullable String minority() {
        final String known = cluster.minority();
        return known != null ? known
            : cluster.questions().askAll(MemberQuestions.class, MemberQuestions::minority).values().stream().findFirst().orElse(null);
    }

    /** Returns and logs which modules of the other nodes this node lacks; empty when it has all. Blocks. */
    String lacking() {
        if (here.isUnsettled()) {
            // it is about to follow the other nodes
            return "";
        }
        final List<String> lacking = new ArrayList<>();
        final Map<String, Catalogue> all = reports.catalogues();
        final List<ModuleId> own = Objects.requireNonNull(all.remove(node), "own catalogue").modules();
        for (final ModuleId m : AgreedModules.between(all).modules()) {
            if (!own.contains(m)) {
                lacking.add(m.toString());
            }
        }
        if (lacking.isEmpty()) {
            return "";
        }
        // Cause: a node joined with other modules.
        final String text = "node " + node + " lacks " + String.join(", ", lacking)
            + ", which the other nodes have: communicators with ranks on " + node + " cannot use them; install them with: tutti install FILE --node "
            + node;
        LOG.warn(text);
        return text;
    }

    /** Tells all other nodes which modules are in quarantine. Does not block. */
    private void tell(final List<QuarantinedModule> quarantine) {
        if (!quarantine.isEmpty()) {
            Thread.ofVirtual().name("tutti-quarantine").inheritInheritableThreadLocals(false).start(
                () -> cluster.questions().askAll(ModuleQuestions.class, n -> n.quarantined(quarantine)));
        }
    }
}
