package tutti.daemon.job;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tutti.daemon.channel.CallFailedException;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.channel.Recorder;
import tutti.daemon.cluster.Cluster;
import tutti.daemon.control.OneModule;
import tutti.daemon.control.TestNode;
import tutti.daemon.membership.MembershipSettings;
import tutti.daemon.membership.jgroups.JGroupsProvider;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.part.AgreedJob;
import tutti.daemon.part.JobNode;
import tutti.daemon.part.JobPart;
import tutti.daemon.part.PartListener;
import tutti.daemon.part.PartOutput;
import tutti.daemon.part.Preparation;
import tutti.daemon.part.PreparedPart;
import tutti.daemon.part.ScriptedHost;
import tutti.daemon.protocol.MessageCodec;
import tutti.daemon.protocol.NodeHello;
import tutti.daemon.security.HelloVerifier;
import tutti.runtime.inspect.RankState;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.JobListener;
import tutti.runtime.job.NodeEndpoints;
import tutti.runtime.job.Replacement;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.mina.MinaTransport;

/** Member of a cluster that a test plays, for the spare ranks of a job: those are in job JVMs on other nodes, and have scripted ranks here. */
final class SpareNode implements AutoCloseable {
    private final MinaTransport transport = new MinaTransport();
    private final ScriptedHost host = new ScriptedHost();
    private final CompletableFuture<Set<Integer>> linked = new CompletableFuture<>();
    private final Cluster cluster;
    private volatile String unreachable;
    private volatile CompletableFuture<Void> partEnds = CompletableFuture.completedFuture(null);

    SpareNode(final String name, final TestNode other) throws IOException {
        final int port =
            transport.listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> accept(hello, link)).address().getPort();
        cluster = new Cluster(new NodeInfo(name, "1", "127.0.0.1", port, 1, "25", 1, 0), TestNode.SECRET.over(transport), new JGroupsProvider(),
            MembershipSettings.DEFAULT);
        cluster.join(other.address());
    }

    private LinkHandler accept(final Hello hello, final Link link) throws RefusedException {
        try {
            final NodeHello from = MessageCodec.read(
                new HelloVerifier(TestNode.SECRET).verify(hello, Set.of(cluster.self().port())).hello().payload(), NodeHello.class);
            return from.place() == null ? cluster.accept(link, from.node(), new ControlChannel.Memory(1 << 20, "none")) : new Part().attach(link);
        } catch (final RefusedException e) {
            throw e;
        } catch (final IOException e) {
            throw new RefusedException(e.getMessage());
        }
    }

    /** Returns the host whose job the next part is. */
    ScriptedHost host() {
        return host;
    }

    /** Completes with the nodes that the rank is to open links to. */
    CompletableFuture<Set<Integer>> linked() {
        return linked;
    }

    /** Lets the rank fail to start, since it cannot open its links. */
    void failToLink(final String reason) {
        unreachable = reason;
    }

    /** Lets the part end, after its ranks, only when the returned future is completed. */
    CompletableFuture<Void> holdEnd() {
        final CompletableFuture<Void> held = new CompletableFuture<>();
        partEnds = held;
        return held;
    }

    /** Closes all links, as when the node's process dies. */
    void closeLinks() {
        transport.close();
    }

    @Override
    public void close() {
        cluster.leave();
        transport.close();
    }

    /** Part of a job that passes all on to the scripted one. */
    private final class Part implements JobNode, JobPart, JobListener {
        private final PartOutput output = new PartOutput();
        private final ControlChannel channel = ControlChannel.open(c -> {
            c.conversation().serve(JobNode.class, this).serve(JobPart.class, this);
            return new Recorder();
        });
        private final PartListener coordinator = channel.conversation().peer(PartListener.class);
        private volatile ScriptedHost.Job job;

        LinkHandler attach(final Link link) {
            return channel.attach(link);
        }

        @Override
        public CompletionStage<PreparedPart> prepare(final Preparation order, final InputStream files) {
            output.open(coordinator);
            try {
                job = (ScriptedHost.Job) host.prepare(order.spec(List.of()), this);
            } catch (final IOException e) {
                return CompletableFuture.failedStage(e);
            }
            job.ended().thenRun(() -> partEnds.thenRun(output::partEnded));
            return CompletableFuture.completedStage(new PreparedPart(new OneModule().catalogue(), List.of("tcp"), List.of(Endpoint.tcp("h", 1))));
        }

        @Override
        public CompletionStage<Void> connect(final AgreedJob agreed) {
            return job.connect(agreed.agreement(), Map.of(), agreed.nodes());
        }

        @Override
        public CompletionStage<Void> startSpare(final Replacement place, final List<NodeEndpoints> to) {
            linked.complete(IntStream.range(0, to.size()).filter(n -> n != job.spec().self() && !to.get(n).endpoints().isEmpty()).boxed()
                .collect(Collectors.toSet()));
            return unreachable == null ? job.start(place, to) : CompletableFuture.failedStage(new CallFailedException(3, unreachable));
        }

        @Override
        public void start() {
            job.start();
        }

        @Override
        public void cancel(final String reason) {
            job.cancel(reason);
        }

        @Override
        public void lose(final List<Integer> ranks, final String reason) {
            job.lose(ranks.stream().mapToInt(Integer::intValue).toArray(), reason);
        }

        @Override
        public void endSpawned(final String reason) {
            // it has spawned none
        }

        @Override
        public CompletionStage<List<RankState>> inspect(final long waitedMillis) {
            return CompletableFuture.completedStage(List.of());
        }

        @Override
        public CompletionStage<Long> lastPoint() {
            return CompletableFuture.completedStage(0L);
        }

        @Override
        public void checkpointAt(final long point) {
            // it saves nothing
        }

        @Override
        public CompletionStage<Catalogue> lease(final int change) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Void> agree(final int change, final AgreedModules agreement) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Void> change(final int change) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void abandon(final int change) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void output(final int rank, final boolean error, final byte[] bytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void inputWanted() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void rankEnded(final int rank, final RankOutcome end) {
            output.rankEnded(rank, end);
        }

        @Override
        public void nodeLost(final int node, final String reason) {
            coordinator.nodeLost(node, reason);
        }
    }
}
