package tutti.runtime.host;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.osgi.framework.Version;
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
    private static final AgreedModules AGREED = new AgreedModules(List.of(BASIC), List.of(), Map.of(), Set.of(), RuleTable.NONE);

    private final SingleLease lease = new SingleLease();

    /** A lease of one module. */
    private static final class SingleLease implements Lease {
        private volatile boolean closed;

        @Override
        public Catalogue catalogue() {
            return new Catalogue(0, List.of(BASIC));
        }

        @Override
        public List<OfferedModule> keep(final List<ModuleId> modules) {
            return List.of(new OfferedModule(BASIC, new BasicModule()));
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
            final WarmUp warmUp = new WarmUp(transport);
            warmUp.start(AGREED, lease);
            awaitEnd();
            assertEquals(4 * 25, warmUp.served());
        }
    }

    @Test
    void shouldEndAtOnceWhenItIsStopped() {
        try (MemoryTransport transport = new MemoryTransport(1 << 20)) {
            final WarmUp warmUp = new WarmUp(transport);
            warmUp.start(AGREED, lease);
            await().atMost(Duration.ofSeconds(60)).until(() -> warmUp.served() > 0);
            warmUp.stop();
            awaitEnd();
            assertTrue(warmUp.served() < 4 * 25, () -> "all calls were made: " + warmUp.served());
        }
    }

    @Test
    void shouldNotStartWhenItIsStoppedBefore() {
        try (MemoryTransport transport = new MemoryTransport(1 << 20)) {
            final WarmUp warmUp = new WarmUp(transport);
            warmUp.stop();
            warmUp.start(AGREED, lease);
            awaitEnd();
            assertEquals(0, warmUp.served());
        }
    }

    @Test
    void shouldEndWhenTheTransportDoesNotListen() {
        final WarmUp warmUp = new WarmUp(new Transport() {
            @Override
            public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) throws IOException {
                throw new IOException("no ports left");
            }

            @Override
            public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit) {
                throw new AssertionError();
            }
        });
        warmUp.start(AGREED, lease);
        awaitEnd();
        assertEquals(0, warmUp.served());
    }
}
