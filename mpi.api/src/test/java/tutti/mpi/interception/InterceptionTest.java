package tutti.mpi.interception;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.osgi.framework.Version;
import tutti.intercept.CallInterceptor;
import tutti.intercept.InterceptedRank;
import tutti.intercept.RankInterceptor;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.comm.Rank;
import tutti.runtime.comm.RankScope;
import tutti.runtime.module.ModuleId;
import tutti.runtime.policy.RuleTable;
import tutti.runtime.registry.OfferedModule;

/** Tests that interceptors that began are disposed when their rank has ended. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class InterceptionTest {
    private static final int RANKS = 3;

    private final Queue<String> disposed = new ConcurrentLinkedQueue<>();

    /** The class loader of a rank. */
    private static final class Loader extends ClassLoader implements RankScope {
        private final Rank rank;

        Loader(final Rank rank) {
            this.rank = rank;
        }

        @Override
        public Rank rank() {
            return rank;
        }
    }

    private OfferedModule interceptor(final String name, final boolean begins) {
        return new OfferedModule(new ModuleId("intercept." + name, new Version(1, 0, 0), ""), new CallInterceptor() {
            @Override
            public RankInterceptor begin(final InterceptedRank rank) {
                if (!begins) {
                    throw new IllegalStateException("no memory");
                }
                return new RankInterceptor() {
                    @Override
                    public void dispose() {
                        disposed.add(name + rank.rank());
                    }
                };
            }
        });
    }

    private void run(final OfferedModule first, final OfferedModule second, final Ranks.Body body) throws Exception {
        try (MemoryTransport transport = new MemoryTransport(1 << 16)) {
            Ranks.run(RANKS, 2, transport, Ranks.job(RANKS, Map.of("intercept", "first,second"), RuleTable.NONE, List.of(first, second), List.of()),
                body);
        }
    }

    @Test
    void shouldDisposeInterceptorsOnceWhenTheRankHasEnded() throws Exception {
        final Queue<Rank> ranks = new ConcurrentLinkedQueue<>();
        run(interceptor("first", true), interceptor("second", true), rank -> {
            ranks.add(rank);
            Interception.of(new Loader(rank));
        });
        assertEquals(List.of(), List.copyOf(disposed));
        ranks.forEach(Rank::ended);
        ranks.forEach(Rank::ended);
        assertEquals(List.of("first0", "first1", "first2", "second0", "second1", "second2"), disposed.stream().sorted().toList());
    }

    @Test
    void shouldDisposeAnInterceptorWhenTheNextCannotBegin() throws Exception {
        run(interceptor("first", true), interceptor("second", false), rank -> {
            final Loader loader = new Loader(rank);
            assertEquals("interceptor intercept.second 1.0.0 cannot begin: java.lang.IllegalStateException: no memory",
                assertThrows(IllegalStateException.class, () -> Interception.of(loader)).getMessage());
            rank.ended();
        });
        assertEquals(List.of("first0", "first1", "first2"), disposed.stream().sorted().toList());
    }
}
