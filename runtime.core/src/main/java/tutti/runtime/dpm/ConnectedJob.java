package tutti.runtime.dpm;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tutti.runtime.introspect.MessageStatistics;
import tutti.runtime.locality.RankPlace;
import tutti.runtime.wire.PeerNode;

/** Another job that a job is connected to, as one node of the job holds it. For the owner of the lock of {@link ConnectedJobs}. */
final class ConnectedJob {
    final JobDescription job;
    /** Number of its rank 0 on this node. */
    final int base;
    final List<RankPlace> places;
    private final Map<Integer, PeerNode> peers = new TreeMap<>();
    private final Set<Integer> lost = new TreeSet<>();
    /** For each node to which there is a link, or will be: completed when the link is there, or is not expected any more. */
    private final Map<Integer, CompletableFuture<Void>> links = new TreeMap<>();
    /** Number of groups with its ranks that nobody watches yet. */
    private int held;

    ConnectedJob(final JobDescription job, final int base) {
        this.job = job;
        this.base = base;
        this.places = job.places();
    }

    /** Returns the number after that of its last rank. */
    int end() {
        return base + job.size();
    }

    boolean contains(final int number) {
        return number >= base && number < end();
    }

    int nodeOf(final int number) {
        return job.nodeOfRank().get(number - base);
    }

    /** Returns one of its nodes; null before a rank of it was a member of a group. */
    @Nullable
    PeerNode peer(final int node) {
        return peers.get(node);
    }

    void add(final int node, final PeerNode peer) {
        peers.put(node, peer);
    }

    /** Returns the numbers of messages that were sent to the job. */
    MessageStatistics sent() {
        return peers().map(PeerNode::statistics).reduce(MessageStatistics.NONE, MessageStatistics::plus);
    }

    /** Returns its nodes that messages can be sent to. */
    Stream<PeerNode> peers() {
        return peers.values().stream();
    }

    /** Records that a link to a node is needed; returns what is completed when it is there, or null if that was recorded before. */
    @Nullable
    CompletableFuture<Void> startLink(final int node) {
        final CompletableFuture<Void> link = new CompletableFuture<>();
        return links.putIfAbsent(node, link) == null ? link : null;
    }

    /** Returns what is completed when the link to a node is there. */
    CompletableFuture<Void> link(final int node) {
        return links.computeIfAbsent(node, n -> new CompletableFuture<>());
    }

    /** Returns what is completed when links are there, of all nodes to which one is needed. */
    Stream<CompletableFuture<Void>> links() {
        return links.values().stream();
    }

    void lose(final int node) {
        lost.add(node);
    }

    /** Keeps its numbers until {@link #release}. */
    void hold() {
        held++;
    }

    void release() {
        held--;
    }

    /** Returns whether all its nodes that this node had links to are lost, and no group is being created. */
    boolean isGone() {
        return held == 0 && !links.isEmpty() && lost.containsAll(links.keySet());
    }
}
