package tutti.daemon.job;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.control.OneModule;
import tutti.daemon.part.JobNode;
import tutti.daemon.part.JobPart;
import tutti.daemon.part.PartListener;
import tutti.daemon.part.Preparation;
import tutti.daemon.part.PreparedPart;
import tutti.daemon.part.ScriptedPart;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.NodeAddress;
import tutti.runtime.transport.mina.MinaTransport;

/** Node at the other end of a coordinator's link, whose part is scripted by a test. */
final class ScriptedNode implements JobNode, AutoCloseable {
    private final MinaTransport transport = new MinaTransport();
    private final ScriptedPart part = new ScriptedPart();
    private final CompletableFuture<PartListener> coordinator = new CompletableFuture<>();
    private volatile CompletableFuture<PreparedPart> prepared =
        CompletableFuture.completedFuture(new PreparedPart(new OneModule().catalogue(), List.of("tcp"), List.of(Endpoint.tcp("h", 1))));

    /** Listens for the link of a coordinator; returns the address of the node. */
    NodeAddress listen(final String name) throws IOException {
        return new NodeAddress(name, "127.0.0.1", transport.listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> {
            final ControlChannel channel = ControlChannel.open();
            channel.conversation().serve(JobNode.class, this).serve(JobPart.class, part);
            coordinator.complete(channel.conversation().peer(PartListener.class));
            return channel.attach(link);
        }).address().getPort());
    }

    ScriptedPart part() {
        return part;
    }

    /** Returns what the part reports to, when a coordinator has opened its link. */
    PartListener coordinator() {
        return coordinator.join();
    }

    /** Sets how the preparation of the part ends. */
    void prepareAs(final CompletableFuture<PreparedPart> result) {
        prepared = result;
    }

    @Override
    public CompletionStage<PreparedPart> prepare(final Preparation order, final InputStream files) {
        return prepared;
    }

    @Override
    public void close() {
        transport.close();
    }
}
