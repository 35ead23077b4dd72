package tutti.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import tutti.coll.CollModule;
import tutti.coll.ReductionOrder;
import tutti.runtime.comm.Communicator;
import tutti.runtime.datatype.Datatype;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.Reserved;
import tutti.runtime.policy.UserPreferences;

/**
 * Verifies sums of random doubles in a job with {@code coll.reproducible=true}: every rank must get exactly the bits of the bracketing {@link
 * ReductionOrder#CANONICAL}, for all modules and placements of ranks. For tests of modules, also by their authors.
 *
 * <p>Stateless; safe for any thread, though two suites at once share the cores.
 */
public final class ReproducibleSuite {
    private static final int[] COUNTS = {1, 7, 1013};
    private static final int LINK_BYTES = 128 * 1024;

    private ReproducibleSuite() {}

    /**
     * Verifies every reduction, on the world and on halves of it.
     *
     * @param shape      shape of the job
     * @param parameters further parameters of the job, for example {@code coll.allreduce=RingModule}
     * @param modules    named after their classes
     * @throws AssertionError when the bits differ, or a rank fails
     */
    public static void run(final ContractSuite.Shape shape, final Map<String, String> parameters, final List<CollModule> modules) throws Exception {
        final Map<String, String> all = new HashMap<>(parameters);
        all.put(UserPreferences.REPRODUCIBLE, "true");
        final Contributions contributions = new Contributions(shape.ranks(), shape.ranks() * COUNTS[COUNTS.length - 1]);
        try (MemoryTransport transport = new MemoryTransport(LINK_BYTES)) {
            Ranks.run(shape.ranks(), shape.nodes(), transport, Ranks.job(shape.ranks(), all, modules), rank -> {
                final Communicator world = rank.world();
                final Communicator half = world.split(world.rank() % 2, -world.rank());
                for (final int count : COUNTS) {
                    check(world, contributions, count);
                    check(half, contributions, count);
                }
                half.free();
            });
        }
    }

    private static void check(final Communicator c, final Contributions contributions, final int count) {
        final int p = c.size();
        final int me = c.rank();
        final double[] mine = contributions.of(me, p * count);
        final double[] few = Arrays.copyOf(mine, count);
        for (int root = 0; root < p; root += Math.max(1, p - 1) / 2 + 1) {
            final double[] into = new double[count];
            c.engine().blocking().reduce(few, me == root ? into : null, count, Datatype.DOUBLE, Op.SUM, root);
            same(me == root ? contributions.reduced(0, p - 1, count) : new double[count], into, "reduce to " + root + " on " + c);
        }
        final double[] total = contributions.reduced(0, p - 1, count);
        final double[] into = new double[count];
        c.engine().blocking().allreduce(few, into, count, Datatype.DOUBLE, Op.SUM);
        same(total, into, "allreduce on " + c);
        final double[] place = few.clone();
        c.engine().nonblocking().allreduce(Reserved.IN_PLACE, place, count, Datatype.DOUBLE, Op.SUM).await();
        same(total, place, "allreduce in place on " + c);
        c.engine().blocking().scan(few, into, count, Datatype.DOUBLE, Op.SUM);
        same(contributions.reduced(0, me, count), into, "scan on " + c);
        final double[] before = few.clone();
        c.engine().blocking().exscan(Reserved.IN_PLACE, before, count, Datatype.DOUBLE, Op.SUM);
        same(me == 0 ? few : contributions.reduced(0, me - 1, count), before, "exscan on " + c);
        final double[] all = contributions.reduced(0, p - 1, p * count);
        final double[] block = new double[count];
        c.engine().blocking().reduceScatterBlock(mine, block, count, Datatype.DOUBLE, Op.SUM);
        same(Arrays.copyOfRange(all, me * count, (me + 1) * count), block, "reduce_scatter_block on " + c);
        scatter(c, mine, all, count);
    }

    /** Verifies blocks of different sizes, some of them empty. */
    private static void scatter(final Communicator c, final double[] mine, final double[] all, final int count) {
        final long[] counts = new long[c.size()];
        Arrays.setAll(counts, r -> r % 3 == 1 ? 0 : count);
        final int first = (int) Arrays.stream(counts, 0, c.rank()).sum();
        final double[] block = new double[(int) counts[c.rank()]];
        c.engine().blocking().reduceScatter(mine, block, counts, Datatype.DOUBLE, Op.SUM);
        same(Arrays.copyOfRange(all, first, first + block.length), block, "reduce_scatter on " + c);
    }

    private static void same(final double[] expected, final double[] actual, final String what) {
        assertArrayEquals(Arrays.stream(expected).mapToLong(Double::doubleToRawLongBits).toArray(),
            Arrays.stream(actual).mapToLong(Double::doubleToRawLongBits).toArray(), what);
    }

    /**
     * The contributions of the ranks: numbers of very different magnitude, so that the order of additions matters. Created once for all ranks
     * and not modified.
     */
    private static final class Contributions {
        private final double[][] numbers;

        Contributions(final int ranks, final int count) {
            numbers = new double[ranks][count];
            for (int r = 0; r < ranks; r++) {
                final Random random = new Random(r);
                Arrays.setAll(numbers[r], i -> random.nextGaussian() * Math.pow(10, random.nextInt(12)));
            }
        }

        double[] of(final int rank, final int count) {
            return Arrays.copyOf(numbers[rank], count);
        }

        double[] reduced(final int first, final int last, final int count) {
            if (first == last) {
                return of(first, count);
            }
            final int next = first + Integer.highestOneBit(last - first);
            final double[] low = reduced(first, next - 1, count);
            final double[] high = reduced(next, last, count);
            Arrays.setAll(high, i -> low[i] + high[i]);
            return high;
        }
    }
}
