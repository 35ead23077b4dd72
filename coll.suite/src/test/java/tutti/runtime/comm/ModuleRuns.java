package tutti.runtime.comm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import tutti.coll.CollModule;
import tutti.runtime.MemoryTransport;
import tutti.runtime.Ranks;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.Reserved;

/** Runs of a few ranks with some modules. */
final class ModuleRuns {
    private static final int COUNT = 1_000_003;

    private ModuleRuns() {}

    /** Runs a body on every rank. */
    static void run(final int ranks, final int nodes, final Map<String, String> parameters, final List<CollModule> modules, final Ranks.Body body)
        throws Exception {
        try (MemoryTransport transport = new MemoryTransport(128 * 1024)) {
            Ranks.run(ranks, nodes, transport, Ranks.job(ranks, parameters, modules), body);
        }
    }

    /** Moves {@value #COUNT} numbers in an allreduce and a bcast of 5 ranks, and compares the results. */
    static void moveMuchData(final int nodes, final Map<String, String> parameters, final List<CollModule> modules) throws Exception {
        run(5, nodes, parameters, modules, rank -> {
            final Communicator c = rank.world();
            final int[] data = new int[COUNT];
            Arrays.setAll(data, i -> i * (c.rank() + 1));
            c.engine().blocking().allreduce(Reserved.IN_PLACE, data, COUNT, Datatype.INT, Op.SUM);
            final int[] sums = new int[COUNT];
            Arrays.setAll(sums, i -> 15 * i);
            assertArrayEquals(sums, data);
            final int[] copy = c.rank() == 3 ? sums : new int[COUNT];
            c.engine().blocking().bcast(copy, COUNT, Datatype.INT, 3);
            assertArrayEquals(data, copy);
        });
    }
}
