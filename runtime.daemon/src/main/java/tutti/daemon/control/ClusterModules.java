package tutti.daemon.control;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.modules.ChangeCoordinator;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.ModuleChange;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.QuarantinedModule;
import tutti.runtime.transport.Transport;

/** Modules of the cluster: changes on several nodes, and which modules are in quarantine on all of them. Safe for any thread. */
final class ClusterModules {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterModules.class);

    private final String node;
    private final ModuleStore here;
    private final Transport transport;
    private final CompletableFuture<Void> opened;
    private final Supplier<Cluster> cluster;
    private final Supplier<Map<String, Catalogue>> catalogues;

    /**
     * Creates the modules of the cluster, as this node sees them.
     *
     * @param node       name of this node
     * @param here       the modules of this node
     * @param transport  transport of links between daemons
     * @param opened     complete when there is a cluster
     * @param cluster    returns the cluster
     * @param catalogues returns the catalogue of each node, by name; blocks
     */
    ClusterModules(final String node, final ModuleStore here, final Transport transport, final CompletableFuture<Void> opened,
        final Supplier<Cluster> cluster, final Supplier<Map<String, Catalogue>> catalogues) {
        this.node = node;
        this.here = here;
        this.transport = transport;
        this.opened = opened;
        this.cluster = cluster;
        this.catalogues = catalogues;
    }

    /** Answers a question of another node about modules. */
    Message.Answer answer(final Message.Ask ask) {
        return switch (ask.question()) {
            case RETIRE -> new Message.Answer(ask.id(), retire(ask.argument()), null, null);
            case QUARANTINE -> new Message.Answer(ask.id(), merge(ask.argument()), null, null);
            case CHANGE -> new Message.Answer(ask.id(), !here.isLost(), null, here.phase(ask.argument()).name());
            case MAJORITY -> {
                final String minority = cluster.get().minority();
                yield new Message.Answer(ask.id(), minority == null, null, minority);
            }
            default -> throw new IllegalArgumentException("no question about modules: " + ask.question());
        };
    }

    /**
     * Changes modules on nodes; the reply says what was done, or why nothing was. Blocks.
     *
     * @param force whether a part of the cluster that is no majority may change its own modules
     * @param file  the module's file; null if the change needs none
     */
    Message.Reply change(final ModuleChange change, final boolean force, final @Nullable Path file) throws InterruptedException {
        final String minority = force ? null : minority();
        if (minority != null) {
            return new Message.Reply(ExitStatus.FAILED, minority + "; nothing was changed; change this part of the cluster alone with: --force");
        }
        return new ChangeCoordinator(new Members(), here, transport).coordinate(change, file);
    }

    /** The nodes whose modules are changed. */
    private final class Members implements ChangeCoordinator.Members {
        @Override
        public List<NodeInfo> nodes() {
            return cluster.get().members();
        }

        @Override
        public Map<String, Catalogue> catalogues() {
            return catalogues.get();
        }

        @Override
        public List<String> retire(final List<ModuleId> modules, final Collection<String> nodes) {
            final String json = MessageCodec.text(modules);
            final List<String> silent = new ArrayList<>(nodes);
            silent.removeAll(cluster.get().askEach(nodes, Message.Question.RETIRE, json).entrySet().stream().filter(a -> a.getValue().done())
                .map(Map.Entry::getKey).toList());
            if (silent.contains(node) && ClusterModules.this.retire(json)) {
                silent.remove(node);
            }
            return silent;
        }
    }

    /** Returns why no node of this part of the cluster may change modules; null when it is the majority. Any node may know of others. Blocks. */
    private @Nullable String minority() {
        final String known = cluster.get().minority();
        return known != null ? known
            : cluster.get().askAll(Message.Question.MAJORITY, "").stream().filter(a -> !a.done()).map(Message.Answer::text).findFirst().orElse(null);
    }

    private boolean retire(final String json) {
        try {
            here.retire(List.of(MessageCodec.read(json, ModuleId[].class)));
            return true;
        } catch (final IOException e) {
            LOG.error("modules cannot be retired: {}", json, e);
            return false;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Returns and logs which modules of the other nodes this node lacks; empty when it has all. Blocks. */
    String lacking() {
        if (here.isUnsettled()) {
            // it is about to follow the other nodes
            return "";
        }
        final List<String> lacking = new ArrayList<>();
        final Map<String, Catalogue> all = catalogues.get();
        final List<ModuleId> own = all.remove(node).modules();
        for (final ModuleId m : AgreedModules.between(all).modules()) {
            if (!own.contains(m)) {
                lacking.add(m.toString());
            }
        }
        if (lacking.isEmpty()) {
            return "";
        }
        final String text = "node " + node + " lacks " + String.join(", ", lacking)
            + ", which the other nodes have: communicators with ranks on " + node + " cannot use them; install them with: tutti install FILE --node "
            + node;
        LOG.warn(text);
        return text;
    }

    /** Tells all other nodes which modules are in quarantine. Does not block. */
    void tell(final List<QuarantinedModule> quarantine) {
        if (!quarantine.isEmpty()) {
            Thread.ofVirtual().name("tutti-quarantine").inheritInheritableThreadLocals(false).start(() -> {
                opened.join();
                cluster.get().askAll(Message.Question.QUARANTINE, MessageCodec.text(quarantine));
            });
        }
    }

    private boolean merge(final String json) {
        try {
            here.quarantine().merge(List.of(MessageCodec.read(json, QuarantinedModule[].class)));
            return true;
        } catch (final IOException e) {
            LOG.warn("list of modules in quarantine cannot be read: {}", json, e);
            return false;
        }
    }
}
