package tutti.runtime.host;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tutti.runtime.MemoryTransport;
import tutti.runtime.module.AgreedModules;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.process.LogLines;
import tutti.runtime.process.owner.RankClasses;
import tutti.runtime.registry.Lease;
import tutti.runtime.registry.ModuleProvider;
import tutti.runtime.registry.OfferedModule;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkAcceptor;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.Listener;
import tutti.runtime.transport.Transport;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class WarmUpTest {
    private static final AgreedModules NOTHING = new AgreedModules(List.of(), List.of(), Map.of(), Set.of(), RuleTable.NONE);
    private static final AtomicInteger STARTED = new AtomicInteger();
    private static final AtomicInteger PARTS = new AtomicInteger();
    private static final RankClasses THIS_PACKAGE = new RankClasses() {
        @Override
        public Iterable<String> packages() {
            return List.of(WarmUpTest.class.getPackageName());
        }

        @Override
        public Iterable<String> perRank() {
            return List.of();
        }

        @Override
        public ClassLoader loader() {
            return WarmUpTest.class.getClassLoader();
        }
    };

    @RegisterExtension
    private final LogLines log = new LogLines(WarmUp.class);
    private final AtomicInteger leases = new AtomicInteger();
    /** A node without modules. */
    private final ModuleProvider modules = () -> {
        leases.incrementAndGet();
        return new Lease() {
            @Override
            public Catalogue catalogue() {
                return new Catalogue(0, List.of());
            }

            @Override
            public Catalogue extend() {
                return catalogue();
            }

            @Override
            public List<OfferedModule> keep(final List<ModuleId> wanted, final Collection<ModuleId> needed) {
                return List.of();
            }

            @Override
            public void close() {
                leases.decrementAndGet();
            }
        };
    };

    /** Ends at once. */
    public static final class Short {
        public static void main(final String[] args) {
            STARTED.incrementAndGet();
        }
    }

    /** Ends when it is stopped. */
    public static final class Endless {
        public static void main(final String[] args) throws InterruptedException {
            STARTED.incrementAndGet();
            new CountDownLatch(1).await();
        }
    }

    /** Fails on one of the ranks, while the others wait. */
    public static final class Failing {
        public static void main(final String[] args) throws InterruptedException {
            if (STARTED.incrementAndGet() == 1) {
                throw new IllegalStateException("on purpose");
            }
            new CountDownLatch(1).await();
        }
    }

    /** Works as long as it may. */
    public static final class Asking {
        public static void main(final String[] args) throws IOException {
            STARTED.incrementAndGet();
            while (System.in.read() >= 0) {
                PARTS.incrementAndGet();
            }
        }
    }

    /** A machine that uses a second of processor time whenever somebody asks. */
    private static final class ScriptedLoad extends MachineLoad {
        private final AtomicLong seconds = new AtomicLong();
        private final AtomicInteger asked = new AtomicInteger();
        private volatile boolean isBusy;

        @Override
        long cpuNanos() {
            return TimeUnit.SECONDS.toNanos(seconds.getAndIncrement());
        }

        @Override
        boolean isBusy() {
            asked.incrementAndGet();
            return isBusy;
        }
    }

    private final ScriptedLoad load = new ScriptedLoad();

    @BeforeEach
    void reset() {
        STARTED.set(0);
        PARTS.set(0);
    }

    private WarmUp warmUp(final Transport transport) {
        return new WarmUp(transport, modules, List.of(THIS_PACKAGE), load);
    }

    @Test
    void shouldRunTheProgramInSharedMemoryAndOverLinks() {
        try (MemoryTransport transport = new MemoryTransport(1 << 20)) {
            warmUp(transport).run(Short.class.getName(), NOTHING);
            assertEquals(2 + 2 + 4, STARTED.get());
            assertEquals(0, leases.get());
        }
    }

    @Test
    void shouldEndAtOnceWhenItIsStopped() throws InterruptedException {
        try (MemoryTransport transport = new MemoryTransport(1 << 20)) {
            final WarmUp warmUp = warmUp(transport);
            final Thread thread = Thread.ofPlatform().daemon().start(() -> warmUp.run(Endless.class.getName(), NOTHING));
            await().atMost(Duration.ofSeconds(60)).until(() -> STARTED.get() == 2);
            warmUp.stop();
            thread.join();
            assertEquals(2, STARTED.get());
            assertEquals(0, leases.get());
        }
    }

    @Test
    void shouldEndWhenItHasUsedItsProcessorTime() {
        try (MemoryTransport transport = new MemoryTransport(1 << 20)) {
            warmUp(transport).run(Asking.class.getName(), NOTHING);
            assertEquals(2 + 2 + 4, STARTED.get());
            // a second before it began, and one for each job that was refused its next part
            assertEquals(WarmUp.LIMIT.toSeconds() - 3, PARTS.get());
            assertEquals(0, leases.get());
        }
    }

    @Test
    void shouldWaitWhileOthersUseTheMachine() throws InterruptedException {
        try (MemoryTransport transport = new MemoryTransport(1 << 20)) {
            final WarmUp warmUp = warmUp(transport);
            load.isBusy = true;
            final Thread thread = Thread.ofPlatform().daemon().start(() -> warmUp.run(Asking.class.getName(), NOTHING));
            await().atMost(Duration.ofSeconds(60)).until(() -> load.asked.get() > 3);
            assertEquals(0, PARTS.get());
            load.isBusy = false;
            await().atMost(Duration.ofSeconds(60)).until(() -> PARTS.get() > 0);
            load.isBusy = true;
            warmUp.stop();
            thread.join();
            assertEquals(0, leases.get());
        }
    }

    @Test
    void shouldNotStartWhenItIsStoppedBefore() {
        try (MemoryTransport transport = new MemoryTransport(1 << 20)) {
            final WarmUp warmUp = warmUp(transport);
            warmUp.stop();
            warmUp.run(Short.class.getName(), NOTHING);
            assertEquals(0, STARTED.get());
            assertEquals(0, leases.get());
        }
    }

    @Test
    void shouldEndTheOtherRanksWhenOneFails() {
        try (MemoryTransport transport = new MemoryTransport(1 << 20)) {
            final WarmUp warmUp = warmUp(transport);
            final Thread thread = Thread.ofPlatform().daemon().start(() -> warmUp.run(Failing.class.getName(), NOTHING));
            await().atMost(Duration.ofSeconds(60)).until(() -> STARTED.get() > 2);
            warmUp.stop();
            assertTrue(log.lines().stream().anyMatch(l -> l.matches("(?s)warm-up failed, the first calls of jobs will be slow: rank=[01], "
                + "reason=java.lang.IllegalStateException: on purpose.*")), log.lines()::toString);
            await().atMost(Duration.ofSeconds(60)).until(() -> !thread.isAlive());
            assertEquals(0, leases.get());
        }
    }

    @Test
    void shouldEndWhenTheTransportDoesNotListen() {
        warmUp(new Transport() {
            @Override
            public Listener listen(final InetSocketAddress address, final LinkAcceptor acceptor) throws IOException {
                throw new IOException("no ports left");
            }

            @Override
            public Link connect(final InetSocketAddress address, final Hello hello, final LinkHandler handler, final Duration limit) {
                throw new AssertionError();
            }
        }).run(Short.class.getName(), NOTHING);
        assertEquals(0, STARTED.get());
        assertEquals(0, leases.get());
    }
}
