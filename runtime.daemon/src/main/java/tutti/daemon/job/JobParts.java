package tutti.daemon.job;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.cluster.LostLink;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.inspect.RankState;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.process.owner.RankOutcome;

/**
 * The parts of a job and the queue of their events, which one thread, the coordinator's, takes and applies. Any thread may add events, and ask what
 * the ranks do.
 */
final class JobParts {
    private static final Logger LOG = LoggerFactory.getLogger(JobParts.class);
    /** How long nodes have to tell what their ranks do, for a user who looks at it. */
    private static final long INSPECT_MILLIS = 1_500;

    private final String job;
    private final String self;
    private final long timeoutMillis;
    private final long deadline;
    private final BlockingQueue<JobEvent> events = new LinkedBlockingQueue<>();
    private final List<CoordinatedPart> all = new CopyOnWriteArrayList<>();
    private final Set<Integer> running = new TreeSet<>();
    /** The ranks that wait in Finalize until all that run do, each with what it waits for. */
    private final Map<Integer, CompletableFuture<Void>> inFinalize = new HashMap<>();
    /** Number of running jobs that the part on each node has spawned. */
    private final Map<Integer, Integer> spawned = new HashMap<>();
    private volatile List<NodeAddress> nodes = List.of();
    /** Processes of the nodes, in the same order. */
    private volatile List<NodeInfo> processes = List.of();
    private volatile List<Integer> nodeOfRank = List.of();
    private volatile boolean isEndRequested;
    private final JobLosses losses;
    private final JobReplacements replacements;
    /** Number of ranks with which the job begins: ranks beyond are spare ones. */
    private volatile int ranks;
    private int nodesAtStart;

    /**
     * Creates the parts of a job that is not placed yet.
     *
     * @param self          name of the coordinator's node
     * @param timeoutMillis time limit of the job; 0 means no limit
     */
    JobParts(final String job, final String self, final long timeoutMillis) {
        this.job = job;
        this.self = self;
        this.timeoutMillis = timeoutMillis;
        this.losses = new JobLosses(job, this);
        this.replacements = new JobReplacements(job, this);
        this.deadline = timeoutMillis == 0 ? Long.MAX_VALUE : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    /** Adds an event. */
    void add(final JobEvent event) {
        if (event instanceof JobEvent.EndRequested) {
            isEndRequested = true;
        }
        events.add(event);
    }

    /** Adds the loss of a node that has left the cluster. A later process of the same name has no part in the job. */
    void nodeLost(final NodeInfo node, final String reason) {
        final List<NodeInfo> known = processes;
        for (int i = 0; i < known.size(); i++) {
            if (known.get(i).isSameProcess(node)) {
                add(new JobEvent.PartLost(i, reason, false));
            }
        }
    }

    /**
     * Sets where the ranks are.
     *
     * @param begun number of those with which the job begins; the others are spare ones
     */
    void place(final Placement placement, final int begun, final List<NodeInfo> members) {
        nodes = placement.nodes();
        processes = nodes.stream().map(n -> members.stream().filter(m -> m.name().equals(n.node())).findFirst().orElseThrow()).toList();
        nodeOfRank = List.copyOf(placement.nodeOfRank());
        ranks = begun;
        nodesAtStart = nodes.size();
        IntStream.range(0, begun).forEach(running::add);
    }

    /** Adds the part on the next node. */
    void add(final CoordinatedPart part) {
        all.add(part);
    }

    /** Adds the part of a further spare rank, on a further node. */
    void add(final CoordinatedPart part, final NodeAddress on, final NodeInfo process) {
        nodes = Stream.concat(nodes.stream(), Stream.of(on)).toList();
        processes = Stream.concat(processes.stream(), Stream.of(process)).toList();
        nodeOfRank = Stream.concat(nodeOfRank.stream(), Stream.of(part.node())).toList();
        all.add(part);
    }

    List<NodeAddress> nodes() {
        return nodes;
    }

    List<NodeInfo> processes() {
        return processes;
    }

    /** Returns the number of ranks with which the job begins; 0 before they are placed. */
    int ranks() {
        return ranks;
    }

    /** Returns the number of nodes with which the job begins, with those of the spare ranks that are there then. */
    int nodesAtStart() {
        return nodesAtStart;
    }

    /** Returns the number of ranks with the spare ones. */
    int ranksWithSpares() {
        return nodeOfRank.size();
    }

    /** Returns the index of the node of a rank. */
    int nodeOf(final int rank) {
        return nodeOfRank.get(rank);
    }

    /** Adds a spare rank to those that run. For the coordinator's thread. */
    void addRunning(final int rank) {
        running.add(rank);
    }

    /** Returns all parts. For the coordinator's thread. */
    List<CoordinatedPart> all() {
        return all;
    }

    /** Returns whether ranks have not ended. For the coordinator's thread. */
    boolean isRunning() {
        return !running.isEmpty();
    }

    /** Returns the ranks that have failed while the job went on, and what losses mean for it. */
    JobLosses losses() {
        return losses;
    }

    /** Returns the spare ranks, and the places that they have taken. */
    JobReplacements replacements() {
        return replacements;
    }

    /** Returns the ranks of some parts that have not ended, in rising order. For the coordinator's thread. */
    List<Integer> running(final Collection<Integer> ofNodes) {
        return running.stream().filter(r -> ofNodes.contains(nodeOfRank.get(r))).toList();
    }

    /** Removes ranks that have failed from those that have not ended; returns the number of those that are left. For the coordinator's thread. */
    int removeRunning(final Collection<Integer> ranks) {
        running.removeAll(ranks);
        return running.size();
    }

    /** Returns whether somebody wanted the job to end, and the jobs that it has spawned. */
    boolean isEndRequested() {
        return isEndRequested;
    }

    /** Returns the names of the nodes with spawned jobs that run. For the coordinator's thread. */
    List<String> spawning() {
        return spawned.keySet().stream().map(this::name).toList();
    }

    /** Returns the time at which the job ends by its time limit, by {@link System#nanoTime}; {@link Long#MAX_VALUE} without. */
    long deadline() {
        return deadline;
    }

    /** Returns the name of a node, by its index. */
    String name(final int node) {
        return node >= 0 && node < nodes.size() ? nodes.get(node).name() : "?";
    }

    /** Returns whether no event waits. */
    boolean isQuiet() {
        return events.isEmpty();
    }

    /** Returns the next event that arrives until a time; null when none does. Does not apply it. */
    @Nullable
    JobEvent poll(final long until) throws InterruptedException {
        return until == Long.MAX_VALUE ? events.take() : events.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    /**
     * Applies the next event that arrives until a time, and returns it; null when none does.
     *
     * @throws JobEndedException when the event ends the job, or the time limit is reached
     */
    @Nullable
    JobEvent next(final long time) throws InterruptedException, JobEndedException {
        final long until = Math.min(time, deadline);
        final JobEvent event = poll(until);
        if (event != null) {
            apply(event);
        } else if (until == deadline) {
            throw timedOut();
        }
        return event;
    }

    private void apply(final JobEvent event) throws JobEndedException {
        if (losses.ignores(event)) {
            return;
        }
        switch (event) {
            case JobEvent.EndRequested o -> throw new JobEndedException(o.status(), o.text()).withRanks();
            // Cause: the node refuses its part, for the reason that follows.
            case JobEvent.NotReceived n -> throw new JobEndedException(ExitStatus.FAILED, "node " + self + ": "
                + Protocol.oneLine(n.reason()));
            case JobEvent.PartLost g -> {
                lost(g);
                final List<Integer> with = ofSameProcess(g.node());
                losses.lost(with, new JobEndedException(ExitStatus.NO_CLUSTER, "node " + (with.size() == 1 || !losses.areReported()
                    ? name(g.node()) : NodeAddress.nodeOf(name(g.node()))) + " was lost: " + g.reason())
                    .by(g.byLink() ? link(self, name(g.node()), g.reason()) : null));
            }
            case JobEvent.NodeLost l -> {
                final JobEndedException end = new JobEndedException(ExitStatus.NO_CLUSTER, "node " + name(l.lost()) + " was lost: " + l.reason()
                    + " (reported by node " + name(l.node()) + ")").byLossOf(l.lost()).by(link(name(l.node()), name(l.lost()), l.reason()));
                if (l.lost() < 0 || l.lost() >= all.size()) {
                    throw end;
                }
                losses.lost(List.of(l.lost()), end);
            }
            case JobEvent.RankEnded r -> ended(r);
            case JobEvent.JvmLost j -> {
                ended(j.node());
                losses.lost(List.of(j.node()), failed(j));
            }
            case JobEvent.PartFailed f -> {
                ended(f.node());
                if (!replacements.isSpare(f.node())) {
                    throw failed(f);
                }
                replacements.failed(f.node(), failed(f));
            }
            case JobEvent.PartEnded e -> ended(e.node());
            case JobEvent.Spawned s -> spawned(s.node());
            case JobEvent.SpawnEnded s -> spawnEnded(s.node());
            case JobEvent.Received r -> LOG.debug("job {}: the program is here", job);
            case JobEvent.Prepared p -> replacements.prepared(p);
            case JobEvent.Connected c -> replacements.connected(c.node());
            case JobEvent.ReplacementWanted w -> replacements.wanted(w);
            case JobEvent.InFinalize f -> inFinalize.put(f.rank(), f.answer());
        }
        if (inFinalize.keySet().containsAll(running)) {
            inFinalize.values().forEach(answer -> answer.complete(null));
            inFinalize.clear();
        }
    }

    private void ended(final JobEvent.RankEnded r) throws JobEndedException {
        final JobEndedException end = end(r);
        final boolean wasRunning = running.remove(r.rank());
        if (end == null) {
            losses.endedWell();
        } else if (r.end().kind() == RankOutcome.Kind.ABORTED) {
            throw end;
        } else if (wasRunning || !losses.areReported()) {
            losses.failed(r, end);
        }
    }

    /** Returns the indexes of the parts on the daemon of a part, which are lost with it. */
    private List<Integer> ofSameProcess(final int node) {
        return IntStream.range(0, all.size()).filter(i -> processes.get(i).isSameProcess(processes.get(node))).boxed().toList();
    }

    /** Returns a lost link of two nodes; null where both ends are JVMs of one node, of which no other node knows more. */
    static @Nullable LostLink link(final String from, final String to, final String reason) {
        final String node = NodeAddress.nodeOf(from);
        final String other = NodeAddress.nodeOf(to);
        return node.equals(other) ? null : new LostLink(node, other, reason);
    }

    /** Applies the loss of a part. */
    void lost(final JobEvent.PartLost part) {
        ended(part.node());
        spawned.remove(part.node());
    }

    /** Marks the part on a node as ended. */
    void ended(final int node) {
        if (node < all.size()) {
            all.get(node).markEnded();
        }
    }

    /** Counts a job that a part has spawned. */
    void spawned(final int node) {
        spawned.merge(node, 1, Integer::sum);
    }

    /** Counts the end of a job that a part has spawned. */
    void spawnEnded(final int node) {
        spawned.computeIfPresent(node, (n, count) -> count == 1 ? null : count - 1);
    }

    /** Returns the end of the job by its time limit. */
    JobEndedException timedOut() {
        return new JobEndedException(ExitStatus.TIMEOUT, "job " + job + " was ended by its timeout: limit=" + timeoutMillis / 1000.0 + " s"
            + (running.isEmpty() ? "" : ", ranks still running: " + names(running))).withRanks();
    }

    private static String names(final Set<Integer> ranks) {
        final String first = ranks.stream().limit(8).map(String::valueOf).collect(Collectors.joining(", "));
        return ranks.size() > 8 ? first + " and " + (ranks.size() - 8) + " more" : first;
    }

    /** Returns the end of the job by the failure of a part. */
    JobEndedException failed(final JobEvent.PartFailed part) {
        return new JobEndedException(part.status(), "node " + name(part.node()) + ": " + part.text());
    }

    /** Returns the end of the job by the loss of a JVM. */
    JobEndedException failed(final JobEvent.JvmLost part) {
        return new JobEndedException(ExitStatus.FAILED, "node " + name(part.node()) + ": " + part.text());
    }

    /** Returns how the end of a rank ends the job; null where the job goes on. */
    @Nullable
    JobEndedException end(final JobEvent.RankEnded r) {
        final RankOutcome end = r.end();
        return switch (end.kind()) {
            case FAILED, PEER_FAILED, CANCELLED -> new JobEndedException(Math.max(1, end.status()), rank(r) + " failed: " + end.text(),
                end.kind() == RankOutcome.Kind.PEER_FAILED);
            case ABORTED -> new JobEndedException(end.status(), rank(r) + " called abort: status=" + end.status());
            case EXITED -> end.status() == 0 ? null : new JobEndedException(end.status(), rank(r) + " called System.exit: status=" + end.status());
            case RETURNED -> null;
        };
    }

    private String rank(final JobEvent.RankEnded r) {
        // Cause: the program threw an exception. Remedy: correct it; see [messages](messages.md#the-end-of-a-job).
        return "rank " + r.rank() + " on node " + name(r.node());
    }

    /** Answers of parts about their ranks. */
    record Inspection(List<CompletableFuture<List<RankState>>> answers) {
        /** Returns whether all parts have answered. */
        boolean isComplete() {
            return answers.stream().allMatch(CompletableFuture::isDone);
        }

        /** Returns the states that are known now, in the order of the ranks. */
        List<RankState> states() {
            return answers.stream().filter(a -> a.isDone() && !a.isCompletedExceptionally()).flatMap(a -> a.join().stream())
                .sorted(Comparator.comparingInt(RankState::rank)).toList();
        }
    }

    /**
     * Asks the parts that have not ended what their ranks do.
     *
     * @param waitedMillis parts of which no rank has been waiting for that long tell nothing; 0 to be told in any case
     */
    Inspection inspect(final long waitedMillis) {
        return new Inspection(all.stream().filter(p -> !p.isEnded()).map(p -> p.part().inspect(waitedMillis).toCompletableFuture()).toList());
    }

    /** Returns what the ranks do; those whose nodes do not answer soon are not known. Blocks. */
    StallAnalysis inspected() throws InterruptedException {
        final Inspection asked = inspect(0);
        try {
            CompletableFuture.allOf(asked.answers().toArray(CompletableFuture[]::new)).get(INSPECT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (final ExecutionException | TimeoutException e) {
            LOG.debug("job {}: not all nodes tell what their ranks do", job, e);
        }
        return analysis(asked.states());
    }

    /** Returns the analysis of states. */
    StallAnalysis analysis(final List<RankState> states) {
        final List<RankState> known = new ArrayList<>(states);
        final Set<Integer> told = states.stream().map(RankState::rank).collect(Collectors.toCollection(HashSet::new));
        // a part is not asked when all its ranks have ended
        final List<Integer> failed = losses.failed();
        final List<Integer> others = IntStream.range(ranks, ranksWithSpares()).filter(r -> !replacements.isFree(r)).boxed().toList();
        Stream.concat(IntStream.range(0, ranks).boxed(), others.stream()).filter(r -> !told.contains(r))
            .filter(r -> failed.contains(r) || all.stream().anyMatch(p -> p.node() == nodeOfRank.get(r) && p.isEnded()))
            .forEach(r -> known.add(new RankState(r, RankState.Activity.ENDED, null, null, 0, List.of(), List.of(), List.of())));
        return new StallAnalysis(ranks, others, known, failed, rank -> name(nodeOfRank.get(rank)));
    }
}
