package tutti.daemon.checkpoints;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.listing.HeldCheckpoint;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.checkpoint.store.SavedRank;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.mina.MinaTransport;

/** Nodes with checkpoints on disks of their own and real links between them, without the rest of a daemon. */
final class CheckpointCluster implements AutoCloseable {
    private final Path dir;
    private final Function<String, CheckpointFolder.Steps> steps;
    private final Map<String, Node> nodes = new TreeMap<>();
    private final Set<String> series = ConcurrentHashMap.newKeySet();

    /** A node. */
    final class Node implements AutoCloseable {
        private final MinaTransport transport = new MinaTransport();
        private final Set<ControlChannel> served = ConcurrentHashMap.newKeySet();
        private final Listener listener;
        private final NodeInfo info;
        private final NodeCheckpoints checkpoints;

        private Node(final String name) throws IOException {
            checkpoints = new NodeCheckpoints(name, dir.resolve(name), transport, () -> members(name), steps.apply(name));
            listener = transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), (link, hello) -> {
                if (!hello.purpose().equals(Protocol.CHECKPOINT)) {
                    throw new RefusedException("unexpected purpose: " + hello.purpose());
                }
                final ControlChannel channel = ControlChannel.open(c -> new CheckpointServer(c, checkpoints)).attach(link);
                served.add(channel);
                return channel;
            });
            info = new NodeInfo(name, "1", "127.0.0.1", listener.address().getPort(), 1, "25", 1, 0);
        }

        NodeInfo info() {
            return info;
        }

        NodeCheckpoints checkpoints() {
            return checkpoints;
        }

        Path folder() {
            return dir.resolve(info.name()).resolve("checkpoints");
        }

        /** Closes all links to the node, as when it dies, and waits until it changes no copies any more. */
        @Override
        public void close() {
            listener.close();
            served.forEach(ControlChannel::close);
            transport.close();
            try {
                for (final String s : series) {
                    checkpoints.uses().lastingUser(s);
                }
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    CheckpointCluster(final Path dir, final Function<String, CheckpointFolder.Steps> steps, final String... names) throws IOException {
        this.dir = dir;
        this.steps = steps;
        for (final String name : names) {
            start(name);
        }
    }

    CheckpointCluster(final Path dir, final String... names) throws IOException {
        this(dir, name -> () -> {}, names);
    }

    Node start(final String name) throws IOException {
        final Node made = new Node(name);
        synchronized (nodes) {
            nodes.put(name, made);
        }
        return made;
    }

    Node node(final String name) {
        synchronized (nodes) {
            return nodes.get(name);
        }
    }

    List<String> names() {
        synchronized (nodes) {
            return List.copyOf(nodes.keySet());
        }
    }

    private List<NodeInfo> members(final String first) {
        synchronized (nodes) {
            final List<NodeInfo> all = new ArrayList<>();
            all.add(nodes.get(first).info);
            nodes.values().stream().map(n -> n.info).filter(i -> !i.name().equals(first)).forEach(all::add);
            return all;
        }
    }

    /** Loses a node, with its disk. */
    void lose(final String name) {
        final Node lost;
        synchronized (nodes) {
            lost = nodes.remove(name);
        }
        lost.close();
    }

    List<HeldCheckpoint> held() {
        return names().stream().flatMap(n -> node(n).checkpoints.list().stream()).toList();
    }

    Restart restart(final String series, final int number) throws IOException {
        return RestartPlan.choose(series, number, held(), names());
    }

    @Override
    public void close() {
        names().forEach(this::lose);
    }

    /** A job with as many ranks on each node of it, and a part on each. */
    final class Job implements AutoCloseable {
        private final List<String> on;
        private final int perNode;
        private final List<JobCheckpoints> parts = new ArrayList<>();

        Job(final String series, final String id, final List<String> on, final int perNode, final Restart from) throws IOException {
            CheckpointCluster.this.series.add(series);
            this.on = on;
            this.perNode = perNode;
            try {
                for (int n = 0; n < on.size(); n++) {
                    parts.add(node(on.get(n)).checkpoints.open(series, id, on, n, ranks(n), from));
                }
            } catch (final IOException e) {
                close();
                throw e;
            }
        }

        private List<Integer> ranks(final int part) {
            final List<Integer> ranks = new ArrayList<>();
            for (int r = 0; r < perNode; r++) {
                ranks.add(part * perNode + r);
            }
            return ranks;
        }

        int size() {
            return on.size() * perNode;
        }

        JobCheckpoints part(final int rank) {
            return parts.get(rank / perNode);
        }

        /** All steps of a checkpoint. */
        void save(final int number, final long point) throws IOException {
            for (int r = 0; r < size(); r++) {
                part(r).write(number, state(r, size(), point));
            }
            for (final JobCheckpoints p : parts) {
                p.complete(number);
            }
            parts.forEach(p -> p.removeOlder(number));
        }

        @Override
        public void close() {
            parts.forEach(JobCheckpoints::close);
        }
    }

    /** Returns the state of a rank at a point: a short item, one that is the same at all points, and one that differs. */
    static SavedRank state(final int rank, final int ranks, final long point) {
        return new SavedRank(rank, ranks, point, items(rank, point).entrySet().stream()
            .map(e -> new SavedRank.Item(e.getKey(), e.getValue())).toList());
    }

    static Map<String, MemorySegment> items(final int rank, final long point) {
        final double[] same = new double[9_000];
        Arrays.setAll(same, i -> rank + i / 7.0);
        final long[] differs = new long[10_001];
        Arrays.setAll(differs, i -> point * 1_000_003 + i * (rank + 1L));
        final Map<String, MemorySegment> all = new TreeMap<>();
        all.put("short", MemorySegment.ofArray(new int[] {rank, (int) point, 17}));
        all.put("empty", MemorySegment.ofArray(new byte[0]));
        all.put("same", MemorySegment.ofArray(same));
        all.put("differs", MemorySegment.ofArray(differs));
        return all;
    }

    /** Returns the files below a folder. */
    static List<Path> files(final Path folder) throws IOException {
        try (var all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }
}
