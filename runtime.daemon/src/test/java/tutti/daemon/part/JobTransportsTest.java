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
import tutti.runtime.process.LogLines;
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
        try {
            return new JobTransports(registry, UnaryOperator.identity(), own, own, ADDRESS, InetAddress.getByName(bound), (link, hello) -> {
                throw new RefusedException("no links");
            });
        } catch (final UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private TestTransport uds() {
        return new TestTransport().publish(registry, "uds");
    }

    @Test
    void shouldListenNowhereElseForItsOwnTransport() throws Exception {
        final JobTransport opened = transports.open("tcp", lost::add);
        assertSame(own, opened.transport());
        assertEquals(ADDRESS, opened.address());
        assertEquals(Set.of(), own.listening());
        opened.stopListening();
        opened.close();
        assertEquals(List.of("tcp"), transports.schemes());
    }

    @Test
    void shouldUseItsOwnTransportForItsSchemeWhateverElseHasThatScheme() throws Exception {
        new TestTransport().publish(registry, "tcp");
        assertSame(own, transports.open("tcp", lost::add).transport());
        assertEquals(List.of("tcp"), transports.schemes());
    }

    @Test
    void shouldListenForEachJobOnAFreePortOfTheSameInterfaceUntilItIsTold() throws Exception {
        final TestTransport uds = uds();
        final JobTransport one = transports.open("uds", lost::add);
        final JobTransport two = transports.open("uds", lost::add);
        assertSame(uds, one.transport());
        assertEquals(new HostPort("127.0.0.1", 40_000), one.address());
        assertEquals(new HostPort("127.0.0.1", 40_001), two.address());
        one.stopListening();
        assertEquals(Set.of(new InetSocketAddress("127.0.0.1", 40_001)), uds.listening());
        two.close();
        assertEquals(Set.of(), uds.listening());
    }

    @Test
    void shouldAnnounceTheHostOfTheNodeWhenItListensOnAllInterfaces() throws Exception {
        uds();
        assertEquals(new HostPort("node-a", 40_000), on("0.0.0.0").open("uds", lost::add).address());
    }

    @Test
    void shouldReportWhichTransportsThereAre() throws Exception {
        assertSame(JobTransport.MISSING, transports.open("uds", lost::add));
        final TestTransport uds = uds();
        new TestTransport().publish(registry, "rdma");
        assertEquals(List.of("rdma", "tcp", "uds"), transports.schemes());
        registry.removeTransport(uds);
        assertEquals(List.of("rdma", "tcp"), transports.schemes());
        assertSame(JobTransport.MISSING, transports.open("uds", lost::add));
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
        final JobTransport used = transports.open("uds", lost::add);
        assertSame(first, used.transport());
        registry.removeTransport(second);
        assertEquals(List.of(), lost);
        used.close();
        final TestTransport third = uds();
        registry.removeTransport(first);
        assertSame(third, transports.open("uds", lost::add).transport());
    }

    @Test
    void shouldNotifyTheJobsThatUseATransportWhenItGoesAway() throws Exception {
        final TestTransport uds = uds();
        final JobTransport ended = transports.open("uds", lost::add);
        final CountDownLatch notified = new CountDownLatch(2);
        final CountDownLatch done = new CountDownLatch(1);
        final List<JobTransport> running = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            running.add(transports.open("uds", reason -> {
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
        assertSame(JobTransport.MISSING, transports.open("uds", lost::add));
    }

    @Test
    void shouldEndTheUseOfATransportWhoseListenerCannotBeClosed() throws Exception {
        final TestTransport uds = uds();
        final JobTransport used = transports.open("uds", lost::add);
        uds.failToClose(new IllegalStateException("closed twice"));
        used.close();
        assertEquals(List.of("listener cannot be closed: address=127.0.0.1:40000"), log.lines());
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
            assertThrows(IOException.class, () -> transports.open("uds", lost::add)).getMessage());
        registry.removeTransport(uds);
        assertEquals(List.of(), lost);
    }
}
