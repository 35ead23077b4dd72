package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.transport.Transport;

/**
 * Coordinator of one change of the cluster's modules, in two phases: every node prepares the change, then all commit, or all undo it when one node
 * cannot prepare.
 *
 * <p>The first node by name prepares before all others are asked. A change that fails or does harm therefore does so on one node only, a module's
 * plans are verified only there, and of two concurrent coordinators the same one is first on all nodes. Old versions are removed only after the new
 * one is active on all nodes, so that any two nodes always have a version in common. No other change begins until then.
 */
public final class ChangeCoordinator {
    private static final long PREPARE_SECONDS = 30;
    private static final long VERIFY_SECONDS = 15;
    private static final long SETTLE_SECONDS = 10;

    private final Members members;
    private final ModuleStore store;
    private final Transport transport;

    /** Access of a change to the cluster. */
    public interface Members {
        /** Returns all nodes, this one first. */
        List<NodeInfo> nodes();

        /** Returns the current catalogue of each node, by name. Blocks. */
        Map<String, Catalogue> catalogues();

        /** Tells nodes to remove modules. Blocks; returns the nodes that did not answer. */
        List<String> retire(List<ModuleId> modules, Collection<String> nodes);
    }

    /** Creates the coordinator of a change on the first of the members. */
    public ChangeCoordinator(final Members members, final ModuleStore store, final Transport transport) {
        this.members = members;
        this.store = store;
        this.transport = transport;
    }

    /**
     * Executes the change. Blocks.
     *
     * @param file the module's bundle, which is only read; null when the change has no file
     * @return exit status and text for the user
     */
    public Message.Reply coordinate(final ModuleChange change, final Path file) throws InterruptedException {
        final List<NodeInfo> all = members.nodes();
        final Collection<String> names = change.nodes().isEmpty() ? affectedNodes(change, all) : change.nodes();
        final List<NodeInfo> chosen = all.stream().filter(n -> names.contains(n.name())).toList();
        for (final String name : change.nodes()) {
            if (all.stream().noneMatch(n -> n.name().equals(name))) {
                return new Message.Reply(ExitStatus.FAILED, "no such node: name=" + name + "; list them with: tutti nodes");
            }
        }
        final List<ChangeTarget> targets = new ArrayList<>();
        try {
            for (final NodeInfo n : chosen) {
                targets.add(n.equals(all.getFirst()) ? new LocalTarget(n.name(), store) : RemoteTarget.link(all.getFirst(), n, transport));
            }
            targets.sort(Comparator.comparing(ChangeTarget::node));
            return coordinate(change, file, targets);
        } catch (final IOException e) {
            return new Message.Reply(ExitStatus.FAILED, Protocol.oneLine(e) + "; nothing was changed");
        } finally {
            targets.forEach(ChangeTarget::close);
        }
    }

    /**
     * Returns the nodes of a change that names none. An uninstallation affects the nodes that have the module; if none has it, all nodes are asked
     * and refuse.
     */
    private List<String> affectedNodes(final ModuleChange change, final List<NodeInfo> all) {
        final List<String> names = all.stream().map(NodeInfo::name).toList();
        if (change.kind() != ModuleChange.Kind.UNINSTALL) {
            return names;
        }
        final Map<String, Catalogue> catalogues = members.catalogues();
        final List<String> holders = names.stream().filter(n -> !catalogues.containsKey(n)
            || catalogues.get(n).modules().stream().anyMatch(m -> isRemoved(m, change))).toList();
        return holders.isEmpty() ? names : holders;
    }

    private static boolean isRemoved(final ModuleId m, final ModuleChange change) {
        return m.name().equals(change.name()) && (change.version() == null || m.version().toString().equals(change.version()));
    }

    private Message.Reply coordinate(final ModuleChange change, final Path file, final List<ChangeTarget> targets) throws InterruptedException {
        final Map<String, Message.ChangeState> prepared = new LinkedHashMap<>();
        prepared.putAll(askAll(targets.subList(0, 1), t -> t.prepare(change, file), PREPARE_SECONDS + VERIFY_SECONDS));
        if (failures(prepared).isEmpty()) {
            prepared.putAll(askAll(targets.subList(1, targets.size()), t -> t.prepare(change.verified(), file), PREPARE_SECONDS));
        }
        final String refusals = failures(prepared);
        if (!refusals.isEmpty()) {
            askAll(targets, t -> t.settle(false), SETTLE_SECONDS);
            return new Message.Reply(ExitStatus.FAILED, refusals + "; nothing was changed");
        }
        final String broken = failures(askAll(targets, t -> t.settle(true), SETTLE_SECONDS));
        final ModuleId module = prepared.values().iterator().next().module();
        if (!broken.isEmpty()) {
            return new Message.Reply(ExitStatus.FAILED, broken + "; the other nodes have " + module + ": repeat the command when the node is back");
        }
        final Message.Reply done = retire(change, module, prepared.keySet());
        return new Message.Reply(done.status(), done.text() + notes(prepared) + offers(change, module));
    }

    /** Removes the versions that the change replaces, and returns what was done. */
    private Message.Reply retire(final ModuleChange change, final ModuleId module, final Collection<String> nodes) {
        final Map<String, Catalogue> catalogues = members.catalogues();
        final List<String> all = members.nodes().stream().map(NodeInfo::name).toList();
        // an installed version replaces older ones once all nodes have it; other changes replace them on the changed nodes
        final Collection<String> where = change.kind() == ModuleChange.Kind.INSTALL ? all : nodes;
        final List<ModuleId> old = catalogues.entrySet().stream().filter(c -> where.contains(c.getKey()))
            .flatMap(c -> c.getValue().modules().stream()).distinct().sorted()
            .filter(replaced(change, module, catalogues, catalogues.keySet().containsAll(all))).toList();
        final List<String> silent = old.isEmpty() ? List.of() : members.retire(old, where);
        final String done = (module == null ? "" : module + " is active on " + String.join(", ", nodes))
            + (old.isEmpty() ? "" : (module == null ? "" : "; ") + String.join(", ", old.stream().map(ModuleId::toString).toList())
                + " is removed when no job uses it");
        return silent.isEmpty() ? new Message.Reply(ExitStatus.OK, done)
            : new Message.Reply(ExitStatus.FAILED, done + "; no answer from " + String.join(", ", silent));
    }

    private static Predicate<ModuleId> replaced(final ModuleChange change, final ModuleId module, final Map<String, Catalogue> catalogues,
        final boolean complete) {
        return switch (change.kind()) {
            case UPDATE, ROLLBACK -> m -> m.name().equals(module.name()) && !m.equals(module);
            case UNINSTALL -> m -> isRemoved(m, change);
            case INSTALL -> {
                final ModuleId common = AgreedModules.between(catalogues).modules().stream().filter(m -> m.name().equals(module.name())).findFirst()
                    .orElse(null);
                yield m -> complete && common != null && m.name().equals(common.name()) && m.version().compareTo(common.version()) < 0;
            }
        };
    }

    private static Map<String, Message.ChangeState> askAll(final List<ChangeTarget> targets,
        final Function<ChangeTarget, CompletableFuture<Message.ChangeState>> step,
        final long seconds) throws InterruptedException {
        final Map<String, CompletableFuture<Message.ChangeState>> asked = new LinkedHashMap<>();
        targets.forEach(t -> asked.put(t.node(), step.apply(t)));
        final Map<String, Message.ChangeState> answers = new LinkedHashMap<>();
        asked.forEach((node, answer) -> answers.put(node, answer.completeOnTimeout(
            new Message.ChangeState(false, null, "no answer within " + seconds + " s"), seconds, TimeUnit.SECONDS).join()));
        return answers;
    }

    /** Returns which nodes could not prove the module in a process of its own. */
    private static String notes(final Map<String, Message.ChangeState> prepared) {
        return prepared.entrySet().stream().filter(p -> !p.getValue().text().isEmpty())
            .map(p -> "; it was proved in node " + p.getKey() + " itself, since " + p.getValue().text()).collect(Collectors.joining());
    }

    /** Returns a line with what an installed module serves; only a module that was verified is asked for its algorithms. */
    private String offers(final ModuleChange change, final @Nullable ModuleId module) throws InterruptedException {
        if (change.file() == null || module == null) {
            return "";
        }
        final Map<String, List<String>> algorithms = change.verify() ? store.algorithms(module, Map.of()) : Map.of();
        final List<String> served = algorithms.isEmpty() ? store.operations(module).stream().sorted().toList()
            : algorithms.entrySet().stream().map(o -> o.getKey() + " (" + String.join(", ", o.getValue()) + ")").toList();
        return served.isEmpty() ? "" : "\n" + module.name() + " serves " + String.join(", ", served);
    }

    private static String failures(final Map<String, Message.ChangeState> answers) {
        final Map<String, List<String>> nodesByText = new LinkedHashMap<>();
        answers.forEach((node, a) -> {
            if (!a.done()) {
                nodesByText.computeIfAbsent(a.text(), t -> new ArrayList<>()).add(node);
            }
        });
        final List<String> failures = new ArrayList<>();
        nodesByText.forEach((text, nodes) -> failures.add((nodes.size() == 1 ? "node " : "nodes ") + String.join(", ", nodes) + ": " + text));
        return String.join("; ", failures);
    }
}
