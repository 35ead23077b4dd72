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
import tutti.daemon.protocol.ExitStatus;
import tutti.daemon.protocol.Message;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.NodeInfo;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.select.AgreedModules;
import tutti.runtime.select.Catalogue;
import tutti.runtime.select.ModuleId;
import tutti.runtime.transport.Transport;

/**
 * Leads one change of the cluster's modules: has every node get ready, then commit, or undo it everywhere when one cannot.
 *
 * <p>The first node by name gets ready before all others are asked: what cannot be done is found out, and what does harm does it, on one
 * node; a module's plans are proved there and nowhere else; and of two leaders one comes first everywhere. Old versions go only after the
 * new one is there on all nodes, so at no moment have two nodes nothing in common; until then no other change begins.
 */
public final class ChangeCoordinator {
    private static final long PREPARE_SECONDS = 30;
    private static final long VERIFY_SECONDS = 15;
    private static final long SETTLE_SECONDS = 10;

    private final Members members;
    private final ModuleStore store;
    private final Transport transport;

    /** The cluster as a change needs it. */
    public interface Members {
        /** All nodes, this one first. */
        List<NodeInfo> nodes();

        /** What each node offers now, by name. Blocks. */
        Map<String, Catalogue> catalogues();

        /** Has nodes let go of modules. Blocks; returns the nodes that did not answer. */
        List<String> retire(List<ModuleId> modules, Collection<String> nodes);
    }

    /** Leads from the first of the members. */
    public ChangeCoordinator(final Members members, final ModuleStore store, final Transport transport) {
        this.members = members;
        this.store = store;
        this.transport = transport;
    }

    /**
     * Makes the change. Blocks.
     *
     * @param file the module's bundle, which is only read; null where the change brings none
     * @return what to tell the user, and an exit status
     */
    public Message.Reply lead(final ModuleChange change, final Path file) throws InterruptedException {
        final List<NodeInfo> all = members.nodes();
        final Collection<String> names = change.nodes().isEmpty() ? everywhere(change, all) : change.nodes();
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
            return lead(change, file, targets);
        } catch (final IOException e) {
            return new Message.Reply(ExitStatus.FAILED, Protocol.oneLine(e) + "; nothing was changed");
        } finally {
            targets.forEach(ChangeTarget::close);
        }
    }

    /** All nodes; where a module goes, those that have it, or all again, who then say that they have not. */
    private List<String> everywhere(final ModuleChange change, final List<NodeInfo> all) {
        final List<String> names = all.stream().map(NodeInfo::name).toList();
        if (change.kind() != ModuleChange.Kind.UNINSTALL) {
            return names;
        }
        final Map<String, Catalogue> catalogues = members.catalogues();
        final List<String> holders = names.stream().filter(n -> !catalogues.containsKey(n)
            || catalogues.get(n).modules().stream().anyMatch(m -> goes(m, change))).toList();
        return holders.isEmpty() ? names : holders;
    }

    private static boolean goes(final ModuleId m, final ModuleChange change) {
        return m.name().equals(change.name()) && (change.version() == null || m.version().toString().equals(change.version()));
    }

    private Message.Reply lead(final ModuleChange change, final Path file, final List<ChangeTarget> targets) throws InterruptedException {
        final Map<String, Message.ChangeState> prepared = new LinkedHashMap<>();
        prepared.putAll(all(targets.subList(0, 1), t -> t.prepare(change, file), PREPARE_SECONDS + VERIFY_SECONDS));
        if (failures(prepared).isEmpty()) {
            prepared.putAll(all(targets.subList(1, targets.size()), t -> t.prepare(change.verified(), file), PREPARE_SECONDS));
        }
        final String refusals = failures(prepared);
        if (!refusals.isEmpty()) {
            all(targets, t -> t.settle(false), SETTLE_SECONDS);
            return new Message.Reply(ExitStatus.FAILED, refusals + "; nothing was changed");
        }
        final String broken = failures(all(targets, t -> t.settle(true), SETTLE_SECONDS));
        final ModuleId module = prepared.values().iterator().next().module();
        if (!broken.isEmpty()) {
            return new Message.Reply(ExitStatus.FAILED, broken + "; the other nodes have " + module + ": repeat the command when the node is back");
        }
        return retire(change, module, prepared.keySet());
    }

    /** Has the versions go that the change replaces, and words what was done. */
    private Message.Reply retire(final ModuleChange change, final ModuleId module, final Collection<String> nodes) {
        final Map<String, Catalogue> catalogues = members.catalogues();
        final List<String> all = members.nodes().stream().map(NodeInfo::name).toList();
        // an installed version takes the place of older ones once all have it, the other changes do where they are made
        final Collection<String> where = change.kind() == ModuleChange.Kind.INSTALL ? all : nodes;
        final List<ModuleId> old = catalogues.entrySet().stream().filter(c -> where.contains(c.getKey()))
            .flatMap(c -> c.getValue().modules().stream()).distinct().sorted()
            .filter(replaced(change, module, catalogues, catalogues.keySet().containsAll(all))).toList();
        final List<String> silent = old.isEmpty() ? List.of() : members.retire(old, where);
        final String done = (module == null ? "" : module + " is active on " + String.join(", ", nodes))
            + (old.isEmpty() ? "" : (module == null ? "" : "; ") + String.join(", ", old.stream().map(ModuleId::toString).toList())
                + " goes when no job holds it any more");
        return silent.isEmpty() ? new Message.Reply(ExitStatus.OK, done)
            : new Message.Reply(ExitStatus.FAILED, done + "; no answer from " + String.join(", ", silent));
    }

    private static Predicate<ModuleId> replaced(final ModuleChange change, final ModuleId module, final Map<String, Catalogue> catalogues,
                                                final boolean complete) {
        return switch (change.kind()) {
            case UPDATE, ROLLBACK -> m -> m.name().equals(module.name()) && !m.equals(module);
            case UNINSTALL -> m -> goes(m, change);
            case INSTALL -> {
                final ModuleId common = AgreedModules.between(catalogues).modules().stream().filter(m -> m.name().equals(module.name())).findFirst()
                    .orElse(null);
                yield m -> complete && common != null && m.name().equals(common.name()) && m.version().compareTo(common.version()) < 0;
            }
        };
    }

    private static Map<String, Message.ChangeState> all(final List<ChangeTarget> targets,
                                                        final Function<ChangeTarget, CompletableFuture<Message.ChangeState>> step,
                                                        final long seconds) throws InterruptedException {
        final Map<String, CompletableFuture<Message.ChangeState>> asked = new LinkedHashMap<>();
        targets.forEach(t -> asked.put(t.node(), step.apply(t)));
        final Map<String, Message.ChangeState> answers = new LinkedHashMap<>();
        asked.forEach((node, answer) -> answers.put(node, answer.completeOnTimeout(
            new Message.ChangeState(false, null, "no answer within " + seconds + " s"), seconds, TimeUnit.SECONDS).join()));
        return answers;
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
