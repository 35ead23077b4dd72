package tutti.runtime.wire;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tutti.runtime.context.JobDescription;

/** Another job that a job is connected to, as one node of the job holds it. For the owner of the lock of {@link ConnectedJobs}. */
final class ConnectedJob {
    final JobDescription job;
    /** Number of its rank 0 on this node. */
    final int base;
    private final Map<Integer, PeerNode> peers = new TreeMap<>();
    private final Map<Integer, String> lost = new TreeMap<>();
    private final Set<Integer> linked = new TreeSet<>();
    /** Number of groups with its ranks that nobody watches yet. */
    private int held;

    ConnectedJob(final JobDescription job, final int base) {
        this.job = job;
        this.base = base;
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

    /** Returns its nodes that messages can be sent to. */
    Iterable<PeerNode> peers() {
        return List.copyOf(peers.values());
    }

    /** Records that the link to a node is being opened; returns whether it was not before. */
    boolean startLink(final int node) {
        return linked.add(node);
    }

    void lose(final int node, final String reason) {
        lost.put(node, reason);
    }

    /** Returns why a node is lost; null if it is not. */
    @Nullable
    String loss(final int node) {
        return lost.get(node);
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
        return held == 0 && !linked.isEmpty() && lost.keySet().containsAll(linked);
    }
}
