package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tutti.coll.CollModule;
import tutti.coll.basic.BasicModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.request.PersistentRequest;
import tutti.runtime.request.Request;

/** Collectives whose ranks read each other's memory. */
@Timeout(value = 90, unit = TimeUnit.SECONDS)
class SharedMemoryTest {
    private static final List<CollModule> FLAT = List.of(new Flat(), new BasicModule());
    private static final List<CollModule> NODES = List.of(new Layered.Nodes(), new Flat(), new BasicModule());
    private static final List<CollModule> HALVES = List.of(new Layered.Halves(), new Flat(), new BasicModule());

    private static void run(final int ranks, final int nodes, final List<CollModule> modules, final String check, final Ranks.Body body)
        throws Exception {
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(ranks, nodes, transport, Ranks.job(ranks, Map.of("check", check), modules), body);
        }
    }

    private static List<CollModule> modules(final String name) {
        return switch (name) {
            case "flat" -> FLAT;
            case "nodes" -> NODES;
            default -> HALVES;
        };
    }

    @ParameterizedTest
    @CsvSource({"flat, 2, 1", "flat, 3, 1", "flat, 5, 1", "flat, 8, 1", "nodes, 3, 2", "nodes, 5, 2", "nodes, 8, 2", "nodes, 7, 3",
        "halves, 3, 1", "halves, 5, 1", "halves, 8, 1", "halves, 5, 2"})
    void shouldServeCallsInAllForms(final String module, final int ranks, final int nodes) throws Exception {
        Ranks.run(ranks, nodes, modules(module), rank -> {
            final Communicator c = rank.world();
            final int total = ranks * (ranks + 1) / 2;
            for (int i = 0; i < 100; i++) {
                final int count = i % 3 == 0 ? 1 : 100 * i;
                final long[] mine = new long[count];
                final long[] sum = new long[count];
                mine[count - 1] = i + c.rank() + 1;
                c.blocking().allreduce(mine, sum, count, Datatype.LONG, Op.SUM);
                assertEquals((long) ranks * i + total, sum[count - 1]);
                c.blocking().allreduce(Communicator.IN_PLACE, mine, count, Datatype.LONG, Op.SUM);
                assertEquals((long) ranks * i + total, mine[count - 1]);
                c.blocking().barrier();
                final int root = i % ranks;
                final Request bcast = c.collectives().bcast(mine, count, Datatype.LONG, root);
                final Request reduce = c.collectives().allreduce(new long[] {c.rank()}, sum, 1, Datatype.LONG, Op.MAX);
                final Request barrier = c.collectives().barrier();
                barrier.await();
                bcast.await();
                reduce.await();
                assertEquals(ranks - 1, sum[0]);
            }
            final long[] sum = new long[1];
            final long[] mine = new long[1];
            final PersistentRequest again = c.persistent().allreduce(mine, sum, 1, Datatype.LONG, Op.SUM);
            final PersistentRequest barrier = c.persistent().barrier();
            for (int i = 0; i < 300; i++) {
                mine[0] = i * (c.rank() + 1);
                again.start();
                if (i % 2 == c.rank() % 2) {
                    barrier.start();
                    again.await();
                } else {
                    again.await();
                    barrier.start();
                }
                assertEquals((long) i * total, sum[0]);
                barrier.await();
            }
            again.free();
            barrier.free();
        });
    }

    @ParameterizedTest
    @CsvSource({"flat, 2, 1", "flat, 4, 1", "nodes, 4, 2", "halves, 5, 1"})
    void shouldHaveMoreCallsUnderWayThanSlots(final String module, final int ranks, final int nodes) throws Exception {
        for (final String check : List.of("fast", "full")) {
            run(ranks, nodes, modules(module), check, rank -> {
                final Communicator c = rank.world();
                final long[][] sums = new long[200][1];
                final List<Request> requests = new ArrayList<>();
                for (int i = 0; i < 200; i++) {
                    requests.add(c.collectives().allreduce(new long[] {i + c.rank()}, sums[i], 1, Datatype.LONG, Op.SUM));
                    requests.add(c.collectives().barrier());
                }
                for (int i = requests.size() - 1; i >= 0; i--) {
                    requests.get(i).await();
                }
                for (int i = 0; i < 200; i++) {
                    assertEquals((long) ranks * i + ranks * (ranks - 1) / 2, sums[i][0]);
                }
            });
        }
    }
}
