package tutti.daemon.modules;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.liveness.LiveWait;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.transport.Transport;

/**
 * Coordinator of one change of the cluster's modules: every node prepares the change, then all commit, or all undo it when one node cannot prepare.
 * When most of them have committed, they finish it: only then is it decided. Until then a node that loses the coordinator asks the others, see
 * {@link ChangeSettlement}.
 *
 * <p>First it reserves the nodes, one after the other by name: so changes of several coordinators follow each other, and do not wait for each other.
 * The first node prepares before all others are asked. A change that fails or does harm therefore does so on one node only, and a module's plans are
 * verified only there. Old versions are removed only after the new one is active on all nodes that are reached, so that any two of them always have a
 * version in common. No other change begins until then.
 *
 * <p>A node that does not answer is waited for as long as its link is open.
 */
public final class ChangeCoordinator {
    private static final Logger LOG = LoggerFactory.getLogger(ChangeCoordinator.class);
    private static final String LOST = "the node is gone: ";

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
     * @param file      the module's bundle, which is only read; null when the change has no file
     * @param withdrawn completed when nobody wants the change any more; then the nodes undo it, unless they commit it already
     * @return what was done
     * @throws CallFailedException when it was not done on all nodes; says why, for the user
     */
    public Done coordinate(final ModuleChange change, final @Nullable Path file, final CompletionStage<?> withdrawn)
        throws CallFailedException, InterruptedException {
        final List<NodeInfo> all = members.nodes();
        final Collection<String> names = change.nodes().isEmpty() ? affectedNodes(change, all) : change.nodes();
        final List<NodeInfo> chosen = all.stream().filter(n -> names.contains(n.name())).toList();
        for (final String name : change.nodes()) {
            if (all.stream().noneMatch(n -> n.name().equals(name))) {
                throw new CallFailedException(ExitStatus.FAILED, "no such node: name=" + name + "; list them with: tutti nodes");
            }
        }
        final List<ChangeParticipant> participants = new ArrayList<>();
        final Map<String, PreparedChange> prepared;
        try {
            for (final NodeInfo n : chosen) {
                participants.add(n.equals(all.getFirst()) ? ChangeParticipant.here(n.name(), store)
                    : ChangeParticipant.link(all.getFirst(), n, transport));
            }
            participants.sort(Comparator.comparing(ChangeParticipant::node));
            prepared = coordinate(newId(all.getFirst()), change, file, participants, withdrawn);
        } catch (final CallFailedException e) {
            throw e;
        } catch (final IOException e) {
            // Cause: the command that requested the change has ended, by Ctrl-C for example, before the nodes committed it.
            throw new CallFailedException(ExitStatus.FAILED, Protocol.oneLine(e) + "; nothing was changed", e);
        } finally {
            participants.forEach(ChangeParticipant::close);
        }
        return done(change, prepared);
    }

    /**
     * A change that was done on all its nodes.
     *
     * @param module    name of the module
     * @param installed the module that is active now; null when one was removed
     * @param text      what was done, for the user
     */
    public record Done(String module, @Nullable ModuleId installed, String text) {}

    private static String newId(final NodeInfo self) {
        return self.name() + "-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    }

    /** Step of a change on one node. */
    @FunctionalInterface
    private interface Step<T extends @Nullable Object> {
        /** Begins the step; throws when the file of the change cannot be read. */
        CompletionStage<T> on(ChangeTarget target) throws IOException;
    }

    /**
     * Answer of a node to a step.
     *
     * @param result  result of the step; null when it has none
     * @param failure why the step is not done; null when it is
     */
    private record Answer<T extends @Nullable Object>(@Nullable T result, @Nullable String failure) {
        boolean isDone() {
            return failure == null;
        }
    }

    /**
     * Returns the nodes of a change that names none. An uninstallation affects the nodes that have the module; if none has it, all nodes are asked
     * and refuse.
     */
    private List<String> affectedNodes(final ModuleChange change, final List<NodeInfo> all) {
        final List<String> names = all.stream().map(NodeInfo::name).toList();
        if (change.kind() != ModuleChange.Kind.UNINSTALL && change.kind() != ModuleChange.Kind.DROP) {
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

    /** Leads a change on its nodes, which are sorted by name, to its end; returns what they have prepared, by name. Blocks. */
    static Map<String, PreparedChange> coordinate(final String id, final ModuleChange change, final @Nullable Path file,
        final List<ChangeParticipant> participants, final CompletionStage<?> withdrawn) throws CallFailedException, InterruptedException {
        final CompletableFuture<?> never = new CompletableFuture<>();
        final Map<String, Answer<PreparedChange>> prepared;
        try {
            prepared = prepare(id, change, file, participants, withdrawn.toCompletableFuture());
        } catch (final CancellationException e) {
            LOG.info("change {} of modules is withdrawn, since the command that requested it has ended", id);
            askAll(id, participants, ChangeTarget::undo, never);
            throw new CallFailedException(ExitStatus.FAILED, "the change was withdrawn; nothing was changed", e);
        }
        final String refusals = failures(prepared);
        if (!refusals.isEmpty()) {
            askAll(id, participants, ChangeTarget::undo, never);
            throw new CallFailedException(ExitStatus.FAILED, refusals + "; nothing was changed");
        }
        final Map<String, Answer<Void>> committed = askAll(id, participants, ChangeTarget::commit, never);
        if (!ChangeSettlement.isCommitted((int) committed.values().stream().filter(Answer::isDone).count(), participants.size())) {
            throw new CallFailedException(ExitStatus.FAILED, failures(committed)
                + "; the nodes decide among themselves whether they undo the change; see the result with: tutti modules");
        }
        final Map<String, Answer<Void>> finished = askAll(id, participants, ChangeTarget::finish, never);
        final String missing = finished.entrySet().stream().filter(f -> !f.getValue().isDone()).map(Map.Entry::getKey)
            .collect(Collectors.joining(", "));
        if (!missing.isEmpty()) {
            throw new CallFailedException(ExitStatus.FAILED,
                failures(finished) + "; the change is made on the other nodes, and on " + missing + " when it is back");
        }
        final Map<String, PreparedChange> results = new LinkedHashMap<>();
        prepared.forEach((node, answer) -> results.put(node, Objects.requireNonNull(answer.result(), "prepared")));
        return results;
    }

    /**
     * Reserves the nodes, then lets the first one prepare the change, and then the others.
     *
     * @return their answers; some are refusals when a node cannot prepare it
     * @throws CallFailedException   when a node is not reserved
     * @throws CancellationException when the change is withdrawn meanwhile
     */
    private static Map<String, Answer<PreparedChange>> prepare(final String id, final ModuleChange change, final @Nullable Path file,
        final List<ChangeParticipant> participants, final CompletableFuture<?> withdrawn) throws CallFailedException, InterruptedException {
        final List<String> nodes = participants.stream().map(ChangeParticipant::node).toList();
        for (final ChangeParticipant p : participants) {
            final String refusal = failures(askAll(id, List.of(p), t -> t.reserve(id, change.force()), withdrawn));
            if (!refusal.isEmpty()) {
                // others are free again when the lead ends
                throw new CallFailedException(ExitStatus.FAILED, refusal + "; nothing was changed");
            }
        }
        final Map<String, Answer<PreparedChange>> prepared =
            askAll(id, participants.subList(0, 1), t -> t.prepare(id, nodes, change, open(file)), withdrawn);
        if (failures(prepared).isEmpty()) {
            prepared.putAll(
                askAll(id, participants.subList(1, participants.size()), t -> t.prepare(id, nodes, change.verified(), open(file)), withdrawn));
        }
        if (withdrawn.isDone()) {
            throw new CancellationException();
        }
        return prepared;
    }

    private static InputStream open(final @Nullable Path file) throws IOException {
        return file == null ? InputStream.nullInputStream() : Files.newInputStream(file);
    }

    /** Returns what was done, after an installation has removed what no node needs any more. */
    private Done done(final ModuleChange change, final Map<String, PreparedChange> prepared) throws CallFailedException, InterruptedException {
        final ModuleId module = prepared.values().iterator().next().module();
        final Set<ModuleId> old = new TreeSet<>();
        prepared.values().forEach(p -> old.addAll(p.replaced()));
        final List<String> silent = change.kind() == ModuleChange.Kind.INSTALL && module != null ? retire(module, old) : List.of();
        final String done = (module == null ? "" : module + " is active on " + String.join(", ", prepared.keySet()))
            + (old.isEmpty() ? "" : (module == null ? "" : "; ") + String.join(", ", old.stream().map(ModuleId::toString).toList())
                + " is removed when no job uses it");
        final String text = done + (silent.isEmpty() ? "" : "; no answer from " + String.join(", ", silent)) + notes(prepared)
            + offers(change, module);
        if (!silent.isEmpty()) {
            throw new CallFailedException(ExitStatus.FAILED, text);
        }
        return new Done(module == null ? Objects.requireNonNull(change.name(), "a change without a file has a name") : module.name(), module,
            text);
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

    /**
     * Lets nodes take a step at the same time; returns their answers by the names of the nodes. Blocks.
     *
     * @throws CancellationException when a stage is completed meanwhile
     */
    private static <T extends @Nullable Object> Map<String, Answer<T>> askAll(final String id, final List<ChangeParticipant> participants,
        final Step<T> step, final CompletableFuture<?> withdrawn) throws InterruptedException {
        final Map<String, CompletableFuture<Answer<T>>> asked = new LinkedHashMap<>();
        participants.forEach(p -> asked.put(p.node(), ask(p.target(), step)));
        final Map<String, Answer<T>> answers = new LinkedHashMap<>();
        for (final Map.Entry<String, CompletableFuture<Answer<T>>> a : asked.entrySet()) {
            // an answer is there when the link is lost
            new LiveWait("change " + id + " of modules waits for node " + a.getKey(), () -> true, LOG::info)
                .await(CompletableFuture.anyOf(a.getValue(), withdrawn));
            if (withdrawn.isDone()) {
                throw new CancellationException();
            }
            answers.put(a.getKey(), a.getValue().join());
        }
        return answers;
    }

    private static <T extends @Nullable Object> CompletableFuture<Answer<T>> ask(final ChangeTarget target, final Step<T> step) {
        try {
            return step.on(target).handle((result, e) -> new Answer<>(result, e == null ? null : reason(e))).toCompletableFuture();
        } catch (final IOException e) {
            return CompletableFuture.completedFuture(new Answer<>(null, "file cannot be read: " + e.getMessage()));
        }
    }

    private static String reason(final Throwable failure) {
        final Throwable cause = failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return (cause instanceof CallFailedException ? "" : LOST) + Protocol.oneLine(cause);
    }

    /** Returns which nodes could not prove the module in a process of its own. */
    private static String notes(final Map<String, PreparedChange> prepared) {
        return prepared.entrySet().stream().filter(p -> !p.getValue().unproved().isEmpty())
            .map(p -> "; it was proved in node " + p.getKey() + " itself, since " + p.getValue().unproved()).collect(Collectors.joining());
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

    private static String failures(final Map<String, ? extends Answer<?>> answers) {
        final Map<String, List<String>> nodesByText = new LinkedHashMap<>();
        answers.forEach((node, a) -> {
            if (a.failure() != null) {
                nodesByText.computeIfAbsent(a.failure(), t -> new ArrayList<>()).add(node);
            }
        });
        final List<String> failures = new ArrayList<>();
        nodesByText.forEach((text, nodes) -> failures.add((nodes.size() == 1 ? "node " : "nodes ") + String.join(", ", nodes) + ": " + text));
        return String.join("; ", failures);
    }
}
