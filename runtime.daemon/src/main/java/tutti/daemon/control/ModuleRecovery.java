package tutti.daemon.control;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.ProgramFile;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;

/**
 * Restores the modules of a node whose store was damaged: asks the other nodes for the modules that all of them have. The node that is asked
 * installs the module on the node that asks, as {@code tutti install --node} does. Safe for any thread.
 */
final class ModuleRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(ModuleRecovery.class);
    /** Questions for a module have a time limit, and an installation may take longer. */
    private static final int TRIES = 10;

    private final String self;
    private final ModuleStore store;
    private final Nodes nodes;
    private final AtomicBoolean running = new AtomicBoolean();

    /** Access of a recovery to the cluster. Methods block. */
    interface Nodes {
        /** Returns the catalogue of each node, by name. */
        Map<String, Catalogue> catalogues();

        /** Asks a node to send a module; returns null when it does not answer in time. */
        Message.Answer ask(String node, String request);

        /** Changes the modules of a node. */
        Message.Reply change(ModuleChange change, Path file) throws InterruptedException;
    }

    /**
     * Request for a module.
     *
     * @param node   name of the node that asks
     * @param module the module
     */
    private record Request(String node, ModuleId module) {}

    ModuleRecovery(final String self, final ModuleStore store, final Nodes nodes) {
        this.self = self;
        this.store = store;
        this.nodes = nodes;
    }

    /** Fetches the modules that the other nodes have, if the store was damaged. Called at each change of the members; returns at once. */
    void start() {
        if (store.isLost() && running.compareAndSet(false, true)) {
            Thread.ofVirtual().name("tutti-module-recovery").start(() -> {
                try {
                    fetch();
                } finally {
                    running.set(false);
                }
            });
        }
    }

    private void fetch() {
        for (int i = 0; i < TRIES; i++) {
            final Map<String, Catalogue> others = new TreeMap<>(nodes.catalogues());
            final List<ModuleId> here = others.remove(self).modules();
            if (others.isEmpty()) {
                return;
            }
            final List<ModuleId> lacking = AgreedModules.between(others).modules().stream().filter(m -> !here.contains(m)).toList();
            if (lacking.isEmpty()) {
                store.recovered();
                LOG.info("node {} has the modules of the other nodes again: {}", self, here);
                return;
            }
            for (final ModuleId module : lacking) {
                others.entrySet().stream().filter(o -> o.getValue().modules().contains(module)).findFirst()
                    .ifPresent(o -> request(o.getKey(), module));
            }
        }
        LOG.warn("node {} could not fetch all modules of the other nodes; compare with: tutti modules, and install what is missing with: "
            + "tutti install FILE --node {}", self, self);
    }

    private void request(final String holder, final ModuleId module) {
        final Message.Answer answer = nodes.ask(holder, MessageCodec.text(new Request(self, module)));
        if (answer != null && !answer.done()) {
            LOG.warn("module {} cannot be fetched: node={}, reason={}", module, holder, answer.text());
        }
    }

    /** Installs a module of this node on the node that asks; returns null, or the reason of a failure. Blocks. */
    String serve(final String json) {
        try {
            final Request request = MessageCodec.read(json, Request.class);
            final Path file = store.fileOf(request.module());
            if (file == null) {
                return "no such module: " + request.module();
            }
            final ProgramFile described = new ProgramFile(file.getFileName().toString(), Files.size(file), request.module().digest());
            final Message.Reply reply = nodes.change(new ModuleChange(ModuleChange.Kind.INSTALL, null, null, described, List.of(request.node()),
                false, true), file);
            return reply.status() == ExitStatus.OK ? null : reply.text();
        } catch (final IOException e) {
            return Protocol.oneLine(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }
}
