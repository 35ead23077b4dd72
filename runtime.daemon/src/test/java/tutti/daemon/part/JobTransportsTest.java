package tutti.daemon.part;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tutti.daemon.node.HostPort;
import tutti.runtime.job.Endpoint;
import tutti.runtime.process.LogLines;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/** Tests of the transports that jobs use on a node: its own one, and others that come and go. */
class JobTransportsTest {
    private static final HostPort ADDRESS = new HostPort("node-a", 7001);

    @RegisterExtension
    private final LogLines log = new LogLines("tutti.daemon");
    private final TransportRegistry registry = new TransportRegistry();
    private final TestTransport own = new TestTransport();
    private final List<String> lost = new ArrayList<>();
    private JobTransports transports = on("127.0.0.1");

    private JobTransports on(final String bound) {
        final LinkAcceptor none = (link, hello) -> {
            throw new RefusedException("no links");
        };
        try {
            return new JobTransports(registry, UnaryOperator.identity(), own, own, ADDRESS, InetAddress.getByName(bound), none, none);
        } catch (final UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Opens a transport, which the node has. */
    private JobTransport open(final String scheme) throws IOException {
        return open(scheme, lost::add);
    }

    private JobTransport open(final String scheme, final TransportRegistry.User user) throws IOException {
        return transports.open(List.of(scheme), user).getFirst();
    }

    private TestTransport uds() {
        return new TestTransport().publish(registry, "uds");
    }

    @Test
    void shouldListenNowhereElseForItsOwnTransport() throws Exception {
        final JobTransport opened = open("tcp");
        assertSame(own, opened.transport());
        assertEquals(Endpoint.tcp("node-a", 7001), opened.endpoint());
        assertEquals(Set.of(), own.listening());
        opened.close();
        assertEquals(List.of("tcp"), transports.schemes());
    }

    @Test
    void shouldUseItsOwnTransportForItsSchemeWhateverElseHasThatScheme() throws Exception {
        new TestTransport().publish(registry, "tcp");
        assertSame(own, open("tcp").transport());
        assertEquals(List.of("tcp"), transports.schemes());
    }

    @Test
    void shouldListenForEachJobOnAFreePortOfTheSameInterfaceUntilItIsTold() throws Exception {
        final TestTransport uds = uds();
        final JobTransport one = open("uds");
        final JobTransport two = open("uds");
        assertSame(uds, one.transport());
        assertEquals(new Endpoint("uds", "", "127.0.0.1", 40_000), one.endpoint());
        assertEquals(new Endpoint("uds", "", "127.0.0.1", 40_001), two.endpoint());
        one.close();
        assertEquals(Set.of(new InetSocketAddress("127.0.0.1", 40_001)), uds.listening());
        two.close();
        assertEquals(Set.of(), uds.listening());
    }

    @Test
    void shouldAnnounceTheHostOfTheNodeWhenItListensOnAllInterfaces() throws Exception {
        uds();
        assertEquals(new Endpoint("uds", "", "node-a", 40_000), on("0.0.0.0").open(List.of("uds"), lost::add).getFirst().endpoint());
    }

    @Test
    void shouldReportWhichTransportsThereAre() throws Exception {
        assertEquals(List.of(), transports.open(List.of("uds"), lost::add));
        final TestTransport uds = uds();
        new TestTransport().publish(registry, "rdma");
        assertEquals(List.of("rdma", "tcp", "uds"), transports.schemes());
        registry.removeTransport(uds);
        assertEquals(List.of("rdma", "tcp"), transports.schemes());
        assertEquals(List.of(), transports.open(List.of("uds"), lost::add));
    }

    @Test
    void shouldIgnoreTransportsWithoutAScheme() {
        new TestTransport().publish(registry, Map.of());
        new TestTransport().publish(registry, Map.of(Transport.SCHEME, 7));
        new TestTransport().publish(registry, " ");
        assertEquals(List.of("tcp"), transports.schemes());
        assertEquals(Collections.nCopies(3, "transport without a scheme is ignored: class=tutti.daemon.part.TestTransport, property="
            + Transport.SCHEME), log.lines());
    }

    @Test
    void shouldUseTheFirstOfTwoWithTheSameSchemeAndTheOtherWhenThatIsGone() throws Exception {
        final TestTransport first = uds();
        final TestTransport second = uds();
        final JobTransport used = open("uds");
        assertSame(first, used.transport());
        registry.removeTransport(second);
        assertEquals(List.of(), lost);
        used.close();
        final TestTransport third = uds();
        registry.removeTransport(first);
        assertSame(third, open("uds").transport());
    }

    @Test
    void shouldNotifyTheJobsThatUseATransportWhenItGoesAway() throws Exception {
        final TestTransport uds = uds();
        final JobTransport ended = open("uds");
        final CountDownLatch notified = new CountDownLatch(2);
        final CountDownLatch done = new CountDownLatch(1);
        final List<JobTransport> running = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            running.add(open("uds", reason -> {
                lost.add(reason);
                notified.countDown();
            }));
        }
        ended.close();
        final Thread removal = Thread.ofVirtual().start(() -> {
            registry.removeTransport(uds);
            done.countDown();
        });
        assertTrue(notified.await(60, TimeUnit.SECONDS));
        assertEquals(Collections.nCopies(2, "transport uds was stopped while the job used it"), lost);
        running.getFirst().close();
        assertEquals(1, done.getCount(), "it waits for the other job");
        running.getLast().close();
        removal.join();
        assertEquals(List.of(), transports.open(List.of("uds"), lost::add));
    }

    @Test
    void shouldEndTheUseOfATransportWhoseListenerCannotBeClosed() throws Exception {
        final TestTransport uds = uds();
        final JobTransport used = open("uds");
        uds.failToClose(new IllegalStateException("closed twice"));
        used.close();
        assertEquals(List.of("listener cannot be closed: endpoint=uds://127.0.0.1:40000"), log.lines());
        registry.removeTransport(uds);
        assertEquals(List.of(), lost);
    }

    static Stream<Throwable> failures() {
        return Stream.of(new IOException("no port"), new IllegalStateException("no port"), new NoClassDefFoundError("no port"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void shouldReportThatATransportCannotListen(final Throwable failure) {
        final TestTransport uds = uds();
        uds.failToListen(failure);
        assertEquals("transport uds cannot listen: no port",
            assertThrows(IOException.class, () -> transports.open(List.of("uds"), lost::add)).getMessage());
        registry.removeTransport(uds);
        assertEquals(List.of(), lost);
    }

    @Test
    void shouldUseTheOtherTransportsOfAJobWhereOneCannotListen() throws Exception {
        uds().failToListen(new IOException("no port"));
        assertEquals(List.of("tcp"), transports.open(List.of("uds", "missing", "tcp"), lost::add).stream().map(t -> t.endpoint().scheme()).toList());
    }

    @Test
    void shouldPreferSharedMemoryWhereNoTransportIsNamed() {
        assertEquals(List.of("shm", "tcp"), JobTransports.schemes(Map.of()));
        assertEquals(List.of("uds", "tcp"), JobTransports.schemes(Map.of("transport", " uds, tcp,uds,")));
    }
}
