package tutti.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tutti.daemon.channel.ControlChannel;
import tutti.daemon.monitor.ClusterRequests;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.node.HostPort;
import tutti.daemon.node.NodeInfo;
import tutti.daemon.node.NodeReport;
import tutti.runtime.transport.mina.MinaTransport;

/** Tests which node a run that is continued talks to, with daemons that only list their members. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RestartedRunTest {
    private final List<MinaTransport> transports = new ArrayList<>();
    private final List<NodeInfo> members = new ArrayList<>();
    private final AtomicInteger asked = new AtomicInteger();

    /** Starts a daemon, whose first answers still have all members. */
    private NodeInfo start(final String name, final int before) throws IOException {
        final MinaTransport transport = new MinaTransport();
        transports.add(transport);
        final ClusterRequests requests = (ClusterRequests) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {ClusterRequests.class},
            (proxy, method, arguments) -> CompletableFuture.completedStage(method.getName().equals("nodes") ? reports(name, before) : List.of()));
        final int port = transport.listen(new InetSocketAddress("127.0.0.1", 0), (link, hello) -> ControlChannel.open(c -> {
            c.conversation().serve(ClusterRequests.class, requests);
            return reason -> {
                // the command has what it wanted
            };
        }).attach(link)).address().getPort();
        final NodeInfo node = new NodeInfo(name, "1", "127.0.0.1", port, 1, "25", 1, 0);
        members.add(node);
        return node;
    }

    private List<NodeReport> reports(final String name, final int before) {
        final boolean hasNoticed = asked.incrementAndGet() > before;
        return members.stream().filter(m -> !hasNoticed || m.name().equals(name))
            .map(m -> new NodeReport(m, 0, null, List.of(), Map.of(), List.of(), null, List.of())).toList();
    }

    @AfterEach
    void close() {
        transports.forEach(MinaTransport::close);
    }

    @Test
    void shouldContinueOnANodeThatLivesWhenItHasNoticedThatAnotherIsLost() throws Exception {
        final NodeInfo lost = start("a", Integer.MAX_VALUE);
        start("b", 4);
        final List<HostPort> used = new ArrayList<>();
        try (Client first = Client.connect(new Contact(lost.address(), null))) {
            final int status = new RestartedRun(first, 1, List.of(), null).run((client, nodes, restart, accepted) -> {
                used.add(client.address());
                accepted.accept("a-1-0000");
                if (used.size() == 1) {
                    transports.getFirst().close();
                    return ExitStatus.NO_CLUSTER;
                }
                return ExitStatus.OK;
            });
            assertEquals(ExitStatus.OK, status);
        }
        assertEquals(members.stream().map(NodeInfo::address).toList(), used);
    }
}
