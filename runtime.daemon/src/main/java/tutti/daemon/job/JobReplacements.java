package tutti.daemon.job;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.part.AgreedJob;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.job.Replacement;
import tutti.runtime.job.ReplacementRequest;
import tutti.runtime.model.NodeLocality;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.ModuleId;

/**
 * The spare ranks of a job, and the places of failed ranks that they take. Their parts are prepared with the others, and wait; each is linked to the
 * parts that live when its rank is needed. Where there are too few of them, further ones are prepared on the nodes that are in the cluster by then.
 * For the coordinator's thread; any thread may ask which places were taken.
 */
final class JobReplacements {
    /** Names in the job of the nodes of further spare ranks: the others know these before they know the nodes. */
    static final List<String> LATER = IntStream.rangeClosed(1, 32).mapToObj(i -> "later-" + i + "/0").toList();
    private static final Logger LOG = LoggerFactory.getLogger(JobReplacements.class);

    /** Begins to prepare parts of further spare ranks. */
    @FunctionalInterface
    interface Preparing {
        /**
         * Begins to prepare a part; returns then.
         *
         * @param node index of the part's node in the job
         * @throws JobEndedException if the node cannot be reached
         */
        CoordinatedPart begin(int node, NodeAddress on) throws JobEndedException;
    }

    /** Spare ranks, or why there are too few. */
    private record Answer(List<Integer> ranks, @Nullable CallFailedException failure) {
        Answer(final CallFailedException failure) {
            this(List.of(), failure);
        }
    }

    private final String job;
    private final JobParts parts;
    /** The places that were taken, by the spare ranks that have taken them. */
    private final Map<Integer, Replacement> taken = new HashMap<>();
    private final Map<ReplacementRequest, Answer> answers = new HashMap<>();
    /** The indexes of nodes of further spare ranks that have yet to connect. */
    private final Set<Integer> connecting = new TreeSet<>();
    /** Those of them that are connected, and take part in the changes of modules next. */
    private final Set<Integer> joining = new TreeSet<>();
    /** Nodes of the cluster on which a further spare rank could not start. */
    private final Set<String> unfit = new TreeSet<>();
    private List<String> later = List.of();
    /** Null before the ranks are placed. */
    private @Nullable Cluster cluster;
    private @Nullable Preparing preparing;
    /** Null before the nodes have agreed. */
    private @Nullable AgreedJob agreed;
    /** Null before the coordinator is complete. */
    private @Nullable ModuleChanges changes;
    private volatile List<Replacement> places = List.of();

    /** Creates the spare ranks of a job that is not placed yet. */
    JobReplacements(final String job, final JobParts parts) {
        this.job = job;
        this.parts = parts;
    }

    /** Sets the changes of modules, which further spare ranks take part in. */
    void follow(final ModuleChanges of) {
        changes = of;
    }

    /**
     * Sets how further spare ranks are prepared.
     *
     * @param names names in the job of their nodes, behind those of the others
     */
    void begin(final List<String> names, final Cluster of, final Preparing by) {
        later = names;
        cluster = of;
        preparing = by;
    }

    /** Returns the names in the job of the nodes of further spare ranks. */
    List<String> later() {
        return later;
    }

    /** Returns the agreement of the nodes with those of further spare ranks, of which nothing is known. */
    AgreedJob agreed(final AgreedJob of) {
        final AgreedJob all = new AgreedJob(of.agreement(), with(of.nodes(), n -> new NodeEndpoints(n, List.of())),
            with(of.localities(), n -> NodeLocality.UNKNOWN), with(of.daemons(), n -> new NodeAddress(n, "", 0)));
        agreed = all;
        return all;
    }

    private <T> List<T> with(final List<T> known, final Function<String, T> unknown) {
        return Stream.concat(known.stream(), later.stream().map(unknown)).toList();
    }

    /** Returns whether a node is there for a spare rank. */
    boolean isSpare(final int node) {
        return IntStream.range(parts.ranks(), parts.ranksWithSpares()).anyMatch(r -> parts.nodeOf(r) == node);
    }

    /** Returns the indexes of the nodes that are not there for a spare rank. */
    Set<Integer> others() {
        return IntStream.range(0, parts.nodes().size()).filter(n -> !isSpare(n)).boxed().collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns whether a rank is a spare one that has taken no place. */
    boolean isFree(final int rank) {
        return rank >= parts.ranks() && places.stream().noneMatch(p -> p.rank() == rank);
    }

    /** Returns for each place of a failed rank that was taken the rank that has it now; for any thread. */
    Map<Integer, Integer> holders() {
        final Map<Integer, Integer> holders = new TreeMap<>();
        places.forEach(p -> holders.put(p.replaces(), p.rank()));
        return holders;
    }

    /** Gives spare ranks the places of failed ones: the same for each rank that wants the same. */
    void wanted(final JobEvent.ReplacementWanted event) {
        final Answer answer = answers.computeIfAbsent(event.request(), this::answer);
        if (answer.failure() == null) {
            event.answer().complete(answer.ranks());
        } else {
            event.answer().completeExceptionally(answer.failure());
        }
    }

    private Answer answer(final ReplacementRequest request) {
        final int size = parts.ranksWithSpares();
        if (request.members().stream().anyMatch(r -> r == null || r < 0 || r >= size)) {
            // Cause: a breach of the protocol by a node of the job. Remedy: run the same release everywhere, or report it.
            return new Answer(new CallFailedException(ExitStatus.FAILED, "no ranks of job " + job + ": " + request.members()));
        }
        final List<Integer> free = new ArrayList<>(IntStream.range(parts.ranks(), size)
            .filter(r -> isFree(r) && !parts.all().get(parts.nodeOf(r)).isEnded()).limit(request.failed().size()).boxed().toList());
        while (free.size() < request.failed().size()) {
            final CoordinatedPart further = prepare();
            if (further == null) {
                // Cause: the spare ranks have taken places, or their nodes are lost, and no node of the cluster can have further ones. Remedy:
                // `--spares` with a higher number, or further nodes; or `shrink`.
                return new Answer(new CallFailedException(ExitStatus.FAILED, "too few spare ranks: needed=" + request.failed().size() + ", left="
                    + free.size() + ", of=" + (parts.ranksWithSpares() - parts.ranks()) + "; start the job with more: --spares"
                    + (unfit.isEmpty() ? "" : "; nodes that cannot have further ones: " + unfit)));
            }
            free.add(parts.ranksWithSpares() - 1);
        }
        final List<Integer> members = request.with(free);
        final List<Replacement> now = new ArrayList<>();
        for (int i = 0; i < members.size(); i++) {
            if (free.contains(members.get(i))) {
                final Replacement before = taken.get(request.members().get(i));
                final int begun = before == null ? request.members().get(i) : before.replaces();
                final int incarnation = 1 + (int) places.stream().filter(p -> p.replaces() == begun).count();
                now.add(new Replacement(members.get(i), begun, incarnation, request.context(), members,
                    parts.name(parts.nodeOf(members.get(i)))));
            }
        }
        now.forEach(this::take);
        parts.losses().replaced(now);
        return new Answer(free, null);
    }

    private void take(final Replacement place) {
        final int node = parts.nodeOf(place.rank());
        taken.put(place.rank(), place);
        final List<Replacement> all = new ArrayList<>(places);
        all.add(place);
        places = List.copyOf(all);
        parts.addRunning(place.rank());
        LOG.info("job {}: rank {} on node {} takes the place of rank {}: incarnation={}", job, place.rank(), parts.name(node), place.replaces(),
            place.incarnation());
        if (connecting.contains(node)) {
            return;
        }
        start(place, node);
    }

    /** Starts the rank of a part that is connected, with links to the parts that take part now. */
    private void start(final Replacement place, final int node) {
        final List<NodeEndpoints> all = Objects.requireNonNull(agreed, "agreement of the nodes").nodes();
        parts.all().get(node).startSpare(place, IntStream.range(0, all.size())
            .mapToObj(n -> n == node || isLinked(n) ? all.get(n) : new NodeEndpoints(all.get(n).name(), List.of())).toList());
    }

    /** Returns whether a part takes part now: it has ranks that run, and links to others. */
    private boolean isLinked(final int node) {
        return node < parts.nodes().size() && !connecting.contains(node) && !parts.running(List.of(node)).isEmpty();
    }

    /** Begins to prepare a part of a further spare rank, on the node that has had the fewest ranks of the job; returns null if there is no node. */
    private @Nullable CoordinatedPart prepare() {
        final int node = parts.nodes().size();
        final Cluster of = cluster;
        final Preparing by = preparing;
        while (of != null && by != null && node < parts.nodesAtStart() + later.size()) {
            final Map<String, Integer> ranks = new HashMap<>();
            IntStream.range(0, parts.ranksWithSpares()).map(parts::nodeOf)
                .forEach(n -> ranks.merge(parts.nodes().get(n).node(), 1, Integer::sum));
            final NodeInfo on = of.nodes().stream().filter(n -> !unfit.contains(n.name()) && !isLost(n))
                .min(Comparator.<NodeInfo>comparingInt(n -> ranks.getOrDefault(n.name(), 0)).thenComparing(NodeInfo::name)).orElse(null);
            if (on == null) {
                return null;
            }
            final NodeAddress at = new NodeAddress(on.name(), on.host(), on.port()).jvm(node);
            try {
                final CoordinatedPart part = by.begin(node, at);
                parts.add(part, at, on);
                connecting.add(node);
                return part;
            } catch (final JobEndedException e) {
                LOG.info("job {}: no further spare rank on node {}: {}", job, on.name(), e.text());
                unfit.add(on.name());
            }
        }
        return null;
    }

    /** Returns whether a part in the same process was lost. */
    private boolean isLost(final NodeInfo process) {
        return IntStream.range(0, parts.nodes().size()).anyMatch(n -> parts.processes().get(n).isSameProcess(process) && parts.losses().isLost(n));
    }

    /** Connects the part of a further spare rank, if its node holds all modules that the others agree on. */
    void prepared(final JobEvent.Prepared event) throws JobEndedException {
        final AgreedJob all = agreed;
        if (!connecting.contains(event.node()) || all == null) {
            return;
        }
        final AgreedModules changed = changes == null ? null : changes.agreement();
        final AgreedModules modules = changed == null ? all.agreement() : changed;
        final List<ModuleId> missing = modules.modules().stream().filter(m -> !event.part().catalogue().modules().contains(m)).toList();
        if (!missing.isEmpty()) {
            // Cause: the node, which was not in the job before, has other modules. Remedy: install them there: `tutti install`.
            failed(event.node(), new JobEndedException(ExitStatus.NO_AGREEMENT, "node " + parts.name(event.node())
                + " cannot have a spare rank, since it does not hold modules of the job: " + missing));
            return;
        }
        final List<NodeEndpoints> nodes = new ArrayList<>(all.nodes());
        nodes.set(event.node(), new NodeEndpoints(nodes.get(event.node()).name(), event.part().endpoints()));
        agreed = new AgreedJob(modules, nodes, all.localities(), all.daemons());
        parts.all().get(event.node()).connect(agreed);
    }

    /** Starts the rank of a part that is connected now, if it is that of a further spare rank. */
    void connected(final int node) {
        if (connecting.contains(node) && changes != null && joining.add(node)) {
            parts.all().get(node).bring(changes::bring);
        } else if (connecting.remove(node)) {
            taken.values().stream().filter(p -> parts.nodeOf(p.rank()) == node).forEach(p -> start(p, node));
        }
    }

    /**
     * Counts the rank of a part that could not be prepared, connected or started as failed.
     *
     * @throws JobEndedException if the job does not go on when it loses ranks
     */
    void failed(final int node, final JobEndedException why) throws JobEndedException {
        if (connecting.remove(node)) {
            unfit.add(parts.nodes().get(node).node());
        }
        parts.losses().lost(List.of(node), why);
    }

    /** Ends the parts whose ranks have taken no place: the job has ended. */
    void endUnused() {
        IntStream.range(parts.ranks(), parts.ranksWithSpares()).filter(this::isFree).map(parts::nodeOf).filter(n -> n < parts.all().size())
            .mapToObj(parts.all()::get).filter(p -> !p.isEnded()).forEach(p -> p.part().cancel("the job has ended"));
    }
}
