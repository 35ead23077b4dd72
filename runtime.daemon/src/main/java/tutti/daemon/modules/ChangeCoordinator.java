package tutti.daemon.modules;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
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
 * Coordinator of one change of the cluster's modules: every node prepares the change, then all commit, or all undo it when one node cannot prepare.
 * When most of them have committed, they finish it: only then is it decided. Until then a node that loses the coordinator asks the others, see
 * {@link ChangeSettlement}.
 *
 * <p>The first node by name prepares before all others are asked. A change that fails or does harm therefore does so on one node only, a module's
 * plans are verified only there, and of two concurrent coordinators the same one is first on all nodes. Old versions are removed only after the new
 * one is active on all nodes that are reached, so that any two of them always have a version in common. No other change begins until then.
 */
public final class ChangeCoordinator {
    private static final long PREPARE_SECONDS = 30;
    private static final long VERIFY_SECONDS = 30;
    private static final long SETTLE_SECONDS = 10;

    private final Members members;
    private final ModuleStore store;
    private final Transport transport;

    /** Access of a change to the cluster. */
    public interface Members {
        /** Returns all nodes, this one first, with members that were lost and are not excluded yet: they cannot prepare the change. */
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
        final Outcome outcome;
        try {
            for (final NodeInfo n : chosen) {
                targets.add(n.equals(all.getFirst()) ? new LocalTarget(n.name(), store) : link(all.getFirst(), n));
            }
            targets.sort(Comparator.comparing(ChangeTarget::node));
            outcome = coordinate(newId(all.getFirst()), change, file, targets);
        } catch (final IOException e) {
            return new Message.Reply(ExitStatus.FAILED, Protocol.oneLine(e) + "; nothing was changed");
        } finally {
            targets.forEach(ChangeTarget::close);
        }
        return outcome.failure() != null ? new Message.Reply(ExitStatus.FAILED, outcome.failure()) : done(change, outcome.prepared());
    }

    private RemoteTarget link(final NodeInfo self, final NodeInfo node) throws IOException {
        try {
            return RemoteTarget.link(self, node, transport);
        } catch (final IOException e) {
            throw new IOException("node " + node.name() + " cannot be reached: " + Protocol.oneLine(e), e);
        }
    }

    private static String newId(final NodeInfo self) {
        return self.name() + "-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    }

    /**
     * Outcome of a change.
     *
     * @param prepared what the nodes have prepared, by name
     * @param failure  why it is not carried out on all nodes; null when it is
     */
    record Outcome(Map<String, Message.ChangeState> prepared, @Nullable String failure) {}

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

    /** Leads a change on its nodes, which are sorted by name, to its end. Blocks. */
    static Outcome coordinate(final String id, final ModuleChange change, final @Nullable Path file, final List<ChangeTarget> targets)
        throws InterruptedException {
        final List<String> nodes = targets.stream().map(ChangeTarget::node).toList();
        final Map<String, Message.ChangeState> prepared = new LinkedHashMap<>();
        prepared.putAll(askAll(targets.subList(0, 1), t -> t.prepare(id, nodes, change, file), PREPARE_SECONDS + VERIFY_SECONDS));
        if (failures(prepared).isEmpty()) {
            prepared.putAll(askAll(targets.subList(1, targets.size()), t -> t.prepare(id, nodes, change.verified(), file), PREPARE_SECONDS));
        }
        final String refusals = failures(prepared);
        if (!refusals.isEmpty()) {
            askAll(targets, t -> t.settle(Message.ChangeStep.UNDO), SETTLE_SECONDS);
            return new Outcome(prepared, refusals + "; nothing was changed");
        }
        final Map<String, Message.ChangeState> committed = askAll(targets, t -> t.settle(Message.ChangeStep.COMMIT), SETTLE_SECONDS);
        final List<String> holders = nodes.stream().filter(n -> committed.get(n).done()).toList();
        if (!ChangeSettlement.isCommitted(holders.size(), nodes.size())) {
            return new Outcome(prepared, failures(committed)
                + "; the nodes decide among themselves whether they undo the change; see the result with: tutti modules");
        }
        final Map<String, Message.ChangeState> finished = askAll(targets, t -> t.settle(Message.ChangeStep.FINISH), SETTLE_SECONDS);
        final List<String> missing = nodes.stream().filter(n -> !finished.get(n).done()).toList();
        return new Outcome(prepared, missing.isEmpty() ? null
            : failures(finished) + "; the change is made on the other nodes, and on " + String.join(", ", missing) + " when it is back");
    }

    /** Returns what was done, after an installation has removed what no node needs any more. */
    private Message.Reply done(final ModuleChange change, final Map<String, Message.ChangeState> prepared) throws InterruptedException {
        final ModuleId module = prepared.values().iterator().next().module();
        final Set<ModuleId> old = new TreeSet<>();
        prepared.values().forEach(p -> old.addAll(p.replaced()));
        final List<String> silent = change.kind() == ModuleChange.Kind.INSTALL ? retire(module, old) : List.of();
        final String done = (module == null ? "" : module + " is active on " + String.join(", ", prepared.keySet()))
            + (old.isEmpty() ? "" : (module == null ? "" : "; ") + String.join(", ", old.stream().map(ModuleId::toString).toList())
                + " is removed when no job uses it");
        return new Message.Reply(silent.isEmpty() ? ExitStatus.OK : ExitStatus.FAILED, done
            + (silent.isEmpty() ? "" : "; no answer from " + String.join(", ", silent)) + notes(prepared) + offers(change, module));
    }

    /** Removes the versions of a module that are older than the one that all nodes have, and adds them to those that were removed before. */
    private List<String> retire(final ModuleId module, final Set<ModuleId> old) {
        final Map<String, Catalogue> catalogues = members.catalogues();
        final List<String> all = members.nodes().stream().map(NodeInfo::name).toList();
        final ModuleId common = AgreedModules.between(catalogues).modules().stream().filter(m -> m.name().equals(module.name())).findFirst()
            .orElse(null);
        if (common == null || !catalogues.keySet().containsAll(all)) {
            return List.of();
        }
        final List<ModuleId> older = catalogues.values().stream().flatMap(c -> c.modules().stream()).distinct()
            .filter(m -> m.name().equals(common.name()) && m.version().compareTo(common.version()) < 0).toList();
        old.addAll(older);
        return older.isEmpty() ? List.of() : members.retire(older, all);
    }

    private static Map<String, Message.ChangeState> askAll(final List<ChangeTarget> targets,
        final Function<ChangeTarget, CompletableFuture<Message.ChangeState>> step,
        final long seconds) throws InterruptedException {
        final Map<String, CompletableFuture<Message.ChangeState>> asked = new LinkedHashMap<>();
        targets.forEach(t -> asked.put(t.node(), step.apply(t)));
        final Map<String, Message.ChangeState> answers = new LinkedHashMap<>();
        asked.forEach((node, answer) -> answers.put(node, answer.completeOnTimeout(
            Message.ChangeState.failed("no answer within " + seconds + " s"), seconds, TimeUnit.SECONDS).join()));
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
