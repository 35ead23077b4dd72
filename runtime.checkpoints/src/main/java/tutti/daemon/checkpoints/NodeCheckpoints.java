package tutti.daemon.checkpoints;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.daemon.listing.HeldCheckpoint;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.transport.Transport;

/** The checkpoints that this node keeps, and the links by which its jobs keep copies on other nodes. Safe for any thread. */
public final class NodeCheckpoints {
    private static final Logger LOG = LoggerFactory.getLogger(NodeCheckpoints.class);
    private static final String FOLDER = "checkpoints";

    private final Nodes nodes;
    private final Transport transport;
    private final CheckpointFolder folder;
    private final SeriesUse.Registry uses;

    /** Access to the nodes of the cluster. */
    @FunctionalInterface
    public interface Nodes {
        /** Returns them, this one first. */
        List<NodeInfo> all();
    }

    /**
     * Creates the checkpoints of a node.
     *
     * @param name      name of the node
     * @param folder    the node's folder
     * @param transport transport of links between daemons
     */
    public NodeCheckpoints(final String name, final Path folder, final Transport transport, final Nodes nodes) {
        this(name, folder, transport, nodes, () -> {
            // every change is made
        });
    }

    NodeCheckpoints(final String name, final Path folder, final Transport transport, final Nodes nodes,
        final CheckpointFolder.Steps steps) {
        this.nodes = nodes;
        this.transport = transport;
        this.folder = new CheckpointFolder(folder.resolve(FOLDER), name, steps);
        this.uses = new SeriesUse.Registry(name);
    }

    CheckpointFolder folder() {
        return folder;
    }

    SeriesUse.Registry uses() {
        return uses;
    }

    /**
     * Opens the checkpoints of a part of a job, which uses the series until it closes them. When the job continues, the verified files of its ranks
     * are on this node then: those that it has, or those that it fetches from other nodes. Blocks.
     *
     * @param series the series: the id of the job, or that of the one that it continues
     * @param job    id of the job
     * @param names  names of the job's nodes, in their order
     * @param self   index of this node
     * @param ranks  ranks of the part; those that the checkpoint does not have are spare ones
     * @param from   the checkpoint from which the job continues; null when it starts from the beginning
     * @throws IOException when another job uses the series, or no holder has undamaged files of a rank; names all tries
     */
    public JobCheckpoints open(final String series, final String job, final List<String> names, final int self, final Collection<Integer> ranks,
        final @Nullable Restart from) throws IOException {
        if (from != null && !from.series().equals(series)) {
            // Cause: nodes of the job have agreed on another series. Remedy: run the job again.
            throw new IOException("series of checkpoints differs: series=" + series + ", continued=" + from.series());
        }
        final SeriesUse use = uses.begin(series, job, null);
        try {
            if (from != null) {
                folder.resume(from);
                fetch(from, ranks.stream().filter(r -> r < from.ranks()).toList());
            }
            return new JobCheckpoints(this, use, names, self, from);
        } catch (final IOException | RuntimeException e) {
            use.close();
            throw e;
        }
    }

    /**
     * Returns the state of a rank at a checkpoint of a job that runs: from this node, or else from the first one that has it, which is fetched then.
     * Blocks.
     */
    StoredFiles stored(final String series, final String job, final int number, final long point, final int rank, final int ranks)
        throws IOException {
        final List<Restart.Holder> all = nodes.all().stream().map(n -> new Restart.Holder(n.name(), List.of(rank))).toList();
        fetch(new Restart(series, number, job, 1, point, ranks, all), List.of(rank));
        final Path found = folder.find(series, number, rank, job, point);
        if (found == null) {
            // Cause: files were removed by hand. Remedy: none: the job begins anew.
            throw new IOException("checkpoint is missing: series=" + series + ", number=" + number + ", rank=" + rank + ", node=" + folder.node());
        }
        return StoredFiles.open(found, folder.node());
    }

    /** Makes sure that this node has the files of ranks. */
    private void fetch(final Restart from, final Collection<Integer> ranks) throws IOException {
        final Map<String, CheckpointClient> links = new HashMap<>();
        try {
            for (final int rank : ranks) {
                final List<String> tries = new ArrayList<>();
                if (!hasVerified(from, rank, tries) && !fetch(from, rank, tries, links)) {
                    // Cause: neither the node nor another one has the rank's file.
                    throw new IOException("checkpoint cannot be continued: series=" + from.series() + ", number=" + from.number() + ", rank=" + rank
                        + ", node=" + folder.node() + ": " + (tries.isEmpty() ? "no node holds it" : String.join("; ", tries))
                        + "; continue from another one, list them with: tutti checkpoints");
                }
            }
        } finally {
            links.values().forEach(CheckpointClient::close);
        }
    }

    /** Returns whether this node has undamaged files of a rank; sets damaged ones aside. */
    private boolean hasVerified(final Restart from, final int rank, final List<String> tries) throws IOException {
        final Path own = folder.find(from.series(), from.number(), rank, from.job(), from.point());
        if (own == null) {
            return false;
        }
        try {
            final StoredFiles files = StoredFiles.open(own, folder.node());
            final RankState.Header h = files.state().header();
            if (h.rank() != rank || h.ranks() != from.ranks() || h.number() != from.number() || !h.job().equals(from.job())) {
                // Cause: files were moved by hand. Remedy: continue from another checkpoint.
                throw StoredFiles.failure(files.stateFile(), folder.node(), new IOException("it is that of another rank or checkpoint"));
            }
            files.verify();
            return true;
        } catch (final IOException e) {
            // Cause: a file is damaged or of another run; a copy is fetched. Remedy: look at the disk of this node.
            LOG.warn("rank of a checkpoint is set aside: {}", Protocol.oneLine(e));
            tries.add(Protocol.oneLine(e));
            folder.setAside(own);
            return false;
        }
    }

    private boolean fetch(final Restart from, final int rank, final List<String> tries, final Map<String, CheckpointClient> links) {
        for (final String holder : from.holders(rank)) {
            if (holder.equals(folder.node())) {
                continue;
            }
            try {
                CheckpointClient link = links.get(holder);
                if (link == null || link.isLost()) {
                    link = link(holder, from.series(), from.job());
                    links.put(holder, link);
                }
                link.fetch(from, rank, folder);
                return true;
            } catch (final IOException e) {
                // Cause: the node that has it was lost, or its file is damaged; another copy is tried. Remedy: look at the disk of that node.
                LOG.warn("rank of a checkpoint cannot be fetched: rank={}, node={}, reason={}", rank, holder, Protocol.oneLine(e));
                tries.add(Protocol.oneLine(e));
            }
        }
        return false;
    }

    /** Opens a link to a node. */
    CheckpointClient link(final String node, final String series, final String job) throws IOException {
        final List<NodeInfo> all = nodes.all();
        for (final NodeInfo n : all) {
            if (n.name().equals(node)) {
                return CheckpointClient.link(all.getFirst(), n, transport, series, job);
            }
        }
        // Cause: a node with copies has left. Remedy: start it again.
        throw new IOException("node " + node + " is not in the cluster");
    }

    /**
     * Returns the name of the node that keeps copies for a job: the first of its other nodes that is there, or else the next one by name; null if
     * there is no other.
     *
     * @param ofJob the other nodes of the job, from the one behind this
     */
    @Nullable
    String neighbour(final List<String> ofJob) {
        final Set<String> members = nodes.all().stream().map(NodeInfo::name).collect(Collectors.toSet());
        for (final String name : ofJob) {
            if (members.contains(name)) {
                return name;
            }
        }
        final List<String> others = nodes.all().stream().map(NodeInfo::name).filter(n -> !n.equals(folder.node())).sorted(Comparator.naturalOrder())
            .toList();
        return others.stream().filter(n -> n.compareTo(folder.node()) > 0).findFirst().orElse(others.isEmpty() ? null : others.getFirst());
    }

    /** Returns what this node holds. Reads the disk. */
    public List<HeldCheckpoint> list() {
        return folder.list(uses);
    }

    /**
     * Removes the checkpoints of a series from this node; returns why they are kept, null when they are removed. Waits while the node of a job that
     * keeps copies here does not answer.
     */
    public @Nullable String remove(final String series) {
        try {
            CheckpointFolder.checkSeries(series);
            final String user = uses.lastingUser(series);
            if (user != null) {
                return inUse(series, user, folder.node());
            }
            folder.removeSeries(series);
            return null;
        } catch (final IOException e) {
            return "checkpoints cannot be removed: node=" + folder.node() + ", series=" + series + ", reason=" + Protocol.oneLine(e);
        }
    }

    /** Returns that a job uses a series, as text for users. */
    public static String inUse(final String series, final String job, final String node) {
        return "checkpoints are in use: series=" + series + ", job=" + job + ", node=" + Objects.requireNonNull(node, "node")
            + "; wait for the job, or end it with: tutti cancel " + job;
    }
}
