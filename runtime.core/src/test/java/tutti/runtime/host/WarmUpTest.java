package tutti.runtime.host;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.osgi.framework.Version;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.QueryResult;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.registry.Lease;
import tutti.runtime.registry.OfferedModule;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class WarmUpTest {
    private static final ModuleId BASIC = new ModuleId("basic", new Version(1, 0, 0), "");
    private static final AgreedModules AGREED = new AgreedModules(List.of(BASIC), List.of(), Map.of(), RuleTable.NONE);

    private final AtomicInteger queries = new AtomicInteger();
    private final CountingLease lease = new CountingLease();

    /** Counts how often the module is queried: once per communicator and rank. */
    private final class CountingModule implements CollModule {
        private final CollModule basic = new BasicModule();

        @Override
        public QueryResult query(final CollComm comm) {
            queries.incrementAndGet();
            return basic.query(comm);
        }
    }

    /** A lease of one module. */
    private final class CountingLease implements Lease {
        private final CollModule module = new CountingModule();
        private volatile boolean closed;

        @Override
        public Catalogue catalogue() {
            return new Catalogue(0, List.of(BASIC));
        }

        @Override
        public List<OfferedModule> keep(final List<ModuleId> modules) {
            return List.of(new OfferedModule(BASIC, module));
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static boolean runs() {
        return Thread.getAllStackTraces().keySet().stream().anyMatch(t -> t.getName().startsWith("tutti-warm-up"));
    }

    private void awaitEnd() {
        await().atMost(Duration.ofSeconds(90)).until(() -> lease.closed && !runs());
    }

    @Test
    void shouldCallOnManyCommunicatorsAndThenReleaseTheModules() {
        try (MemoryTransport transport = new MemoryTransport(1 << 20)) {
            new WarmUp(transport).start(AGREED, lease);
            awaitEnd();
        }
        // two predefined communicators and 25 others, on 4 ranks
        assertEquals(4 * 27, queries.get());
    }

    @Test
    void shouldEndAtOnceWhenItIsStopped() {
        try (MemoryTransport transport = new MemoryTransport(1 << 20)) {
            final WarmUp warmUp = new WarmUp(transport);
            warmUp.start(AGREED, lease);
            await().atMost(Duration.ofSeconds(60)).until(() -> queries.get() > 8);
            warmUp.stop();
            awaitEnd();
        }
        assertTrue(queries.get() < 4 * 27, () -> "all calls were made: " + queries);
    }

    @Test
    void shouldNotStartWhenItIsStoppedBefore() {
        try (MemoryTransport transport = new MemoryTransport(1 << 20)) {
            final WarmUp warmUp = new WarmUp(transport);
            warmUp.stop();
            warmUp.start(AGREED, lease);
            awaitEnd();
        }
        assertTrue(queries.get() <= 8, () -> "it ran: " + queries);
    }

    @Test
    void shouldEndWhenTheTransportDoesNotListen() {
        new WarmUp(new Transport() {
            @Override
            public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) throws IOException {
                throw new IOException("no ports left");
            }

            @Override
            public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit) {
                throw new AssertionError();
            }
        }).start(AGREED, lease);
        awaitEnd();
        assertEquals(0, queries.get());
    }
}
